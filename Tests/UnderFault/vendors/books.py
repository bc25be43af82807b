"""What the worker said it accepted, held against what the vendors saw happen."""

import collections
import json
import threading
import time

Key = collections.namedtuple("Key", "provider user verb target")


def key_of(provider, user, verb, target):
    """The key of an action. Vibes knows persons and no users; its messages name theirs."""
    return Key(provider, target.split(".")[1] if provider == "vibes" else user, verb, target)


class Parcel:
    """One request that brought events and had its effect."""

    def __init__(self, name, contents):
        self.name = name
        self.life, self.number = (int(part) for part in name.split("."))
        self.contents = contents
        self.at = time.monotonic_ns()
        # Whether the vendor's answer was kept from the client on purpose.
        self.lost = False


class Try:
    """One action of the worker."""

    def __init__(self, key, user):
        self.key, self.user = key, user
        self.accepted = False
        self.refused = None
        # When the worker knew that it was accepted, by the machine's monotonic clock.
        self.at = None


class Books:
    """Both sides of the account, and what was found on the way. Safe for many threads."""

    def __init__(self):
        self.lock = threading.RLock()
        self.findings = []
        self.tries = {}
        # (provider, user) -> parcels in the order of their effects
        self.parcels = collections.defaultdict(list)
        # Key -> what was set and when, of calls that are the same however often they are made
        self.sets = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.rejections = collections.Counter()
        # The names of requests whose answers the client did not wait for
        self.unheard = set()
        self.is_changing = False
        # Whose item an action of Vibes' is on; None for nobody's, on which it can have no effect.
        self.owner = lambda key: None

    def finding(self, text):
        with self.lock:
            if len(self.findings) < 100:
                self.findings.append(text)

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] += by

    def notes(self):
        """The counts that a summary tells."""
        with self.lock:
            counts = collections.Counter(
                accepted=sum(entry.accepted for entry in self.tries.values()),
                refused=sum(entry.refused is not None for entry in self.tries.values()),
                effects=sum(self.effects().values()), requests=self.counts["requests"],
                faults=sum(count for name, count in self.counts.items()
                           if name.startswith("fault ")))
            counts["refused with a device that changed hands"] = sum(self.rejections.values())
            counts["sent again where answers were lost"] = self.counts["sent again"]
            counts["cut off by a change of user"] = len(self.unheard)
            return counts

    # What the worker says

    def tried(self, number, provider, user, verb, target):
        with self.lock:
            self.tries[number] = Try(key_of(provider, user, verb, target), user)

    def accepted(self, number, at=None):
        with self.lock:
            self.tries[number].accepted = True
            self.tries[number].at = at

    def refused(self, number, code):
        with self.lock:
            self.tries[number].refused = code
            self.counts["refused " + code] += 1

    def rejected(self, key):
        """The application was told that an accepted action came to nothing."""
        with self.lock:
            self.rejections[key] += 1

    def changes(self, is_changing):
        """A user leaves for another, or has arrived."""
        with self.lock:
            self.is_changing = is_changing

    def abandoned(self, name):
        """The client cut a request off, as it may for nothing but a change of user in its way."""
        with self.lock:
            self.unheard.add(name)
            if not self.is_changing:
                self.finding("request %s was cut off for no change of user" % name)

    # What the vendors say

    def parcel(self, provider, user, name, events):
        """Takes note of events that had their effect; `events` are (Key, content) pairs."""
        parcel = Parcel(name, tuple(
            (key, json.dumps(content, sort_keys=True)) for key, content in events))
        with self.lock:
            self.parcels[provider, user].append(parcel)
        return parcel

    def set(self, key, value):
        with self.lock:
            self.sets[key].append((time.monotonic_ns(), value))

    # What must hold

    def effects(self, until=None):
        """How often each action had its effect, with what was justly sent again counted once."""
        effects = collections.Counter()
        for parcels in self.parcels.values():
            seen = set()
            for parcel in parcels:
                if until is None or parcel.at < until:
                    for event in parcel.contents:
                        if event not in seen:
                            seen.add(event)
                            effects[event[0]] += 1
        for key, values in self.sets.items():
            effects[key] = len({value for at, value in values if until is None or at < until})
        return effects

    def owed(self, until=None):
        """Per key how many actions were accepted, and how many may or may not have been."""
        accepted, unsure = collections.Counter(), collections.Counter()
        for entry in self.tries.values():
            if entry.accepted and (until is None or entry.at is None or entry.at < until):
                accepted[entry.key] += 1
            elif entry.refused is None:
                unsure[entry.key] += 1
        return accepted, unsure

    def verify(self, is_final):
        """Adds what is wrong to the findings. Final: nothing is pending any more."""
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
            for key, count in effects.items():
                if count > accepted[key] + unsure[key]:
                    self.finding("%d effects of %d accepted: %s" % (
                        count, accepted[key] + unsure[key], described(key)))
            if is_final:
                for key, count in accepted.items():
                    if key.provider == "vibes" and self.owner(key) is None:
                        continue
                    # A set value may be the same twice: the vendor cannot tell two reads apart.
                    least = 1 if key in self.sets else count
                    least -= self.rejections[key]
                    if effects[key] < least:
                        self.finding("LOST: %d effects of %d accepted: %s" % (
                            effects[key], count, described(key)))

    def _verify_parcels(self, provider, user, parcels):
        # As they were sent: a request that the client cut off may have its effect after the next.
        parcels = sorted(parcels, key=lambda parcel: (parcel.life, parcel.number))
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
                    # No two events are the same: the worker sees to that.
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

        Braze is told of a dismissal once. Killed after the answer was taken in and before the batch
        was ended, the client sends the batch again without those that the vendor is known to have.
        """
        for contents, index in latest.items():
            left = tuple(event for event in contents if event in now.contents)
            others = {event[0][::2] for event in contents if event not in now.contents}
            if left == now.contents and others == {("braze", "dismiss")}:
                if not self._is_unheard(parcels[index]):
                    return index
        return None

    def _is_unheard(self, parcel):
        """Whether the client cannot know of its answer."""
        return parcel.lost or parcel.name in self.unheard

    def _verify_repeat(self, provider, user, before, now, was_last_in_life):
        self.counts["sent again"] += 1
        if self._is_unheard(before):
            return
        # The answer came, unless the process was killed with it in flight.
        if now.life != before.life and was_last_in_life:
            return
        self.finding("sent again to %s although its answer had come (request %s, then %s): %s" % (
            provider, before.name, now.name,
            ", ".join(described(event[0]) for event in now.contents[:3])))


def described(key):
    return "%s %s of %s to %s" % (key.verb, key.target, key.user, key.provider)
