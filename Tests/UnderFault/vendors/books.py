"""Compares the worker's accepted actions with the vendors' effects."""

import collections
import json
import threading
import time

Key = collections.namedtuple("Key", "provider user verb target")
# The verbs of events, which are told apart by their numbers: those of the application, and those
# that its extension leaves in the journal, which may arrive later than younger ones.
NUMBERED = ("track", "leave")


def key_of(provider, user, verb, target):
    """The key of an action. Vibes has persons and no users; a message's id names its person."""
    return Key(provider, target.split(".")[1] if provider == "vibes" else user, verb, target)


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
    """One action of the worker."""

    def __init__(self, key, user):
        self.key, self.user = key, user
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
            return counts

    # The worker's lines

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
        """The numbers of accepted and of uncertain actions by key."""
        accepted, unsure = collections.Counter(), collections.Counter()
        for entry in self.tries.values():
            if entry.accepted and (until is None or entry.at is None or entry.at < until):
                accepted[entry.key] += 1
            elif entry.refused is None:
                unsure[entry.key] += 1
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
                    if effects[key] < least:
                        self.finding("LOST: %d effects of %d accepted: %s" % (
                            effects[key], count, described(key)))

    def _verify_parcels(self, provider, user, parcels):
        # In the order of sending: a cancelled request may take effect after the next one.
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


def described(key):
    return "%s %s of %s to %s" % (key.verb, key.target, key.user, key.provider)
