"""Atomic's interface for clients: a container of cards for each user over HTTP and a web socket, calls
for actions, and events that are de-duplicated by their ids."""

import base64
import hashlib
import json
import re
import time
from urllib.parse import parse_qs, urlsplit

from vendors.books import Key
from vendors.braze import EVENTS, is_poisonous
from vendors.clevertap import Plain
from vendors.payload import fault as fault_of

BASE = "/atomic/env-1/"
KEY = "key-of-atomic"
CONTAINER = "home"
# The cards that a user has at a time.
CARDS = 8
VOTES = ("card-voted-up", "card-voted-down")
ACTIONS = {"dismiss": "dismiss", "snooze": "snooze", "response": "submit"}
ENDS = {"dismiss": "dismissed", "submit": "completed"}
# The codes with which the vendor closes a socket by itself.
CODES = (1000, 1001, 1011)
# How long the line of a change of user may take to the books.
PATIENCE = 2


def takes(path):
    """Whether the path is one of this vendor's."""
    return path.startswith(BASE)


class Cards:
    """The cards of one user."""

    def __init__(self, user):
        self.user = user
        self.count = 0
        self.versions = {}     # id -> the number of its last change
        self.snoozed = {}      # id -> until when
        self.ends = {}         # id -> "dismissed", "completed" or "withdrawn"
        self.fill()

    def fill(self):
        while len(self.open()) < CARDS:
            self.count += 1
            self.versions["action.%s.%d" % (self.user, self.count)] = 1

    def open(self):
        return [id for id in self.versions if id not in self.ends]

    def listed(self):
        now = time.time()
        return [id for id in self.open() if self.snoozed.get(id, 0) <= now]

    def end(self, id, how):
        self.ends[id] = how
        self.fill()


class Atomic:
    """The vendor's state. The server calls it under one lock."""

    def __init__(self, books):
        self.books = books
        self.users = {}
        self.sockets = []
        self.refused_tokens = set()
        # id -> (user, card) of the files that came
        self.files = {}
        # (verb, id) of the actions on cards that were closed
        self.conflicts = set()
        # Refuses uploads for one of their events, and the event alone for good.
        self.refuses_poison = False

    def cards(self, user):
        return self.users.setdefault(user, Cards(user))

    # Requests

    def answer(self, request, fault):
        """Returns (status, body, parcel) as Braze's server does."""
        if request.headers.get("x-atomic-sdk-api-key") != KEY:
            self.books.finding("atomic: a request without the key")
            return 401, {"errors": [{"title": "Invalid API key"}]}, None
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        user = self.user(token, fault == "auth")
        if user is None:
            return 401, {"errors": [{"title": "Expired token"}]}, None
        name = request.path.removeprefix(BASE).split("?")[0]
        if request.method == "GET" and name == "feed/" + CONTAINER:
            return self._feed(user, request, is_whole=fault is None)
        if request.method == "PUT" and name.startswith("upload/"):
            return self._upload(user, name.removeprefix("upload/"), request)
        body = json.loads(request.body or b"{}")
        if request.method == "POST" and name in ACTIONS:
            return self._act(user, ACTIONS[name], body, request.name)
        if request.method == "PUT" and name == "analytics":
            return self._analytics(user, body["data"], request.name)
        self.books.finding("atomic: an unknown request %s %s" % (request.method, name))
        return 404, {}, None

    def user(self, token, expires=False):
        """The user of a token; None for one that is refused."""
        parts = token.split(".")
        if len(parts) != 3:
            self.books.finding("atomic: no token but %.40r" % token)
            return None
        if expires:
            self.refused_tokens.add(token)
        if token in self.refused_tokens:
            self.books.count("tokens refused")
            return None
        return json.loads(base64.urlsafe_b64decode(parts[1] + "=="))["sub"]

    def _feed(self, user, request, is_whole):
        cards = self.cards(user)
        ids = cards.listed()
        if is_whole:
            with self.books.lock:
                self.books.people.lists[user] += 1
        body = json.dumps({"cardInstances": [card(id, cards.versions[id]) for id in ids],
                           "metadata": {"totalCards": len(ids)}}).encode()
        tag = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
        if request.headers.get("if-none-match") == tag:
            return 304, Plain({"ETag": tag}, b""), None
        return 200, Plain({"Content-Type": "application/json", "ETag": tag}, body), None

    def _upload(self, user, id, request):
        card = parse_qs(urlsplit(request.path).query)["cardInstanceId"][0]
        if card not in self.cards(user).versions:
            self.books.finding("atomic: a file of %s for the foreign card %r" % (user, card))
        if request.body != b"\xff\xd8\xff" + card.encode():
            self.books.finding("atomic: another file for the card %r" % card)
        if self.files.setdefault(id, (user, card)) != (user, card):
            self.books.finding("atomic: the file %s is of two cards" % id)
        self.books.count("files")
        return 200, {"ok": True}, None

    def _act(self, user, verb, body, name):
        id = body["cardInstanceId"]
        cards = self.cards(user)
        if id not in cards.versions or body["streamContainerId"] != CONTAINER:
            self.books.finding("atomic: %s of %s on the foreign card %r" % (verb, user, id))
            return 404, {}, None
        end = cards.ends.get(id)
        if end == "withdrawn":
            return 404, {"errors": [{"title": "There is no such card"}]}, None
        if end not in (None, ENDS.get(verb)):
            self.conflicts.add((verb, id))
            return 409, {"errors": [{"title": "The card is closed"}]}, None
        parcel, key = None, Key("atomic", user, verb, id)
        if verb == "submit":
            if self.files.get(body["values"].get("proof")) != (user, id):
                self.books.finding("atomic: the submission of %r came before its file" % id)
            # What a second submission does is not documented, so none may come without need.
            parcel = self.books.parcel("atomic", user, name, [(key, body["values"])])
        else:
            self.books.set(key, verb)
        if verb == "snooze":
            seconds = re.fullmatch(r"PT(\d+)S", body["interval"])
            if not seconds:
                self.books.finding("atomic: a snooze for %r" % body["interval"])
                return 400, {}, None
            cards.snoozed[id] = time.time() + int(seconds[1])
        elif end is None:
            cards.end(id, ENDS[verb])
            with self.books.lock:
                self.books.people.ended[id] = time.monotonic()
        self.tell()
        return 200, {"ok": True}, parcel

    def _analytics(self, user, events, name):
        if any(self.refuses_poison and event.get("eventName") == "action"
               and is_poisonous(event["properties"]) for event in events):
            self.books.count("batches refused")
            return 400, {"errors": [{"title": "An event is malformed"}]}, None
        taken = []
        for event in events:
            if event["endUserId"] != user:
                self.books.finding("atomic: an event of %s as %s" % (event["endUserId"], user))
            taken += self._event(user, event)
        parcel = self.books.parcel("atomic", user, name, taken) if taken else None
        return 200, {"ok": True}, parcel

    def _event(self, user, event):
        if event.get("eventType") == "custom":
            wrong = fault_of(event["properties"], user)
            if wrong:
                self.books.finding("atomic: " + wrong)
                return []
            return [(Key("atomic", user, EVENTS[event["eventName"]], event["properties"]["n"]), event)]
        if event.get("analyticsEvent") in VOTES:
            id = event["cardContext"]["cardInstanceId"]
            if id not in self.cards(user).versions:
                self.books.finding("atomic: a vote of %s for the foreign card %r" % (user, id))
                return []
            return [(Key("atomic", user, "vote", id), event)]
        return []

    # The web socket

    def refusal(self, request):
        """The status with which a socket is refused; None if it opens."""
        if "authorization" in request.headers or "eyJ" in request.path:
            self.books.finding("atomic: the handshake of the socket has a token")
        return None if "api-key=" + KEY in request.path else 401

    def hear(self, text, on, refuses=False):
        """What a client says. A token is refused if `refuses`."""
        message = json.loads(text)
        kind, data = message["messageType"], message.get("data", {})
        if kind == "custom-ping":
            return self._say("custom-pong", on=on)
        if kind == "auth":
            on.user = self.user(message["authToken"], refuses)
            if on.user is None:
                return self._say("error", {"errorType": "expired-token"}, on=on)
            self.books.count("sockets authenticated")
            return self._say("auth-success", on=on)
        if on.user is None:
            return self.books.finding("atomic: %s on a socket without a token" % kind)
        if kind == "unsubscribe":
            for id in data["subscriptionIds"]:
                on.subscriptions.pop(id, None)
        elif kind == "subscribe":
            for wanted in data["subscriptions"]:
                self._subscribe(wanted, on)
        else:
            self.books.finding("atomic: an unknown message %s" % kind)

    def _subscribe(self, wanted, on):
        if wanted["streamContainerId"] != CONTAINER:
            self.books.finding("atomic: a subscription to %r" % wanted["streamContainerId"])
        cards = self.cards(on.user)
        listed = {id: cards.versions[id] for id in cards.listed()}
        on.subscriptions[wanted["subscriptionId"]] = listed
        self._note(listed.items())
        self._update([{"type": "replace-feed", "data": {
            "subscriptionId": wanted["subscriptionId"],
            "cardInstances": {"instances": [card(*each) for each in listed.items()],
                              "totalCards": len(listed)}}}], on)

    def tell(self):
        """Tells each client what differs from what it was told."""
        for socket in self.sockets:
            updates = []
            for id, told in socket.subscriptions.items():
                cards = self.cards(socket.user)
                listed = {id: cards.versions[id] for id in cards.listed()}
                updates += [{"type": "remove-card", "data": {"subscriptionId": id, "cardInstanceId": gone}}
                            for gone in told if gone not in listed]
                updates += [{"type": "update-card", "data": {
                    "subscriptionId": id, "cardInstance": card(each, version)}}
                    for each, version in listed.items() if told.get(each) != version]
                self._note(each for each in listed.items() if told.get(each[0]) != each[1])
                socket.subscriptions[id] = listed
            if updates:
                self._update(updates, socket)

    def _note(self, versions):
        people = self.books.people
        with self.books.lock:
            for id, version in versions:
                people.tell(id)
                people.tell("%s@%d" % (id, version))

    def _update(self, updates, socket):
        self.books.count("live updates", len(updates))
        self._say("update-cards", {"updates": updates}, on=socket)

    def _say(self, kind, data=None, on=None):
        on.say(json.dumps({"messageType": kind, **({"data": data} if data else {})}))

    # By itself

    def stir(self, generator, is_troubled):
        """One thing that the vendor does by itself."""
        sockets = [socket for socket in self.sockets if socket.is_open and socket.subscriptions]
        if sockets:
            socket = generator.choice(sockets)
            cards = self.cards(socket.user)
            id = generator.choice(cards.open())
            chance = generator.random()
            if chance < 0.6:
                cards.versions[id] += 1
            elif chance < 0.7:
                self.books.people.withdrawn.add(id)
                cards.end(id, "withdrawn")
            elif chance < 0.75 and is_troubled:
                self._trouble(socket, generator)
        self.tell()

    def _trouble(self, socket, generator):
        self.books.count("sockets ended by the vendor")
        kind = generator.randrange(4)
        if kind == 0:
            socket.drop()
        elif kind == 1:
            socket.cut(json.dumps({"messageType": "update-cards", "data": {"updates": []}}))
        elif kind == 2:
            socket.close(generator.choice(CODES))
        else:
            # It goes on with another token.
            socket.user, socket.subscriptions = None, {}
            self._say("token-expiry", on=socket)
            for text in ("", "{]", '{"messageType":"update-cards","data":{"updates":[{}]}}'):
                socket.say(text)


def lives_on(books, sockets):
    """Adds a finding for each open socket whose user has left. The client closes a socket before it
    says that the user has changed."""
    for socket in sockets:
        with books.lock:
            user, present = socket.user, set(books.people.present)
        if user is not None and user not in present and socket.is_idle() and socket.user == user:
            books.finding("the socket of %s lives on, and the user is %s" % (user, sorted(present)))
            # Once is enough.
            socket.drop()


def is_expected(books, socket):
    """Whether the socket's user may be the current one. The worker's line may still be on its way, or the
    token was read after the client had closed the socket, as it does before it changes the user."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with books.lock:
            if socket.user in books.people.present:
                return True
        if socket.has_left():
            return True
        time.sleep(0.005)
    return False


def card(id, version):
    number = int(id.rsplit(".", 1)[1])
    day = "2026-01-%02dT00:00:00.000Z" % (number % 28 + 1)
    return {
        "instance": {"id": id, "eventName": "due", "lifecycleId": id, "status": "active"},
        "metadata": {"priority": 5, "receivedAt": day, "lastCardActiveTime": day,
                     "payloadMetadata": {"version": version}},
        "actions": {name: {"swipe": True, "overflow": True}
                    for name in ("dismiss", "snooze", "voteUp", "voteDown")},
        "runtimeVariables": [],
        "defaultView": {"nodes": [{"type": "headline", "attributes": {"text": "Card " + id}}, {
            "type": "form", "attributes": {}, "children": [
                {"type": "fileUpload", "attributes": {"key": "proof"}},
                {"type": "submitButton", "attributes": {
                    "text": "Pay", "name": "pay", "values": {"amount": 5}}}]}]},
        "subviews": {},
    }
