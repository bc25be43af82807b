"""The move of a fleet: plan, shadow, canary, ramp, back, and again to the end."""

import concurrent.futures
import pathlib
import random
import shutil
import sys
import tempfile
import time

from fleet.installation import Installation
from fleet.judge import PLANTS, Moment, effects, is_release, judge
from fleet.vendors import MISTAKEN, NEW, OLD, Vendors
from proof.scene import Failed

# Providers are compared once a minute at most.
EVERY = 61
CANARY, RAMP = 20, 60
SUPPRESSED, TAKES_BACK = 0.08, 0.05
LATE = 4
MOST_FINDINGS = 10
HELD_OUT = "held out, and all who have moved are well"
SILENT = "nothing is measured without consent"

PLAN = {
    "from": OLD, "to": NEW, "takesBack": True,
    "surfaces": [
        {"surface": "cards", "stages": ["shadow", {"canary": CANARY}, {"ramp": RAMP}, "cutover", "drain", "removed"]},
        {"surface": "push", "stages": [{"ramp": RAMP}, "cutover", "drain", "removed"]}],
    # Latencies on one machine tell nothing.
    "gates": {
        "shadow": {"comparisons": 1, "parityAge": "1h", "mismatches": 0.02, "untold": 0},
        "canary": {"requests": 1, "errors": 0.02, "latency": None, "undelivered": 0, "duplicates": 0, "untold": 0},
        "ramp": {"requests": 2, "errors": 0.02, "latency": None, "undelivered": 0, "duplicates": 0, "untold": 0},
        "cutover": {"requests": 1, "errors": 0.02, "latency": None, "undelivered": 0, "duplicates": 0, "untold": 0},
        "drain": {"pending": 0}}}


def fleet(engage, count, seed, jobs, plant):
    """What was done and counted, in words; `Failed` with what does not hold."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet-"))
    try:
        with Vendors(engage) as vendors:
            return Story(engage, folder, vendors, count, seed, jobs, plant).told()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Story:
    def __init__(self, engage, folder, vendors, count, seed, jobs, plant):
        self.vendors, self.jobs, self.plant = vendors, jobs, plant
        chance = random.Random(seed)
        order = list(range(count))
        chance.shuffle(order)
        silent = max(1, round(count * SUPPRESSED))
        self.all = [Installation(engage, folder, number, seed, vendors, number in order[:silent])
                    for number in range(count)]
        self.undecided = [self.all[number] for number in order[silent:silent + max(1, round(count * TAKES_BACK))]]
        self.shuffled = [self.all[number] for number in order]
        # The request before which a person without consent had it.
        self.told_until = {one.person: 0 for one in self.all if one.is_suppressed}
        self.moments = []
        self.began = time.monotonic()

    # The parts

    def told(self):
        self.each("set up", lambda one: one.set_up(PLAN))
        self.message("before the move", OLD)
        caught = self.shadow_with_mistakes()
        self.shadow()
        self.share()
        back = self.rise_of_errors()
        self.shadow(again=True)
        self.share()
        self.pushes()
        drained = self.finish()
        return self.judged(caught, back, drained)

    def shadow_with_mistakes(self):
        """The gate catches that the new vendor lists some contents otherwise."""
        for content in MISTAKEN:
            self.vendors.list_at_new(content, title="Ofer " + content)
        caught = []

        def compare(one):
            one.advance("cards", SILENT if one.is_suppressed else None)
            one.compare(EVERY)
            if one.is_suppressed:
                return
            one.must_stay("cards", "mismatches")
            caught.append(one)
            one.act(0.3)

        self.each("shadow, with mistakes", compare)
        self.each("back to off", lambda one: one.take_back("cards", "off", "contents differ"))
        for content in MISTAKEN:
            self.vendors.list_at_new(content)
        return len(caught)

    def shadow(self, again=False):
        """Both are compared, and agree. A comparison counts if it was made in this stage."""
        def compare(one):
            if not again:
                one.advance("cards", SILENT if one.is_suppressed else None)
            one.compare(EVERY)

        self.each("shadow", compare)

    def share(self):
        """Canary and ramp: those who have moved go on by their gates."""
        def canary(one):
            one.advance("cards", SILENT if one.is_suppressed else None)
            one.sync()
            one.act(0.4)

        def ramp(one):
            one.advance("cards", self.reason(one))
            one.sync()
            if one.shown == NEW:
                one.sync()
            one.act(0.4)

        self.each("canary", canary)
        self.canaries = self.moved
        self.each("ramp", ramp)
        if not self.canaries <= self.moved:
            raise Failed("people of the canary are not in the ramp: %s" % sorted(self.canaries - self.moved))

    def rise_of_errors(self):
        """The new vendor fails. Who has moved goes back without being asked; the others are taken back."""
        moved = [one for one in self.all if one.person in self.moved]
        self.vendors.refuse(NEW, "GET", "/env/feed")

        def suffer(one):
            one.sync()
            status = one.status("cards")
            step = status["steps"][-1]
            if status["stage"] != "shadow" or "by" in step or not step["why"].startswith("errors is"):
                raise Failed("%s is at %s though the new vendor fails: %s" % (one.person, status["stage"], step))
            one.shown = OLD

        self.each("a rise of errors", suffer, moved)
        self.vendors.mend()
        self.each("back to shadow", lambda one: one.take_back("cards", "shadow", "errors"),
                  [one for one in self.all if one not in moved])
        self.each("the screens", Installation.screen)
        if self.plant == "twice":
            self.vendors.take_twice(OLD, "/api/v3/data")
        self.each("actions", lambda one: one.act(0.3))
        self.vendors.mend()
        return len(moved)

    def pushes(self):
        self.message("while cards are shared out", OLD)

        def ramp(one):
            if one in self.undecided:
                one.take_back_consent()
            one.advance("push", SILENT if one.is_suppressed else None)

        self.each("pushes are shared out", ramp)
        # The last that vendors are told of them is that they let go of the token.
        releases = {user: number for number, vendor, name, subject, user in effects(self.vendors.requests)
                    if is_release(vendor, name, subject)}
        for one in self.undecided:
            self.told_until[one.person] = releases[one.person]
        self.message("while pushes are shared out")

    def late_actions(self):
        """A few act on cards of the old vendor, which does not answer. Drain waits for what they did."""
        late = [one for one in self.shuffled if one.shown == OLD and not one.is_suppressed][:LATE]
        self.vendors.refuse(OLD, "POST", "/api/v3/data")

        def go(one):
            one.act()
            self.cut_over(one)
            one.advance("cards")
            one.must_stay("cards", "pending")

        self.each("late actions", go, late)
        self.vendors.mend()
        self.each("they arrive", Installation.sync, late)
        return late

    def cut_over(self, one):
        one.advance("cards", self.reason(one))
        one.sync()
        one.act(0.4)

    def finish(self):
        """Cutover, drain, and the end of the old vendor."""
        late = self.late_actions()
        others = [one for one in self.all if one not in late]
        self.each("cutover", self.cut_over, others)
        self.each("drain", lambda one: one.advance("cards", SILENT if one.is_suppressed else None), others)
        self.each("the screens", Installation.screen)
        self.each("cutover of pushes", lambda one: one.advance("push", SILENT if one.is_suppressed else None))
        self.message("after the cutover of pushes", NEW)

        def alone(one):
            """The old vendor leaves the application."""
            for surface in ["push", "cards", "push"]:
                one.advance(surface, SILENT if one.is_suppressed else None)
            one.configure([NEW])
            one.sync()
            one.act(0.5)
            one.screen()

        self.each("removed, and the end", alone)
        self.message("at the end", NEW)
        return len(late)

    # Means

    def each(self, name, work, installations=None):
        """Does the work in every installation, some at a time."""
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            try:
                for _ in pool.map(work, self.all if installations is None else installations):
                    pass
            finally:
                pool.shutdown(cancel_futures=True)
        print("%-28s %6.1f s" % (name, time.monotonic() - start), file=sys.stderr, flush=True)

    def message(self, name, owner=None):
        self.moments.append(Moment(
            name, self.vendors.requests[-1]["number"],
            frozenset(one.person for one in self.all if one.is_suppressed), owner))

    @property
    def moved(self):
        return {one.person for one in self.all if one.shown == NEW and not one.is_suppressed}

    def reason(self, one):
        """Why a step is forced; nil for those whose gates decide."""
        if one.is_suppressed:
            return SILENT
        return None if one.shown == NEW else HELD_OUT

    def judged(self, caught, back, drained):
        requests = self.vendors.requests
        if self.plant:
            requests = PLANTS[self.plant](requests, min(self.told_until))
        findings, sentences = judge(requests, self.all, self.moments, self.told_until)
        if findings:
            raise Failed("%d findings\n  %s" % (len(findings), "\n  ".join(findings[:MOST_FINDINGS])))
        steps = {name: sum(one.steps[name] for one in self.all) for name in ("gates", "forced")}
        return [
            "%d installations moved in %.0f s, with %d requests to the vendors" % (
                len(self.all), time.monotonic() - self.began, len(requests)),
            "%d steps by gates that held, %d with a reason: held out, or without consent" % (
                steps["gates"], steps["forced"]),
            "%d installations stayed at shadow because of %d contents that differed" % (caught, len(MISTAKEN)),
            "%d went back to shadow by themselves when the new vendor failed, with the screen they had" % back,
            "%d installations waited in drain for actions that the old vendor did not take at first" % drained,
            *sentences]
