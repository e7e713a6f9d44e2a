# SPDX-License-Identifier: Apache-2.0
import contextlib, threading, time

class Descriptor:
    def __get__(self, instance, owner):
        return Meta("Made", (), {})

class Meta(type):
    def __new__(cls, name, bases, body):
        return super().__new__(cls, name, bases, body)
    def __init__(cls, name, bases, body):
        time.sleep(1000)

class Holder:
    made = Descriptor()
    @property
    def value(self):
        return self.made
    def __getattr__(self, name):
        return self.value
    def __iter__(self):
        yield self.missing
    def __len__(self):
        return len(list(iter(self)))
    def __bool__(self):
        return len(self) > 0

@contextlib.contextmanager
def managed():
    try:
        yield
    finally:
        time.sleep(1000)

class Gone:
    def __del__(self):
        with managed():
            pass

def drop():
    gone = Gone()
    del gone

threading.Thread(target=drop, daemon=True).start()
class Outer:
    class Inner:
        @staticmethod
        def run():
            if Holder():
                pass
        @classmethod
        def again(cls): cls.run()
Outer.Inner.again()
