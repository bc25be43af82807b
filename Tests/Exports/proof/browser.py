"""Debian's chromium without a window, steered over two pipes."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from proof.scene import Failed

# A browser that says nothing for so long hangs, in seconds.
PATIENCE = 60


def is_there():
    return shutil.which("chromium") is not None


class Browser:
    """One page. What it says on its console is collected."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # The browser reads from descriptor 3 and writes to 4; ours are moved out of their way.
        kept = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10) for number in (theirs_in, theirs_out, ours_in, ours_out)]
        for number in (theirs_in, theirs_out, ours_in, ours_out):
            os.close(number)

        def arrange():
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--user-data-dir=" + self.profile, "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=arrange)
        os.close(kept[0])
        os.close(kept[1])
        self.input, self.output = kept[2], kept[3]
        self.number, self.buffer, self.session, self.said, self.events = 0, b"", None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed("the browser refuses %s: %s" % (method, answer["error"]))
                return answer["result"]
            self.hear(answer)

    def receive(self, end):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(end - time.monotonic(), 0))[0]:
                raise Failed("the browser says nothing")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise Failed("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def hear(self, message):
        method, given = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.said.append(given["exceptionDetails"].get("text", "an exception"))
        elif method == "Runtime.consoleAPICalled":
            self.said.append("console: %s" % given["args"])
        elif method == "Log.entryAdded":
            self.said.append("%(level)s: %(text)s" % given["entry"])

    def show(self, path, width, scheme, medium=""):
        """Shows a file on a screen of that width, in light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url="file://%s" % path)
        end = time.monotonic() + PATIENCE
        while "Page.loadEventFired" not in self.events:
            self.hear(self.receive(end))

    def value(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failed("the script fails: %s" % answer["exceptionDetails"])
        return answer["result"].get("value")

    def picture(self, path):
        height = self.value("Math.ceil(document.documentElement.getBoundingClientRect().height)")
        width = self.value("innerWidth")
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
