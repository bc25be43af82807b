"""One installation: a folder with its configuration, its cache and its person, in which `engage` runs."""

import base64
import json
import math
import os
import random
import subprocess
import time

from fleet.vendors import CONTENTS, NEW, OLD, item
from proof.scene import Failed

# A command that takes longer hangs.
LIMIT = 60
BY = ["--by", "fleet"]


class Installation:
    def __init__(self, engage, folder, number, seed, vendors, is_suppressed):
        self.engage, self.vendors = str(engage), vendors
        self.person = "person-%03d" % number
        self.folder = folder / self.person
        self.random = random.Random("%d/%d" % (seed, number))
        self.is_suppressed = is_suppressed
        # Whose cards are shown, by the last refresh.
        self.shown = OLD
        # When both vendors were compared last, by the machine's clock.
        self.compared = -math.inf
        # What the person has done: (vendor, verb, item).
        self.done = set()
        self.dismissed = set()
        self.steps = {"gates": 0, "forced": 0}

    # Commands

    def run(self, *words, status=(0,)):
        """The status, the output and the complaints of a command line."""
        try:
            ran = subprocess.run([self.engage, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Failed("%s: engage %s hangs" % (self.person, " ".join(words))) from None
        if ran.returncode not in status:
            raise Failed("%s: engage %s ended with %d: %s%s" % (
                self.person, " ".join(words), ran.returncode, ran.stdout[-300:], ran.stderr[-300:]))
        return ran.returncode, ran.stdout, ran.stderr

    def lines(self, *words, status=(0,)):
        return [json.loads(line) for line in self.run(*words, "--json", status=status)[1].splitlines()]

    # The beginning

    def set_up(self, plan):
        self.folder.mkdir()
        (self.folder / "plan.json").write_text(json.dumps(plan))
        self.write("token", "push-token-of-" + self.person)
        self.write("jwt", signed(self.person))
        self.configure([OLD, NEW])
        if self.is_suppressed:
            self.run("consent", "set", "denied")
        # What a suppressed person's application tries all the same.
        self.run("sync", status=(1,) if self.is_suppressed else (0,))
        self.run("push", "register", "--service", "fcm", "--token-file", "token",
                 status=(1,) if self.is_suppressed else (0,))
        self.run("migrate", "plan", "--file", "plan.json")

    def configure(self, vendors):
        endpoints = self.vendors.endpoints
        known = {
            OLD: {"vendor": OLD, "endpoint": endpoints[OLD], "apiKey": "demo"},
            NEW: {"vendor": NEW, "endpoint": endpoints[NEW], "environmentID": "env", "apiKey": "demo",
                  "token": {"file": "jwt"}}}
        places = {OLD: {"extra": "slot", "is": "home"}, NEW: "demo"}
        document = {
            "user": self.person, "cache": "cache.sqlite",
            "providers": {name: {**known[name], "contentKey": {"extra": "content"}} for name in vendors},
            "containers": {"home": {name: places[name] for name in vendors}}}
        if not self.is_suppressed:
            document["consent"] = "full"
        if OLD in vendors:
            document["routes"] = {"cards": {"only": OLD}, "push": {"only": OLD}}
        self.write("engage.json", json.dumps(document))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        os.chmod(path, 0o600)

    # What the person does

    def sync(self):
        """Refreshes, and looks whose cards are shown."""
        status, output, notes = self.run("sync", "--json", status=(0, 1))
        told = json.loads(output.splitlines()[0])
        if status and not self.is_suppressed and told.get("error") not in ("server", "unavailable"):
            raise Failed("%s: sync: %s %s" % (self.person, told, notes))
        self.shown = told["provider"]

    def compare(self, every):
        """Refreshes when both vendors may be compared again."""
        time.sleep(max(0.0, self.compared + every - time.monotonic()))
        self.sync()
        self.compared = time.monotonic()

    def act(self, chance=1.0):
        """Sees or dismisses a card that is shown, at most once each."""
        fresh = [content for content in CONTENTS if not self.has_touched(content)]
        if self.is_suppressed or not fresh or self.random.random() >= chance:
            return
        content = self.random.choice(fresh)
        verb = self.random.choice(["dismiss", "impression"] if self.shown == OLD else ["dismiss"])
        card = item(self.shown, content)
        _, output, _ = self.run("cards", verb, card)
        if "delivered" not in output and "pending" not in output:
            raise Failed("%s: %s of %s is not accepted: %s" % (self.person, verb, card, output))
        self.done.add((self.shown, verb, card))
        if verb == "dismiss":
            self.dismissed.add(content)

    def has_touched(self, content):
        return any(card.endswith("-" + content) for _, _, card in self.done)

    def take_back_consent(self):
        """No more consent, and the push token is taken back, which is allowed."""
        self.run("consent", "set", "denied")
        self.run("push", "unregister")
        self.is_suppressed = True

    def screen(self):
        """The contents that are shown are all that the person has not dismissed, each once, of one vendor."""
        if self.is_suppressed:
            return
        cards = [card["id"] for card in self.lines("cards") if "id" in card]
        wanted = sorted(item(self.shown, content) for content in CONTENTS if content not in self.dismissed)
        if sorted(cards) != wanted:
            raise Failed("%s sees %s too many and %s too few" % (
                self.person, sorted(set(cards) - set(wanted)), sorted(set(wanted) - set(cards))))

    # Steps

    def advance(self, surface, why=None):
        """One stage on: by the gates, or with a reason although they do not hold."""
        if why is None:
            self.run("migrate", "advance", surface, *BY)
            self.steps["gates"] += 1
        else:
            self.run("migrate", "advance", surface, "--force", "--why", why, *BY)
            self.steps["forced"] += 1

    def must_stay(self, surface, figure):
        """A step is refused because of that figure."""
        status, output, notes = self.run("migrate", "advance", surface, *BY, status=(0, 1))
        if status != 1 or "[conflict]" not in notes or figure + " is" not in notes:
            raise Failed("%s: a step of %s should be refused because of %s: %s%s" % (
                self.person, surface, figure, output, notes))

    def take_back(self, surface, stage, why):
        self.run("migrate", "rollback", surface, "--to", stage, "--why", why, *BY)

    def status(self, surface):
        return next(status for status in self.lines("migrate", "status", status=(0, 1))
                    if status["surface"] == surface)


def signed(person):
    """A token as the application's own server would issue it."""
    parts = [{"alg": "none"}, {"sub": person, "jti": "of-" + person, "exp": int(time.time()) + 86_400}]
    texts = [json.dumps(part).encode() for part in parts] + [b"signature"]
    return ".".join(base64.urlsafe_b64encode(text).decode().rstrip("=") for text in texts)
