# SPDX-License-Identifier: Apache-2.0
import threading, time

def raise_it(value):
    raise ValueError(value)

def in_handler():
    try:
        raise_it(1)
    except ValueError as error:
        try:
            raise KeyError from error
        except KeyError:
            time.sleep(1000)

def in_finally():
    for i in range(3):
        try:
            continue
        finally:
            match i:
                case 0:
                    (lambda: [
                        time.sleep(1000)
                    ])()

def in_group():
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* TypeError as group:
        time.sleep(
            1000,
        )

def in_assertion():
    value = 0
    while (value := value + 1) < 5:
        assert value < 3 or time.sleep(
            1000), value

for target in (in_handler, in_finally, in_group):
    threading.Thread(target=target, daemon=True).start()
in_assertion()
