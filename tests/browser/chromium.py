# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through its debugging pipe: pages are opened as users open them."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


def find():
    """Returns the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


# Errors of a call that another page came across.
REPLACED = ("Inspected target navigated or closed", "Execution context was destroyed.",
            "Cannot find default execution context", "Cannot find context with specified id")


class Replaced(RuntimeError):
    """The page was replaced by another one before it answered."""


class Browser:
    """One page of one browser. Messages are JSON, each with a zero byte at its end."""

    def __init__(self, width=1280, height=900, is_dark=False):
        # The browser's processes may write here until the last of them has ended.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.source, to_write = os.pipe()
        # The browser reads its descriptor 3 and writes its descriptor 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", find(), "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--hide-scrollbars", f"--user-data-dir={self.folder.name}",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.unread = b""
        self.number = 0
        self.events = []
        target = next(t for t in self.send("Target.getTargets", session=None)["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        self.folder.cleanup()

    def receive(self):
        while b"\0" not in self.unread:
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session="page", **parameters):
        """Calls a method and returns its result. Events that come meanwhile are kept."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if session and self.session:
            call["sessionId"] = self.session
        text = json.dumps(call).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    text = message["error"]["message"]
                    kind = Replaced if text in REPLACED else RuntimeError
                    raise kind(f"{method}: {text}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.events.clear()
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("document.readyState === 'complete'")

    def value(self, expression):
        """Returns the value of an expression of JavaScript."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "exception"))
        return result["result"].get("value")

    def wait_for(self, expression):
        """Waits until an expression is true, a minute at most. The page may be replaced meanwhile."""
        until = time.monotonic() + 60
        while True:
            try:
                if self.value(f"(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()"):
                    return
            except Replaced:
                pass
            if time.monotonic() > until:
                raise RuntimeError(f"a minute has passed, and this is not true: {expression}")
            time.sleep(0.01)

    def complaints(self):
        """Returns exceptions, errors of the console and requests besides the page itself."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["exception"].get("description", "exception"))
            if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            if method == "Network.requestWillBeSent" and parameters["type"] != "Document" and \
                    not parameters["request"]["url"].startswith(("data:", "blob:")):
                found.append("request of " + parameters["request"]["url"])
        return found

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, **more):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
