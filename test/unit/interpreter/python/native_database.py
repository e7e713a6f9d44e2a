# SPDX-License-Identifier: Apache-2.0
"""SQLite and Expat, two libraries in C, call functions of Python."""
import threading, time
import xml.parsers.expat as expat

def slow(value):
    time.sleep(1000)
    return value

def in_document():
    parser = expat.ParserCreate()
    def start(name, attributes):
        slow(name)
    parser.StartElementHandler = start
    parser.Parse("<a><b/></a>", True)

threading.Thread(target=in_document, daemon=True).start()
try:
    import sqlite3
    database = sqlite3.connect(":memory:")
    database.create_function("slow", 1, slow)
    database.execute("select slow(1)").fetchall()
except ImportError:
    import re
    re.sub("x", slow, "axb")
