# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its debugging pipe: NUL-separated JSON on descriptors 3 and 4, so that no library
and no port is needed. What the page logs, throws or asks the network for is kept for the test to judge."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--mute-audio",
         "--hide-scrollbars", "--remote-debugging-pipe"]
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


class BrowserError(Exception):
    pass


def find_browser():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    def __init__(self, path, width=1360, height=900):
        self.profile = tempfile.mkdtemp(prefix="crosscut-page-")
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def arrange():
            # Both ends may already be 3 or 4, so they move out of the way first.
            ours = os.dup2(to_read, 40), os.dup2(from_write, 41)
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)
            os.close(40)
            os.close(41)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=arrange, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.write_fd, self.read_fd = to_write, from_read
        self.buffer, self.next_id, self.events, self.session = b"", 0, [], None
        target = self.call("Target.getTargets")["targetInfos"]
        page = next(info["targetId"] for info in target if info["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            chunk = os.read(self.read_fd, 1 << 20)
            if not chunk:
                raise BrowserError("the browser went away")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, seconds=60, **parameters):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        while True:
            answer = self.receive(seconds)
            if answer is None:
                raise BrowserError(f"no answer to {method} in {seconds} s")
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})
            self.events.append(answer)

    def open(self, path, dark=False, reduced_motion=True):
        self.events = []
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}])
        url = "file://" + os.path.abspath(path)
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.documentElement?.dataset.readyMs", 60)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression, seconds=10):
        """Asks at every frame of the page rather than after a fixed time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.evaluate(f"!!({expression})"):
                    return
                self.evaluate("new Promise((done) => setTimeout(done, 16))")
            except BrowserError as error:
                if "navigated" not in str(error) and "context" not in str(error):
                    raise
        raise BrowserError(f"never true: {expression}")

    def frame(self):
        """Lets the page draw what it has put off to its next frame."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, key):
        code = KEYS[key] if key in KEYS else ord(key.upper()) if key.isalnum() else 0
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.frame()

    def type(self, text):
        for letter in text:
            self.press(letter)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.frame()

    def screenshot(self, path, whole=True):
        self.frame()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """Everything the page logged as an error or a warning, or threw."""
        self.frame()
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(part.get("value", part.get("description"))) for part in parameters["args"]))
            elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        """Addresses that the page asked for, itself and data within it aside."""
        urls = [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls[1:] if not url.startswith("data:")]
