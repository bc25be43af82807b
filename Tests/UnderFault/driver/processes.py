"""Several processes of `engage` over one cache: they act, watch, sign in, erase, are stopped and killed.

The emulator's record of effects is compared with what the commands said. Braze removes no duplicates,
so what a killed command has sent may arrive twice."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request

from driver.report import Outcome, Report
from driver.strace import Scratch
from driver import stopping

ROUNDS = 50
USERS = ["ann", "bob", "cor"]
# A command that takes longer hangs.
LIMIT = 60
# No command waits longer for the last deliveries.
LAST = 90


def processes(engage, rounds, seed, jobs=2):
    report = Report("processes", seed, ["run", "processes", "--rounds", str(rounds), "--seed",
                                        str(seed)])
    parts = [(engage, seed, number, min(ROUNDS, rounds - number * ROUNDS))
             for number in range((rounds + ROUNDS - 1) // ROUNDS)]
    report.gather(part, parts, jobs)
    return report


def part(engage, seed, number, rounds):
    outcome = Outcome("part %d" % number)
    with Scratch() as folder, Emulator(engage, folder) as emulator:
        scene = Scene(engage, folder, emulator, random.Random("%d/%d" % (seed, number)), outcome)
        for _ in range(rounds):
            scene.round()
            outcome.trial()
        scene.end()
    return outcome


class Emulator:
    """The vendors' servers in a process of their own, which nothing disturbs."""

    def __init__(self, engage, folder):
        self.engage, self.folder = engage, folder

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.engage, "emulate", "--port", "0", "--json", "--quiet"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        stopping.GROUPS.add(self.process.pid)
        self.endpoints = {}
        while "control" not in self.endpoints:
            line = json.loads(self.process.stdout.readline())
            if "vendor" in line:
                self.endpoints[line["vendor"]] = line["endpoint"]
            elif "control" in line:
                self.endpoints["control"], self.token = line["control"], line["token"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        stopping.GROUPS.discard(self.process.pid)

    def events(self):
        """How often each custom event had its effect, by name and user."""
        request = urllib.request.Request(
            self.endpoints["control"] + "effects",
            headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            effects = json.load(answer)["effects"]
        return {(effect["subject"], effect["user"]): effect["count"] for effect in effects
                if effect["name"] == "ce"}


class Scene:
    """One cache, its processes, and what they said."""

    def __init__(self, engage, folder, emulator, generator, outcome):
        self.engage, self.folder, self.emulator = engage, folder, emulator
        self.random, self.outcome = generator, outcome
        self.number = 0
        self.running = []
        # Accepted names by user; those that may be gone with their user; those of killed commands.
        self.accepted, self.erased, self.unsure = {}, set(), set()
        outcome.notes = {"accepted": 0, "killed": 0, "stopped": 0, "sent again": 0}
        with open(os.path.join(folder, "engage.json"), "w") as file:
            json.dump({"consent": "full", "providers": {
                "braze": {"vendor": "braze", "endpoint": emulator.endpoints["braze"],
                          "apiKey": "demo"},
                "vibes": {"vendor": "vibes", "endpoint": emulator.endpoints["vibes"],
                          "appID": "demo"}}}, file)
        self.watch = None
        self.enter(USERS[0])

    # Rounds

    def round(self):
        kind = self.random.choices(
            ["act", "watching", "enter", "sync", "list", "erase"], [70, 6, 6, 10, 6, 2])[0]
        getattr(self, kind)()

    def act(self):
        """One to three commands at once, of which some are killed or stopped for a while."""
        commands = [self.track() for _ in range(self.random.randint(1, 3))]
        for command in commands:
            chance = self.random.random()
            if chance < 0.25:
                time.sleep(self.random.random() * 0.1)
                command.process.kill()
                command.is_killed = True
                self.outcome.notes["killed"] += 1
            elif chance < 0.35:
                self.halt(command)
        for command in commands:
            self.finish(command)

    def halt(self, command):
        """Stops the process for a moment, as a laptop's lid or a debugger does."""
        command.process.send_signal(signal.SIGSTOP)
        time.sleep(self.random.random() * 0.2)
        command.process.send_signal(signal.SIGCONT)
        self.outcome.notes["stopped"] += 1

    def track(self):
        self.number += 1
        name = "n%d-%s" % (self.number, self.user)
        command = Command(self.start("track", name), "track %s" % name)
        command.name = name
        return command

    def watch_on(self):
        self.watch = Command(self.start("sync", "--watch", "--every", "1"), "watch")

    def watch_off(self):
        if not self.watch:
            return
        self.watch.process.send_signal(self.random.choice([signal.SIGKILL, signal.SIGINT]))
        self.wait(self.watch)
        self.watch = None

    def watching(self):
        if self.watch:
            self.watch_off()
        else:
            self.watch_on()

    def sync(self):
        self.run("sync")

    def list(self):
        """What is shown belongs to the present user."""
        answer = self.run("outbox", "--json")
        for line in answer.splitlines():
            name = json.loads(line).get("action", "")
            if re.match(r"n\d+-", name) and not name.endswith("-" + self.user):
                self.finding("%s is listed for %s" % (name, self.user))

    def enter(self, user=None):
        self.user = user or self.random.choice(USERS)
        self.run("signin", self.user)
        # After an erasure engage.json gives no consent.
        self.run("consent", "set", "full")

    def erase(self):
        # What waits is dropped with its user.
        self.erased |= self.accepted.pop(self.user, set())
        self.run("person", "erase", self.user, "--yes")
        self.enter()

    # The end

    def end(self):
        self.watch_off()
        for user in USERS * 2:
            self.enter(user)
            end = time.monotonic() + LAST
            while self.run("outbox", "--json") and time.monotonic() < end:
                self.run("sync")
        events = self.emulator.events()
        for user, names in self.accepted.items():
            for name in names:
                count = events.get((name, user), 0)
                if not count:
                    self.finding("LOST: %s" % name)
                elif count > 1:
                    self.outcome.notes["sent again"] += 1
        for name, user in events:
            if not name.endswith("-" + user):
                self.finding("FOREIGN: %s as %s" % (name, user))
        doctor = subprocess.run([self.engage, "doctor"], cwd=self.folder, capture_output=True,
                                text=True, timeout=LIMIT)
        if doctor.returncode:
            self.finding("doctor: %s" % doctor.stdout)

    # Processes

    def start(self, *words):
        process = subprocess.Popen([self.engage, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        stopping.GROUPS.add(process.pid)
        return process

    def run(self, *words):
        return self.wait(Command(self.start(*words), " ".join(words)))

    def finish(self, command):
        output = self.wait(command)
        if re.search(r": (delivered|pending)", output):
            self.accepted.setdefault(self.user, set()).add(command.name)
            self.outcome.notes["accepted"] += 1

    def wait(self, command):
        """What the process wrote. A hang, a crash or an unknown error is a finding."""
        try:
            output, errors = command.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            command.process.kill()
            output, errors = command.process.communicate()
            self.finding("%s hangs" % command.what)
        stopping.GROUPS.discard(command.process.pid)
        status = command.process.returncode
        if status < 0 and status != -signal.SIGKILL or "Fatal error" in errors:
            self.finding("%s ended with %d: %s" % (command.what, status, errors[-300:]))
        if status > 0 and not re.search(r"\[busy\]|Interrupted", errors) and not (
                command.what == "watch" or "signin" in command.what):
            self.finding("%s ended with %d: %s%s" % (
                command.what, status, output[-300:], errors[-300:]))
        return output

    def finding(self, text):
        self.outcome.findings.append(text)


class Command:
    """A process of `engage` that was started."""

    def __init__(self, process, what):
        self.process, self.what = process, what
        self.is_killed = False
        self.name = None
