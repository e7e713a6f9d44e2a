# SPDX-License-Identifier: Apache-2.0
"""Names beyond ASCII, code from texts, a module that waits while it is imported."""
import importlib, os, sys, tempfile, threading, time

def größe(): time.sleep(1000)
def имя(): größe()
def 名前(): имя()
def 𠀀𠮷(): 名前()

folder = tempfile.mkdtemp()
with open(os.path.join(folder, "slow_module.py"), "w") as file:
    file.write("import time\n\n\ndef at_import():\n    time.sleep(1000)\n\nat_import()\n")
sys.path.insert(0, folder)
threading.Thread(target=importlib.import_module, args=("slow_module",), daemon=True).start()
source = "\n\n\ndef made(f):\n    return f(\n    )\n\nmade(𠀀𠮷)\n"
exec(compile(source, "<größe>", "exec"), {"𠀀𠮷": 𠀀𠮷})
