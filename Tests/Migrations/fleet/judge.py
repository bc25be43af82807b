"""What the vendors' records say of the move, beside what the people did."""

import collections
import copy

from fleet.vendors import NEW, OLD

# The effects of actions, by vendor and name.
ACTIONS = {(OLD, "ccd"): "dismiss", (OLD, "cci"): "impression", (NEW, "card-dismissed"): "dismiss"}
# What a person may still have sent for them after taking consent back: that the vendor lets go of the token.
RELEASES = {(OLD, "push_token", "none"), (NEW, "deregister-token", None)}


def effects(requests):
    """Each effect with its request."""
    for request in requests:
        for effect in request["effects"]:
            yield request["number"], request["vendor"], effect["name"], effect["subject"], effect["user"]


def is_release(vendor, name, subject):
    return (vendor, name, subject) in RELEASES or (vendor, name, None) in RELEASES


def owners(requests, last):
    """The vendors that have each person's push token after the request of that number."""
    held = collections.defaultdict(set)
    for number, vendor, name, subject, user in effects(requests):
        if number > last:
            break
        if is_release(vendor, name, subject):
            held[user].discard(vendor)
        elif name in ("push_token", "register"):
            held[user].add(vendor)
    return held


class Moment:
    """A marketer at both vendors sends one message to everybody whose token they have."""

    def __init__(self, name, number, suppressed, owner=None):
        self.name, self.number, self.suppressed = name, number, suppressed
        # Who alone may have tokens; None while people are shared out.
        self.owner = owner


def judge(requests, installations, moments, told_until):
    """The findings, and the sentences of what was counted."""
    findings, sentences = [], []
    for part in (notifications(requests, installations, moments), actions(requests, installations),
                 silence(requests, installations, told_until)):
        findings += part[0]
        sentences.append(part[1])
    return findings, sentences


def notifications(requests, installations, moments):
    findings, count = [], collections.Counter()
    for moment in moments:
        held = owners(requests, moment.number)
        for one in installations:
            vendors = held[one.person]
            count.update(vendors)
            if one.person in moment.suppressed:
                if vendors:
                    findings.append("%s has no consent and is notified by %s %s" % (
                        one.person, " and ".join(sorted(vendors)), moment.name))
            elif len(vendors) != 1:
                findings.append("%s is notified %d times %s" % (one.person, len(vendors), moment.name))
            elif moment.owner and vendors != {moment.owner}:
                findings.append("%s is notified by %s %s" % (one.person, *vendors, moment.name))
    return findings, "%d messages to everybody: %d notifications by %s and %d by %s, one for each with consent" % (
        len(moments), count[OLD], OLD, count[NEW], NEW)


def actions(requests, installations):
    arrived = collections.Counter(
        (user, vendor, ACTIONS[vendor, name], subject) for _, vendor, name, subject, user in effects(requests)
        if (vendor, name) in ACTIONS)
    findings, count = [], collections.Counter()
    for one in installations:
        for vendor, verb, card in one.done:
            times = arrived.pop((one.person, vendor, verb, card), 0)
            count[vendor] += 1
            if times != 1:
                findings.append("%s of %s by %s arrived %d times" % (verb, card, one.person, times))
    findings += ["%s has %s of %s by %s, which was not done" % (vendor, verb, card, user)
                 for user, vendor, verb, card in arrived]
    return findings, "%d actions at %s and %d at %s, each there once and at no other vendor" % (
        count[OLD], OLD, count[NEW], NEW)


def silence(requests, installations, told_until):
    """Nothing of a person without consent, but what they take back.

    `told_until` has the request before which each of them had consent; 0 for never."""
    findings = []
    for number, vendor, name, subject, user in effects(requests):
        if number > told_until.get(user, number) and not is_release(vendor, name, subject):
            findings.append("%s is told %s of %s, who has no consent" % (vendor, name, user))
    for request in requests:
        named = next((word for word in request["summary"].rstrip(":").replace(":", "").split()
                      if word in told_until), None)
        released = any(is_release(request["vendor"], effect["name"], effect["subject"])
                       for effect in request["effects"])
        if named and request["number"] > told_until[named] and not released:
            findings.append("%s is asked for %s, who has no consent" % (request["vendor"], named))
    never = sum(1 for until in told_until.values() if until == 0)
    return findings, "%d people without consent never told, %d told of nothing since they took it back" % (
        never, len(told_until) - never)


# Faults that have to be noticed


def without(requests, matches):
    """The record without the first effect that matches."""
    requests = copy.deepcopy(requests)
    for request in requests:
        for effect in request["effects"]:
            if matches(request["vendor"], effect):
                request["effects"].remove(effect)
                return requests
    raise LookupError("the record has nothing to leave out")


def with_one_more(requests, person):
    requests = copy.deepcopy(requests)
    requests[-1]["effects"].append({"name": "register", "subject": "device", "user": person})
    return requests


# What is done to the record, or to the vendor, by the name of the option.
PLANTS = {
    "registration": lambda requests, _: without(
        requests, lambda vendor, effect: vendor == NEW and effect["name"] == "register"),
    "unregistration": lambda requests, _: without(
        requests, lambda vendor, effect: is_release(vendor, effect["name"], effect["subject"])),
    "suppressed": lambda requests, suppressed: with_one_more(requests, suppressed),
    "lost": lambda requests, _: without(
        requests, lambda vendor, effect: (vendor, effect["name"]) in ACTIONS),
    # The vendor itself gets a request twice: see the story.
    "twice": lambda requests, _: requests,
}
