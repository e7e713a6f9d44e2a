# SPDX-License-Identifier: Apache-2.0
"""One thread for each thing a thread can wait for."""
import os, queue, select, socket, subprocess, threading, time

lock, condition, event = threading.Lock(), threading.Condition(), threading.Event()
lock.acquire()
reader, _writer = os.pipe()
server = socket.create_server(("127.0.0.1", 0))
epoll = select.epoll()

def on_lock():
    with lock:
        pass

def on_condition():
    with condition:
        condition.wait()

def on_event(): event.wait()
def on_queue(): queue.Queue().get()
def on_pipe(): os.read(reader, 1)
def on_accept(): server.accept()
def on_epoll(): epoll.poll()
def on_select(): select.select([server], [], [])
def on_sleep(): time.sleep(1000)
def on_child(): subprocess.run(["sleep", "1000"])

waiters = [on_lock, on_condition, on_event, on_queue, on_pipe, on_accept, on_epoll, on_select, on_sleep]
for waiter in waiters:
    threading.Thread(target=waiter, daemon=True).start()
last = threading.Thread(target=on_sleep, daemon=True)
last.start()
last.join()
