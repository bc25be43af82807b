"""Compares the worker's accepted actions with the vendors' effects."""

import collections
import json
import math
import threading
import time

from vendors.routes import Routes

Key = collections.namedtuple("Key", "provider user verb target")
# The verbs of events, which are told apart by their numbers: those of the application, and those
# that its extension leaves in the journal, which may arrive later than younger ones.
# In `visit` nobody is signed in yet, and the next user takes it over. `allowed` and `forbidden` are by the
# undecided user, whose consent allows the first and not the second.
NUMBERED = ("track", "leave", "visit", "allowed", "forbidden")
ANONYMOUS = "anonymous"


def key_of(provider, user, verb, target):
    """The key of an action. Vibes has persons and no users; a message's id names its person."""
    return Key(provider, target.split(".")[1] if provider == "vibes" else user, verb, target)


# The time for which a message of a live channel may be on the way. It may reach the application after the answer
# to a later request, so that an older version of an item, or one that the user has removed, is there for a moment.
ON_THE_WAY = 5
# What was on the way when the vendor ended its item is in the cache over kills, until the application has taken
# in the next full list. A kill may come before it has, so that one list is not enough.
LISTS = 3
# The numbers of the actions in one life of the worker.
NUMBERS = 10_000


def row_key(row):
    """The key of a row that waits in a cache. A visit stays one when a user has taken it over."""
    verb = row["verb"]
    # An event with an unknown name has a number as well; no such key was ever accepted.
    return key_of(row["provider"], ANONYMOUS if verb == "visit" else row["user"], verb,
                  row["target"] if "target" in row else row["n"])


class Parcel:
    """One request with events that had its effect."""

    def __init__(self, name, contents):
        self.name = name
        self.life, self.number = (int(part) for part in name.split("."))
        self.contents = contents
        self.at = time.monotonic_ns()
        # Whether a fault kept the vendor's answer from the client.
        self.lost = False


class Try:
    """One action of the worker. An event is owed to each vendor that takes it."""

    def __init__(self, key, user, vendors):
        self.key, self.user = key, user
        self.keys = [key] + [key._replace(provider=vendor) for vendor in vendors]
        self.accepted = False
        self.refused = None
        # The time of the acceptance, by the machine's monotonic clock.
        self.at = None


class Books:
    """The accepted actions, the vendors' effects and the findings. Safe for many threads."""

    def __init__(self):
        self.lock = threading.RLock()
        self.findings = []
        self.tries = {}
        # (provider, user) -> parcels in the order of their effects
        self.parcels = collections.defaultdict(list)
        # Key -> (time, value), for idempotent calls
        self.sets = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.rejections = collections.Counter()
        # The names of requests whose answers the client did not wait for
        self.unheard = set()
        self.is_changing = False
        # The owner of a Vibes action's item; without one (None) the action has no effect.
        self.owner = lambda key: None
        self.people = People(self)
        self.routes = Routes(self)
        # What the worker says of campaigns, where it has any.
        self.offers = None
        # The vendors beside the first that get the events of a signed-in user.
        self.also = []

    def finding(self, text):
        with self.lock:
            if len(self.findings) < 100:
                self.findings.append(text)

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] += by

    def notes(self):
        """The counts of the summary."""
        with self.lock:
            counts = collections.Counter(
                accepted=sum(entry.accepted for entry in self.tries.values()),
                refused=sum(entry.refused is not None for entry in self.tries.values()),
                effects=sum(self.effects().values()), requests=self.counts["requests"],
                faults=sum(count for name, count in self.counts.items()
                           if name.startswith("fault ")))
            counts["refused by a server"] = sum(self.rejections.values())
            counts["sent again where answers were lost"] = self.counts["sent again"]
            counts["cut off by a change of user"] = len(self.unheard)
            for name in ("presentations", "presentations recorded", "files fetched",
                         "sockets authenticated", "live updates", "sockets ended by the vendor"):
                if self.counts[name]:
                    counts[name] = self.counts[name]
            for name in ("changes of user", "consents set", "users erased", "routes set", "migration steps",
                         "lists looked at"):
                counts[name] = self.counts[name]
            return counts

    # The worker's lines

    def tried(self, number, provider, user, verb, target):
        with self.lock:
            vendors = self.also if verb in NUMBERED and verb != "visit" else []
            self.tries[number] = Try(key_of(provider, user, verb, target), user, vendors)
            if verb == "visit":
                self.people.visits[number] = set()

    def accepted(self, number, at=None):
        with self.lock:
            self.tries[number].accepted = True
            self.tries[number].at = at

    def refused(self, number, code):
        with self.lock:
            self.tries[number].refused = code
            self.counts["refused " + code] += 1

    def rejected(self, key):
        """The library reported an accepted action as rejected."""
        with self.lock:
            self.rejections[key] += 1

    def changes(self, is_changing):
        """A change of user begins or ends."""
        with self.lock:
            self.is_changing = is_changing

    def abandoned(self, name):
        """The client cancelled a request: it may do so during a change of user and at its end."""
        with self.lock:
            self.unheard.add(name)
            if not self.is_changing:
                self.finding("request %s was cancelled without a change of user" % name)

    # The vendors' effects

    def parcel(self, provider, user, name, events):
        """Records events that had their effect; `events` are (Key, content) pairs."""
        parcel = Parcel(name, tuple(
            (key, json.dumps(content, sort_keys=True)) for key, content in events))
        with self.lock:
            self.parcels[provider, user].append(parcel)
        return parcel

    def set(self, key, value):
        with self.lock:
            self.sets[key].append((time.monotonic_ns(), value))

    # Checks

    def effects(self, until=None):
        """The number of effects of each action. Copies of one event count once."""
        effects = collections.Counter()
        visits = set()
        for parcels in self.parcels.values():
            seen = visits.copy()
            for parcel in parcels:
                if until is None or parcel.at < until:
                    for event in parcel.contents:
                        if event not in seen:
                            seen.add(event)
                            effects[event[0]] += 1
                            if event[0].verb == "visit":
                                visits.add(event)
        for key, values in self.sets.items():
            effects[key] = len({value for at, value in values if until is None or at < until})
        return effects

    def owed(self, until=None):
        """The numbers of accepted and of uncertain actions by key."""
        accepted, unsure = collections.Counter(), collections.Counter()
        for entry in self.tries.values():
            if entry.accepted and (until is None or entry.at is None or entry.at < until):
                accepted.update(entry.keys)
            elif entry.refused is None:
                unsure.update(entry.keys)
        return accepted, unsure

    def verify(self, is_final):
        """Adds faults to the findings. `is_final` means that no row is pending."""
        with self.lock:
            for (provider, user), parcels in self.parcels.items():
                self._verify_parcels(provider, user, parcels)
            for entry in self.tries.values():
                owner = self.owner(entry.key) if entry.key.provider == "vibes" else None
                if owner not in (None, entry.user):
                    self.finding("%s acted on an item of %s: %s" % (
                        entry.user, owner, described(entry.key)))
            accepted, unsure = self.owed()
            effects = self.effects()
            self.people.verify()
            for key, count in effects.items():
                if count > accepted[key] + unsure[key]:
                    self.finding("%d effects of %d accepted: %s" % (
                        count, accepted[key] + unsure[key], described(key)))
            if is_final:
                for key, count in accepted.items():
                    if key.provider == "vibes" and self.owner(key) is None:
                        continue
                    # The vendor cannot tell two reads apart, so a repeated value counts once.
                    least = 1 if key in self.sets else count
                    least -= self.rejections[key]
                    if key.verb in ("allowed", "forbidden"):
                        # Withdrawn consent and an erasure drop what waits.
                        least = 0
                    if effects[key] < least:
                        self.finding("LOST: %d effects of %d accepted: %s" % (
                            effects[key], count, described(key)))

    def _verify_parcels(self, provider, user, parcels):
        # In the order of sending: a cancelled request may take effect after the next one.
        parcels = sorted(parcels, key=sent_at)
        home, latest, last_number = {}, {}, 0
        newest_in_life = {}
        for index, parcel in enumerate(parcels):
            newest_in_life[parcel.life] = index
        for index, parcel in enumerate(parcels):
            again = latest.get(parcel.contents)
            if again is None:
                again = self._before_dismissals(parcel, parcels, latest)
            latest[parcel.contents] = index
            if again is not None:
                self._verify_repeat(provider, user, parcels[again], parcel,
                                    newest_in_life[parcels[again].life] == again)
                continue
            for event in parcel.contents:
                if event in home:
                    # The worker never makes two equal events.
                    self.finding("a batch of %s changed between attempts: %s, in life %d among %d, "
                                 "in life %d among %d" % (
                                     provider, described(event[0]), home[event].life,
                                     len(home[event].contents), parcel.life, len(parcel.contents)))
                home[event] = parcel
                if event[0].verb == "track":
                    if event[0].target < last_number:
                        self.finding("order: %s arrived after number %d" % (
                            described(event[0]), last_number))
                    last_number = max(last_number, event[0].target)

    def _before_dismissals(self, now, parcels, latest):
        """The index of the attempt that this one repeats without its dismissals, if there is one.

        The client reports a dismissal to Braze once. If it is killed after it has stored the answer
        and before it has ended the batch, it sends the batch again without those dismissals.
        """
        for contents, index in latest.items():
            left = tuple(event for event in contents if event in now.contents)
            others = {event[0][::2] for event in contents if event not in now.contents}
            if left == now.contents and others == {("braze", "dismiss")}:
                if not self._is_unheard(parcels[index]):
                    return index
        return None

    def _is_unheard(self, parcel):
        """Whether the client cannot know the answer."""
        return parcel.lost or parcel.name in self.unheard

    def _verify_repeat(self, provider, user, before, now, was_last_in_life):
        self.counts["sent again"] += 1
        if self._is_unheard(before):
            return
        # The answer arrived unless the process was killed before.
        if now.life != before.life and was_last_in_life:
            return
        self.finding("sent again to %s despite an answer (request %s, then %s): %s" % (
            provider, before.name, now.name,
            ", ".join(described(event[0]) for event in now.contents[:3])))


class People:
    """What the worker says of users: who is present, what is shown, and what the undecided one allows.

    A change may have taken place or not if the worker was killed before it said so."""

    def __init__(self, books):
        self.books = books
        self.present = {ANONYMOUS}
        # Number of a visit -> the users who may have taken it over; as a tuple once that is known.
        self.visits = {}
        self.consents = {"unknown"}
        # What was shown last, if the user has not changed since.
        self.last = None
        # Key of an accepted removal -> the user to whom its item is shown nevertheless.
        self.again = {}
        # Number of an event -> the life in which its user was erased.
        self.erased = {}
        # The items that their vendor took back by itself.
        self.withdrawn = set()
        # Id of an item, and with its version -> when a live channel last told of it, and how many full lists
        # its user had got by then
        self.told = {}
        # User -> the full lists of items with a live channel that were answered
        self.lists = collections.Counter()
        # Id of an item with a live channel -> when its vendor ended it
        self.ended = {}
        # Id of an item -> the newest version that was shown
        self.versions = {}

    def changing(self, user):
        self.present.add(user)
        self.last = None
        if user != ANONYMOUS:
            for takers in self.visits.values():
                if isinstance(takers, set):
                    takers.add(user)

    def changed(self, user):
        self.books.count("changes of user")
        self.present = {user}
        if user != ANONYMOUS:
            self.visits = {number: tuple(takers) for number, takers in self.visits.items()}

    def consent(self, word, consent):
        if word == "try":
            self.consents.add(consent)
            return
        if word == "found" and consent not in self.consents:
            self.books.finding("consent is %s, and may be %s" % (consent, sorted(self.consents)))
        if word == "set":
            self.books.count("consents set")
        self.consents = {consent}

    def erasing(self, is_done):
        if not is_done:
            self.consents.add("unknown")
            return
        self.books.count("users erased")
        self.consents = {"unknown"}
        life = max(self.books.tries, default=0) // NUMBERS
        for number, entry in self.books.tries.items():
            if entry.key.verb in ("allowed", "forbidden"):
                self.erased.setdefault(number, life)

    def shown(self, user, texts):
        """The ids of all that is shown; behind an `@` the version of an item that has one."""
        self.books.count("lists looked at")
        ids = {text.partition("@")[0] for text in texts}
        self.books.routes.shown(ids)
        for text in texts:
            id, _, version = text.partition("@")
            is_older = version and int(version) < self.versions.get(id, 0)
            if is_older and not self._may_be_on_the_way(text):
                self.books.finding("%s is shown in version %s after version %d" % (
                    id, version, self.versions[id]))
            if version:
                self.versions[id] = int(version)
        if user not in self.present:
            self.books.finding("the user is %s, and may be %s" % (user, sorted(self.present)))
        gone, leaving = self._removed()
        for id in sorted(ids):
            if id in gone and not self._may_be_on_the_way(id) and not self._may_be_kept(id):
                self.again.setdefault(gone[id], (user, self._lists_since(id)))
            if self._owner(id) not in (None, user):
                self.books.finding("%s is shown to %s" % (id, user))
        if self.last and self.last[0] == user:
            for id in sorted(self.last[1] - ids - leaving):
                if self._owner(id) is not None:
                    self.books.finding("%s is no longer shown to %s" % (id, user))
        self.last = (user, ids)

    def tell(self, text):
        """Notes that a live channel tells of an item."""
        self.told[text] = time.monotonic(), self.lists[text.split(".")[1]]

    def _may_be_on_the_way(self, text):
        at, _ = self.told.get(text, (-math.inf, 0))
        return time.monotonic() - at < ON_THE_WAY

    def _may_be_kept(self, id):
        """Whether the cache may have the item from a message that was on the way when the item ended."""
        at, _ = self.told.get(id, (-math.inf, 0))
        return at > self.ended.get(id, math.inf) - ON_THE_WAY and self._lists_since(id) < LISTS

    def _lists_since(self, id):
        """The full lists that were answered since a live channel last told of the item."""
        _, lists = self.told.get(id, (0, 0))
        return self.lists[id.split(".")[1]] - lists

    def _owner(self, id):
        kind, owner, _ = id.split(".")
        return owner if kind in ("card", "action") else self.books.owner(Key("vibes", owner, "read", id))

    def _removed(self):
        """The items that were dismissed or ended, and those that may be gone."""
        gone, leaving = {}, set(self.withdrawn)
        for entry in self.books.tries.values():
            if entry.key.verb in ("dismiss", "expire", "submit", "snooze"):
                leaving.add(entry.key.target)
                if entry.accepted and entry.key.verb != "snooze":
                    gone[entry.key.target] = entry.key
        return gone, leaving

    def verify(self):
        """Adds findings about events that left as a wrong user, against consent or after an erasure."""
        visits = collections.defaultdict(list)
        for (_, user), parcels in self.books.parcels.items():
            last = {parcel.life: parcel for parcel in sorted(parcels, key=sent_at)}
            for parcel in parcels:
                for key, _ in parcel.contents:
                    if key.verb == "visit":
                        visits[key].append((user, parcel, last[parcel.life] is parcel))
                    elif key.verb == "forbidden":
                        self.books.finding("sent without consent: %s" % described(key))
                    elif key.verb == "allowed" and self.erased.get(
                            key.target, parcel.life) < parcel.life:
                        self.books.finding("sent after its user was erased: %s" % described(key))
        for key, (user, lists) in self.again.items():
            # An item whose removal the vendor refuses is shown again.
            if not self.books.rejections[key]:
                self.books.finding("%s is shown to %s again, after %d full lists" % (key.target, user, lists))
        for key, sent in visits.items():
            self._verify_visit(key, sorted(sent, key=lambda each: sent_at(each[1])))

    def _verify_visit(self, key, sent):
        for user, _, _ in sent:
            if user is not None and user not in self.visits[key.target]:
                self.books.finding("%s took over %s, and not %s" % (
                    user, described(key), self.visits[key.target]))
        for (user, before, was_last), (next_user, now, _) in zip(sent, sent[1:]):
            is_known = now.life == before.life or not was_last
            if user != next_user and is_known and not self.books._is_unheard(before):
                self.books.finding("sent as %s despite an answer as %s: %s" % (
                    next_user, user, described(key)))


def sent_at(parcel):
    return parcel.life, parcel.number


def described(key):
    return "%s %s of %s to %s" % (key.verb, key.target, key.user, key.provider)
