"""CleverTap's interface for devices: the handshake, batches with campaigns, the files of campaigns."""

import collections
import json
import zlib

from vendors.books import ANONYMOUS

ACCOUNT, TOKEN = "account", "token-of-the-account"
# Campaigns of the event "action". The last one has no limit, so that there is always one to present.
CAMPAIGNS = 9
FIRST = 9000
# The bytes of a file after its signature.
LENGTH = 20_000
PNG = b"\x89PNG\r\n\x1a\n"

Plain = collections.namedtuple("Plain", "headers body")


def takes(path):
    """Whether the path is one of this vendor's."""
    return path.startswith(("/hello", "/a1", "/files/"))


def most(campaign):
    """How often a campaign may be presented to a user; None for any number."""
    number = campaign - FIRST
    return None if number == CAMPAIGNS - 1 else number % 3 + 1


def file(number):
    return PNG + (b"%d|" % number * LENGTH)[:LENGTH]


class CleverTap:
    """The vendor's state. The server calls it under one lock."""

    def __init__(self, books):
        self.books = books
        # Device -> user
        self.users = {}
        # (user, campaign) -> how often the vendor was told of a presentation
        self.viewed = collections.Counter()
        # (device, campaign) -> [((life, number), lifetime)] of the headers
        self.counters = collections.defaultdict(list)

    def answer(self, request, fault):
        """Returns (status, body, parcel) as Braze's server does. No request has a parcel."""
        if request.path.startswith("/files/"):
            number = int(request.path.removeprefix("/files/").removesuffix(".png"))
            self.books.count("files fetched")
            return 200, Plain({"Content-Type": "image/png"}, file(number)), None
        if (request.headers.get("x-clevertap-account-id"),
                request.headers.get("x-clevertap-token")) != (ACCOUNT, TOKEN):
            return 401, {"error": "no such account"}, None
        host = request.headers["host"]
        if request.path.startswith("/hello"):
            return 200, Plain({"X-WZRK-RD": host, "X-WZRK-SPIKY-RD": host}, b"{}"), None
        meta, *items = json.loads(request.body)
        life, number = (int(part) for part in request.name.split("."))
        for campaign, _, lifetime in meta.get("tlc", []):
            self.counters[meta["g"], int(campaign)].append(((life, number), lifetime))
        for item in items:
            self._take(meta["g"], item)
        answer = {"inapp_delivery_mode": "CS", "imc": 100_000, "imp": 100_000}
        if any(asks_for_campaigns(item) for item in items):
            answer["inapp_notifs_cs"] = [
                listed(number, "http://%s/files/%d.png" % (host, number))
                for number in range(CAMPAIGNS)]
        return 200, answer, None

    def _take(self, device, item):
        user = item.get("profile", {}).get("Identity")
        if user is not None and self.users.setdefault(device, user) != user:
            self.books.finding("clevertap: the device of %s is now that of %s" % (
                self.users[device], user))
        name, data = item.get("evtName"), item.get("evtData", {})
        if name == "Notification Viewed":
            self.viewed[device, int(data["wzrk_id"].split("_")[0])] += 1
        elif "user" in data and data["user"] not in (self.users.get(device), ANONYMOUS):
            self.books.finding("clevertap: an event of %s went out as %s" % (
                data["user"], self.users.get(device)))

    def told(self, user, campaign):
        """How often the vendor was told that the campaign was presented to the user."""
        return sum(count for (device, other), count in self.viewed.items()
                   if other == campaign and self.users.get(device) == user)

    def verify(self):
        """The counters in the headers only grow."""
        for (device, campaign), counters in self.counters.items():
            counts = [count for _, count in sorted(counters)]
            if counts != sorted(counts):
                self.books.finding("clevertap: the counter of %d falls at %s: %s" % (
                    campaign, self.users.get(device), counts[:20]))
            if most(campaign) is not None and counts[-1] > most(campaign):
                self.books.finding("clevertap: %d was presented %d times to %s" % (
                    campaign, counts[-1], self.users.get(device)))


def asks_for_campaigns(item):
    return item.get("evtName") == "App Launched" or (
        item.get("evtName") == "wzrk_fetch" and item["evtData"].get("t") == 5)


def listed(number, url):
    id = FIRST + number
    limit = most(id)
    return {
        "ti": id, "wzrk_id": "%d_20261125" % id, "wzrk_pivot": "wzrk_default",
        "type": "custom-code", "templateName": "offer", "priority": CAMPAIGNS - number,
        "vars": {"picture": url, "sum": "%08x" % zlib.crc32(file(number))},
        "whenTriggers": [{"eventName": "action"}],
        "frequencyLimits": [{"type": "ever", "limit": limit}] if limit else [],
        "occurrenceLimits": [],
    }
