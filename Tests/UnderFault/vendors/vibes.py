"""Vibes' device interface: devices with tokens, persons, an inbox, events with unique ids."""

import itertools
import json

from vendors.books import Key

APP = "app"
MESSAGES = 20
BASE = "/mobile_apps/" + APP


class Vibes:
    """The vendor's state. The server calls it under one lock."""

    def __init__(self, books, users):
        self.books = books
        self.users = set(users)
        self.numbers = itertools.count(1)
        self.devices = {}      # id -> {"token", "person"}
        self.persons = {}      # key -> external id or None
        self.expired = {}      # person -> messages
        self.served = set()
        self.events = {}       # uuid -> event
        books.owner = self.owner

    def answer(self, request, fault):
        """Returns (status, body, parcel) as Braze's server does."""
        if not request.path.startswith(BASE):
            return 404, {}, None
        path = [part for part in request.path[len(BASE):].split("/") if part]
        if not path:
            return 200, {"app_id": APP, "inbox_enabled": True}, None
        if path == ["devices"] and request.method == "POST":
            return self._register()
        token = request.headers.get("authorization", "").removeprefix("MobileAppToken ")
        device = self._device(token)
        if path[0] == "devices" and len(path) > 1:
            return self._of_device(request, path[1], path[2:], device, fault)
        if path[0] == "persons" and len(path) > 2 and path[2] == "messages":
            return self._of_person(request, path[1], path[3:], device, fault)
        return 404, {}, None

    def owner(self, key):
        """The user whose message an action is on; None for a person without a user.

        A device has a person with messages before the first sign-in. After the device moves to the
        user's own person, no user can act on those messages.
        """
        return self.persons.get(key.user)

    def _register(self):
        number = next(self.numbers)
        id, person = "device-%d" % number, "person-%d" % number
        self.persons[person] = None
        self.devices[id] = {"token": self._token(id), "person": person}
        self.books.count("devices registered")
        return 201, self._credential(id), None

    def _token(self, id):
        return "token-%d-of-%s" % (next(self.numbers), id)

    def _credential(self, id):
        return {"auth_token": self.devices[id]["token"], "device": {"vibes_device_id": id}}

    def expire_tokens(self):
        """Expires the token of every device."""
        for id in self.devices:
            self.devices[id]["token"] = self._token(id)

    def _device(self, token):
        id = token.rsplit("-of-", 1)[-1] if "-of-" in token else None
        return id if id in self.devices else None

    def _is_current(self, request, id):
        return request.headers.get("authorization") == "MobileAppToken " + self.devices[id]["token"]

    # A device

    def _of_device(self, request, id, rest, device, fault):
        if id not in self.devices:
            return 404, {}, None
        if device != id:
            self.books.finding("vibes: a request for %s carries the token of %s" % (id, device))
            return 401, {}, None
        if request.method == "PUT" and not rest:
            # The vendor also accepts an expired token for a renewal.
            self.devices[id]["token"] = self._token(id)
            self.books.count("tokens renewed")
            return 200, self._credential(id), None
        if fault == "auth":
            self.devices[id]["token"] = self._token(id)
        if not self._is_current(request, id):
            return 401, {}, None
        if request.method == "DELETE" and not rest:
            del self.devices[id]
            return 204, None, None
        if rest == ["assign"]:
            return self._assign(id, json.loads(request.body)["external_person_id"])
        if rest == ["person"]:
            return 200, self._person(self.devices[id]["person"]), None
        if rest == ["events"]:
            return self._events(id, request)
        return (200, {}, None) if rest in ([], ["push_registration"]) else (404, {}, None)

    def _person(self, key):
        person = {"person_key": key}
        if self.persons[key]:
            person["external_person_id"] = self.persons[key]
        return person

    def _assign(self, id, user):
        if user not in self.users:
            self.books.finding("vibes: the device is assigned to an unknown user %r" % user)
        present = self.persons[self.devices[id]["person"]]
        if present not in (None, user):
            self.books.finding("vibes: the device of %s is assigned to %s" % (present, user))
        known = [key for key, external in self.persons.items() if external == user]
        if known:
            self.devices[id]["person"] = known[0]
        else:
            self.persons[self.devices[id]["person"]] = user
        return 200, self._person(self.devices[id]["person"]), None

    # A person

    def _of_person(self, request, key, rest, device, fault):
        if device is None:
            return 401, {}, None
        if fault == "auth":
            self.devices[device]["token"] = self._token(device)
        if not self._is_current(request, device):
            return 401, {}, None
        if self.devices[device]["person"] != key:
            present = self.persons[self.devices[device]["person"]]
            former = self.persons.get(key)
            if former is not None and present is not None and former != present:
                self.books.finding("vibes: a request about %s with the device of %s" % (
                    former, present))
            return 403, {}, None
        if not rest:
            return 200, [self._message(id) for id in self._window(key)], None
        id = rest[0]
        if id not in self.served or not id.startswith("message.%s." % key):
            self.books.finding("vibes: a request about the foreign message %r" % id)
            return 404, {}, None
        if request.method == "PUT":
            self._put(key, id, json.loads(request.body))
        return 200, self._message(id), None

    def _window(self, key):
        gone = self.expired.setdefault(key, set())
        names = ("message.%s.%d" % (key, number) for number in itertools.count())
        ids = list(itertools.islice((name for name in names if name not in gone), MESSAGES))
        self.served.update(ids)
        return ids

    def _message(self, id):
        return {"message_uid": id, "content": "Text of " + id, "subject": "Message", "read": False,
                "created_at": "2026-01-01T00:00:00.000Z",
                "apprefdata": {"activityType": "Broadcast", "activityUid": "activity-" + id}}

    def _put(self, key, id, body):
        if body == {"read": True}:
            self.books.set(Key("vibes", key, "read", id), "read")
        elif set(body) == {"expires_at"}:
            self.expired.setdefault(key, set()).add(id)
            self.books.set(Key("vibes", key, "expire", id), body["expires_at"])
        else:
            self.books.finding("vibes: an altered body for %s: %.200r" % (id, body))

    # Events

    def _events(self, id, request):
        events = json.loads(request.body)["events"]
        types = {event["type"] for event in events}
        if types != {request.headers.get("x-event-type")}:
            self.books.finding("vibes: types %s under the header %s" % (
                sorted(types), request.headers.get("x-event-type")))
        person = self.devices[id]["person"]
        taken = []
        for event in events:
            if self.events.setdefault(event["uuid"], event) != event:
                self.books.finding("vibes: the event %s changed between attempts" % event["uuid"])
            if event["type"] != "inbox_open":
                continue
            target = event["attributes"].get("message_uid", "")
            if target not in self.served or not target.startswith("message.%s." % person):
                self.books.finding("vibes: %s opened the foreign message %r" % (person, target))
                continue
            taken.append((Key("vibes", person, "open", target), event))
        return 202, {}, self.books.parcel("vibes", person, request.name, taken) if taken else None
