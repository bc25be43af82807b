"""Hostile texts on a terminal and on a page: shown as text, and inert."""

import html.parser
import json
import os
import pty
import re
import subprocess
import unicodedata
import uuid

from proof.scene import Failed
from proof.texts import exported

# How many providers are compared at a time.
GROUP = 12
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SIGNED_IN = "SELECT max(id) FROM partition WHERE user = 'u-1' OR user = CAST('u-1' AS BLOB)"


def shown(scene, found):
    """Shows each text in the tables of `events`, `compare` and an experiment, and on both pages."""
    wanted = list(dict.fromkeys(map(exported, found)))
    events(scene, found)
    groups = grouped(wanted)
    for number, group in enumerate(groups):
        compared(scene, number, group)
        reported(scene, number, group)
    return "%d pages and %d tables" % (2 * len(groups), 2 * len(groups) + 3)


def grouped(texts):
    """Groups of texts of which no two look the same: what is said of both would stand on the page once."""
    groups = []
    for text in texts:
        seen = readable(text)
        for group, looks in groups:
            if len(group) < GROUP and seen not in looks:
                break
        else:
            group, looks = [], set()
            groups.append((group, looks))
        group.append(text)
        looks.add(seen)
    return [group for group, _ in groups]


# The terminal


def check_terminal(what, text):
    """Only line ends may steer; a joiner may be in an emoji."""
    for place, scalar in enumerate(text):
        if scalar != "\n" and unicodedata.category(scalar) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
            if scalar == "\u200d" and ord(text[place - 1]) > 0x2000:
                continue
            raise Failed("%s sends U+%04X to the terminal: %r" % (what, ord(scalar), text[max(place - 20, 0):place + 20]))


def events(scene, found):
    """Every text as a name and a property of the signed-in user's events."""
    database = scene.database()
    user = database.execute(SIGNED_IN).fetchone()[0]
    for number, text in enumerate(found):
        plain = text.decode(errors="replace").replace("\0", "\ufffd")
        name = None if number % 2 else text
        database.execute(
            "INSERT INTO ledger (id, partition, type, time, zone, session, provider, surface, item, container, name, "
            "properties) VALUES (?, ?, 'custom', ?, 0, 's', 'braze', ?, ?, ?, CAST(? AS TEXT), ?)",
            (uuid.UUID(int=number + 1).bytes, user, 1_790_000_000_000, None if name else "cards",
             None if name else text, None if name else "home", name, json.dumps({"k" + plain: plain})))
    database.commit()
    database.close()
    output = scene.run("events").decode()
    check_terminal("events", output)
    if output.count("\n") != len(found) + 1 + output.count("session.start"):
        raise Failed("events prints %d lines" % output.count("\n"))
    lines = scene.run("events", "--json").decode()
    check_terminal("events --json", lines)
    names = {json.loads(line).get("name") for line in lines.splitlines()}
    lacking = [text for text in map(exported, found[::2]) if text not in names and "\ufffd" not in text]
    if lacking:
        raise Failed("events --json lacks the name %r" % lacking[0])
    coloured = on_terminal(scene, "events").replace("\r\n", "\n")
    check_terminal("events on a terminal", COLOUR.sub("", coloured))
    styles = set(COLOUR.findall(coloured))
    if not styles or not styles <= {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[22m", "\x1b[m"}:
        raise Failed("events sends other styles to a terminal: %r" % styles)


def on_terminal(scene, *words):
    """What the program sends to a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen([scene.engage, *words], cwd=scene.folder, stdin=theirs, stdout=theirs,
                               stderr=subprocess.DEVNULL, env={**environment, "TERM": "xterm-256color"})
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    process.wait()
    os.close(ours)
    return b"".join(parts).decode()


# Pages


class Page(html.parser.HTMLParser):
    """The skeleton of a page, and its texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.skeleton, self.names, self.row = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.skeleton.append((tag, *sorted(given), given.get("class"), given.get("style")))
        if tag == "th" and given.get("scope") == "row":
            self.row = ""

    def handle_endtag(self, tag):
        self.skeleton.append(("/" + tag,))
        if tag == "th" and self.row is not None:
            self.names.append(self.row)
            self.row = None

    def handle_data(self, text):
        if self.row is not None:
            self.row += text

    def handle_comment(self, text):
        self.skeleton.append(("comment", text))

    def unknown_decl(self, text):
        self.skeleton.append(("declaration", text))

    def handle_pi(self, text):
        self.skeleton.append(("instruction", text))


def readable(text):
    """What stands on a page for a name: 60 characters of it, and none that hides or steers."""
    def is_seen(scalar):
        value = ord(scalar)
        if scalar in "\u200c\u200d":
            return True
        if value & 0xfffe == 0xfffe or 0xfdd0 <= value <= 0xfdef:
            return False
        return unicodedata.category(scalar) not in ("Cc", "Cf", "Zl", "Zp", "Co")

    clean = "".join(scalar if is_seen(scalar) else "\ufffd" for scalar in text[:60])
    return clean + "…" if len(text) > 60 else clean


def check_page(what, page, benign, names):
    """The page of hostile names has the tags of one with plain names, and shows the names as text."""
    for scalar in page:
        if scalar != "\n" and readable(scalar) == "\ufffd" != scalar:
            raise Failed("%s has U+%04X" % (what, ord(scalar)))
    found, plain = Page(page), Page(benign)
    if found.skeleton != plain.skeleton:
        differing = [pair for pair in zip(found.skeleton, plain.skeleton) if pair[0] != pair[1]]
        raise Failed("%s of %r has other tags than a page of plain names: %r" % (what, names[:20], differing[:1]))
    for name in names:
        if readable(name) not in found.names:
            raise Failed("%s does not show %.80r as %.80r" % (what, name, readable(name)))


def lines(person, provider, members):
    """An event of a person, as a line of NDJSON."""
    event = {"specversion": "1.0", "source": "urn:uuid:1", "time": "2026-10-01T09:00:00Z", "sequence": 1,
             "userid": person, **members}
    if provider is not None:
        event.update(provider=provider, surface="cards", subject="x/1")
    event["id"] = "%s-%s" % (person, event["type"])
    return json.dumps(event) + "\n"


def compared(scene, number, group):
    """The texts as the names of providers."""
    if number and len(group) < GROUP:
        # The last ones come with plain ones, so that one plain page serves all groups.
        group = group + ["p%02d" % place for place in range(GROUP - len(group))]
    benign = ["p%02d" % place for place in range(len(group))]
    pages = []
    for kind, names in [("plain", benign), ("hostile", group)]:
        if kind == "plain" and number:
            pages.append(scene.path("plain-0.html").read_text())
            continue
        with open(scene.path("%s-%d.ndjson" % (kind, number)), "w") as file:
            for place, name in enumerate(names):
                for person in range(8):
                    who = "%d-%d" % (place, person)
                    file.write(lines(who, name, {"type": "engage.card.delivered"}))
                    if person % 2:
                        file.write(lines(who, name, {"type": "engage.card.click"}))
        page = "%s-%d.html" % (kind, number)
        output = scene.run("compare", "--from", "%s-%d.ndjson" % (kind, number), "--html", page).decode()
        check_terminal("compare", output)
        pages.append(scene.path(page).read_text())
    check_page("the page of compare", pages[1], pages[0], group)


def reported(scene, number, group):
    """The texts as the names of an experiment and its arm, and as versions of the application."""
    pages = []
    for kind, texts in [("plain", ["v%02d" % place for place in range(len(group))]), ("hostile", group)]:
        if kind == "plain" and number and len(group) == GROUP:
            pages.append(scene.path("plain-0.report.html").read_text())
            continue
        name, arm = texts[0], "b" + texts[-1]
        plan, log, page = ("%s-%d.%s" % (kind, number, end) for end in ["plan.json", "exposed.ndjson", "report.html"])
        scene.path(plan).write_text(json.dumps({
            "name": name, "version": 1, "arms": {"a": 0.5, arm: 0.5}, "control": "a", "strata": ["appVersion"],
            "metrics": [{"name": texts[len(texts) // 2], "people": "click"}],
            "schedule": {"anytime": {"expectedPeople": 400}}}))
        with open(scene.path(log), "w") as file:
            for person in range(12 * len(texts)):
                data = {"arm": ["a", arm][person % 2], "version": 1, "appVersion": texts[person // 2 % len(texts)]}
                file.write(lines("x%d" % person, None, {"type": "engage.experiment.exposed", "name": name, "data": data}))
                if person // 2 % 3:
                    file.write(lines("x%d" % person, "braze", {"type": "engage.card.click"}))
        output = scene.run("experiment", "report", plan, "--from", log, "--html", page).decode()
        check_terminal("experiment report", output)
        pages.append(scene.path(page).read_text())
    check_page("the page of an experiment", pages[1], pages[0], group and [])
