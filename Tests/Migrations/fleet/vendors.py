"""The two vendors: the emulator in a process of its own, with the same contents at both."""

import json
import subprocess
import urllib.error
import urllib.request

OLD, NEW = "braze", "atomic"
CONTENTS = ["c%02d" % number for number in range(1, 21)]
# What the new vendor lists otherwise than the old one, as if somebody had made mistakes in copying.
MISTAKEN = CONTENTS[:3]


def item(vendor, content):
    """The id of a content's card at a vendor."""
    return "%s-%s" % (vendor, content)


class Vendors:
    def __init__(self, engage):
        self.engage = str(engage)

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.engage, "emulate", "--port", "0", "--json", "--quiet"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.endpoints = {}
        while "control" not in self.endpoints:
            line = json.loads(self.process.stdout.readline())
            if "vendor" in line:
                self.endpoints[line["vendor"]] = line["endpoint"]
            elif "control" in line:
                self.endpoints["control"], self.token = line["control"], line["token"]
        for vendor in (OLD, NEW):
            for listed in self.call("GET", "items/" + vendor)["items"]:
                self.call("DELETE", "items/%s/%s" % (vendor, listed.get("id") or listed["instance"]["id"]))
        for content in CONTENTS:
            self.list_at_old(content)
            self.list_at_new(content)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.endpoints["control"] + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    # Contents

    def list_at_old(self, content):
        self.call("PUT", "items/" + OLD, {
            "id": item(OLD, content), "tp": "text_announcement", "tt": "Offer " + content, "ds": "Two for one.",
            "u": "", "db": True, "ea": -1, "e": {"content": content, "slot": "home"}})

    def list_at_new(self, content, title=None):
        self.call("PUT", "items/" + NEW, {
            "instance": {"id": item(NEW, content)}, "actions": {"dismiss": {"swipe": True, "overflow": True}},
            "metadata": {"title": title or "Offer " + content, "payloadMetadata": {"content": content}},
            "defaultView": {"nodes": [
                {"type": "headline", "attributes": {"text": title or "Offer " + content}},
                {"type": "text", "attributes": {"text": "Two for one."}}]}})

    # Faults

    def refuse(self, vendor, method, path):
        self.call("PUT", "faults", {"faults": [
            {"fault": "status", "status": 500, "vendor": vendor, "method": method, "path": path,
             "times": "always"}]})

    def take_twice(self, vendor, path):
        """The vendor gets each request twice, as from a client that sends again what has arrived."""
        self.call("PUT", "faults", {"faults": [
            {"fault": "duplicateRequest", "vendor": vendor, "method": "POST", "path": path, "times": "always"}]})

    def mend(self):
        self.call("DELETE", "faults")

    # The record

    @property
    def requests(self):
        """All that came so far, in order."""
        return self.call("GET", "requests")["requests"]
