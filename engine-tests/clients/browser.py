"""A headless Chromium that opens a page, presses keys and clicks, spoken to through two pipes."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile

from harness import LIVENESS, Hang

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The browser's path, if one is installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page in one browser. `requests` are the addresses that it has asked for."""

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.TemporaryDirectory()
        command_read, self._to = os.pipe()
        self._from, answer_write = os.pipe()

        def connect():
            # The browser reads commands from 3 and answers on 4; a copy first, lest one overwrites the other.
            read, write = os.dup(command_read), os.dup(answer_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [
                find(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                f"--user-data-dir={self._profile.name}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=connect,
            close_fds=False,
        )
        os.close(command_read)
        os.close(answer_write)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session = None
        self._loaded = False
        self.requests = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.send(f"{domain}.enable")
        self.size(width, height)

    def size(self, width, height, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def send(self, method, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _receive(self):
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], LIVENESS)[0]:
                raise Hang("the browser does not answer")
            self._buffer += os.read(self._from, 1 << 16)
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") == "Page.loadEventFired":
            self._loaded = True
        return message

    def open(self, path):
        self._loaded = False
        self.send("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._receive()

    def js(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name)

    def click(self, selector, across=0.5):
        """Clicks on the first such element, at half its height and the given share of its width."""
        query = f"document.querySelector({json.dumps(selector)})"
        self.js(f"{query}.scrollIntoView({{block: 'center'}})")
        box = self.js(f"(() => {{ const b = {query}.getBoundingClientRect(); return [b.x, b.y, b.width, b.height] }})()")
        x, y = box[0] + box[2] * across, box[1] + box[3] / 2
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def wheel(self, selector, by):
        query = f"document.querySelector({json.dumps(selector)})"
        box = self.js(f"(() => {{ const b = {query}.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()")
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=box[0], y=box[1], deltaX=0, deltaY=by)

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self._session = None
            self.send("Browser.close")
        except (OSError, Hang, AssertionError):
            self.process.kill()
        self.process.wait(LIVENESS)
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()
