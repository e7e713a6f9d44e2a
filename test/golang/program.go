// SPDX-License-Identifier: Apache-2.0

// A Go program that knows its stacks: one goroutine computes in a chain of functions that are not inlined, others wait in
// chains of their own: for bytes of a pipe in a system call, for a channel, a mutex, the clock and a connection.
package main

import (
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

type worker struct{ sum uint64 }

func mix(value uint64) uint64 { return (value ^ value>>7) * 0x9e3779b97f4a7c15 }

//go:noinline
func (w *worker) inner(rounds uint64) uint64 {
	for i := uint64(0); i < rounds; i++ {
		w.sum = mix(w.sum + i)
	}
	return w.sum
}

//go:noinline
func middle(w *worker) uint64 { return w.inner(20000) + 1 }

//go:noinline
func outer(w *worker) {
	for {
		w.sum += middle(w)
	}
}

//go:noinline
func readByte(file int) byte {
	var one [1]byte
	if count, err := syscall.Read(file, one[:]); count != 1 || err != nil {
		os.Exit(1)
	}
	return one[0]
}

//go:noinline
func waitForBytes(file int) {
	for sum := byte(0); ; {
		sum += readByte(file)
	}
}

func talk(connection net.Conn) {
	one := make([]byte, 1)
	for {
		connection.Write(one)
		connection.Read(one)
		time.Sleep(time.Millisecond)
	}
}

func main() {
	var pipe [2]int
	var mutex sync.Mutex
	channel := make(chan int)
	if syscall.Pipe(pipe[:]) != nil {
		os.Exit(1)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err == nil {
				go talk(connection)
			}
		}
	}()
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		os.Exit(1)
	}
	go talk(connection)
	go outer(new(worker))
	go waitForBytes(pipe[0])
	for i := 0; i < 2; i++ {
		go func() {
			for {
				mutex.Lock()
				time.Sleep(100 * time.Microsecond)
				mutex.Unlock()
			}
		}()
	}
	go func() {
		for value := range channel {
			_ = value
		}
	}()
	fmt.Println("ready")
	for i := 0; ; i++ {
		time.Sleep(time.Millisecond)
		syscall.Write(pipe[1], []byte{1})
		channel <- i
	}
}
