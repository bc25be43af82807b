"""Braze's two endpoints: data, and the sync of content cards. Nothing is de-duplicated."""

import itertools
import json

from vendors.books import ANONYMOUS, Key
from vendors.payload import fault

API_KEY = "key-of-the-app"
CARDS = 20
CONFIG = {
    "time": 1700000000, "events_blacklist": [], "attributes_blacklist": [],
    "purchases_blacklist": [], "messaging_session_timeout": 1800,
    "content_cards": {"enabled": True, "refresh_rate_limit": 0},
}
# With `refuses_poison`, a batch with one of these numbers is refused as a whole.
POISON = 9
# The events of the worker, by their names.
EVENTS = {"action": "track", "left": "leave", "visited": "visit", "allowed": "allowed",
          "forbidden": "forbidden"}
CARD_VERBS = {"cci": "impression", "ccc": "click", "ccd": "dismiss"}


class Braze:
    """The vendor's state. The server calls it under one lock."""

    def __init__(self, books):
        self.books = books
        self.dismissed = {}
        self.served = set()
        self.refused_signatures = set()
        # Refuses each user's first signature.
        self.refuses_first = False
        # Refuses batches for one of their events, and the event alone for good.
        self.refuses_poison = False
        self.firsts = {}

    def answer(self, request, fault):
        """Returns (status, body, parcel). The parcel has the events with an effect, if any."""
        body = json.loads(request.body)
        user = body.get("user_id")
        if body.get("api_key") != API_KEY:
            return 200, {"error": "invalid_api_key"}, None
        signature = request.headers.get("x-braze-auth-signature")
        error = self._signature_error(user, signature, fault == "auth")
        if error:
            return 200, {"auth_error": {"error_code": error, "user_id": user}}, None
        if request.path == "/api/v3/content_cards/sync":
            return 201, self._sync(user), None
        if request.path != "/api/v3/data/":
            return 404, {}, None
        events = body.get("events", [])
        poison = [event for event in events if self.refuses_poison and is_poison(event)]
        if poison:
            self.books.count("batches refused")
            # As too long where the first of them has an even number.
            is_even = poison[0]["data"]["p"]["n"] % 2 == 0
            return 413 if is_even else 400, {"message": "an event cannot be processed"}, None
        answer = {"message": "success"}
        known = body.get("respond_with", {}).get("config", {}).get("config_time", 0)
        if known < CONFIG["time"]:
            answer["config"] = CONFIG
        return 201, answer, self._events(user, request.name, events)

    def _signature_error(self, user, signature, expires):
        if user is None:
            if signature is not None:
                self.books.finding("an anonymous request carries a signature")
            return None
        if signature is None:
            return 26
        owner = signature.split("|")[1] if signature.count("|") == 3 else "?"
        if owner != user:
            self.books.finding("a request as %s carries the signature of %s" % (user, owner))
            return 28
        first = self.firsts.setdefault(user, signature)
        if expires or self.refuses_first and signature == first:
            self.refused_signatures.add(signature)
        if signature in self.refused_signatures:
            self.books.count("signatures refused")
            return 22
        return None

    def _sync(self, user):
        gone = self.dismissed.setdefault(user, set())
        names = ("card.%s.%d" % (user, number) for number in itertools.count())
        ids = list(itertools.islice((name for name in names if name not in gone), CARDS))
        self.served.update(ids)
        return {"cards": [card(id) for id in ids], "full_sync": True,
                "last_full_sync_at": 1700000000, "last_card_updated_at": 1700000000}

    def _events(self, user, name, events):
        taken = []
        for event in events:
            if event.get("user_id") != user:
                self.books.finding("an event of %s in a request as %s" % (
                    event.get("user_id"), user))
            if not event.get("session_id"):
                self.books.finding("an event of %s outside a session" % user)
            taken += self._event(user, event)
        return self.books.parcel("braze", user, name, taken) if taken else None

    def _event(self, user, event):
        name, data = event.get("name"), event.get("data", {})
        if name == "ce" and data.get("n") in EVENTS:
            verb = EVENTS[data["n"]]
            owner = ANONYMOUS if verb == "visit" else user
            wrong = fault(data.get("p"), owner)
            if wrong:
                self.books.finding("braze: " + wrong)
                return []
            # A visit is sent as the anonymous user or as the one who took it over.
            content = data["p"] if verb == "visit" else event
            return [(Key("braze", owner, verb, data["p"]["n"]), content)]
        if name not in CARD_VERBS:
            return []
        taken = []
        for id in data.get("ids", []):
            if id not in self.served or id.split(".")[1] != user:
                self.books.finding("braze: %s of %s on the foreign card %r" % (name, user, id))
                continue
            if name == "ccd":
                self.dismissed.setdefault(user, set()).add(id)
            taken.append((Key("braze", user, CARD_VERBS[name], id), event))
        return taken


def card(id):
    number = int(id.rsplit(".", 1)[1])
    return {"id": id, "tp": "short_news", "ca": 1700000000 + number, "ea": -1, "tt": "Card " + id,
            "ds": "For " + id.split(".")[1], "u": "https://example.com/" + id, "uw": False,
            "v": False, "cl": False, "p": False, "r": False, "db": True, "t": False, "e": {}}


def is_poison(event):
    data = event.get("data") or {}
    return data.get("n") == "action" and is_poisonous(data.get("p") or {})


def is_poisonous(properties):
    return properties.get("n", 1) % POISON == 0
