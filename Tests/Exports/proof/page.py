"""The page of a comparison in a browser: no errors, no scrolling across, and the figures of `--json`."""

import os
import pathlib

from proof.browser import Browser, is_there
from proof.scene import Failed, Scene

import simulation

PEOPLE, CARDS, SEED = 1_500, 6, 14
SCREENS = [(width, scheme) for width in [1280, 390] for scheme in ["light", "dark"]]
# What sticks out of the screen. What may be scrolled by itself does not.
OUTSIDE = """[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") && e.tagName != "CAPTION" &&
  e.getClientRects().length && (e.getBoundingClientRect().right > innerWidth + 1 ||
  e.getBoundingClientRect().left < -1)).map(e => e.tagName + " " + e.textContent.slice(0, 40))"""
# Texts of one chart that lie on each other.
OVERLAPS = """[...document.querySelectorAll("svg[role=img]")].flatMap(chart => {
  const all = [...chart.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]);
  return all.flatMap(([e, a], i) => all.slice(i + 1).filter(([f, b]) => a.left < b.right - 1 && b.left < a.right - 1 &&
    a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([f]) => e.textContent + " / " + f.textContent)) })"""
TABLES = """[...document.querySelectorAll("table")].map(t => [t.caption.textContent,
  [...t.rows].map(r => [...r.cells].map(c => c.textContent))])"""
NAMELESS = """[...document.querySelectorAll("svg[role=img],table,section,[role=region]")].filter(e =>
  !(e.caption?.textContent || e.getAttribute("aria-label") ||
    (e.getAttribute("aria-labelledby") || "x").split(" ").every(id => document.getElementById(id)?.textContent))
).map(e => e.outerHTML.slice(0, 80))"""


def page(engage, pictures=None):
    """Returns what was seen, in words."""
    if not is_there():
        return ["skipped: there is no chromium, which shows the page; install the package chromium (Debian)"]
    lines = []
    with Scene(engage) as scene, Browser() as browser:
        simulation.fill(scene.path("cache.sqlite"), PEOPLE, SEED, 0.1, 0.2, CARDS)
        plan = ["--rate", "20%", "--lift", "50%", "--anytime", "--name", "welcome", "--arm", "control", "--arm",
                "treatment", "--out", "plan.json"]
        scene.run("experiment", "plan", *plan)
        for name, command in [("compare", ["compare"]), ("experiment", ["experiment", "report", "plan.json"])]:
            scene.run(*command, "--html", name + ".html")
            lines += seen(scene, browser, name, scene.json(*command), pictures)
    return lines


def seen(scene, browser, name, report, pictures):
    path = scene.path(name + ".html")
    for width, scheme in SCREENS:
        browser.show(path, width, scheme)
        what = "%s at %d, %s" % (name, width, scheme)
        if pictures:
            pathlib.Path(pictures).mkdir(parents=True, exist_ok=True)
            browser.picture(os.path.join(pictures, "%s-%d-%s.png" % (name, width, scheme)))
        check(browser, what, width, scheme)
    tables = dict(browser.value(TABLES))
    browser.show(path, 700, "light", "print")
    if browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
        raise Failed("%s is not printed on white" % name)
    count = figures(name, report, tables)
    return ["%s: %d screens and a print without an error, %d figures of --json in %d tables" % (
        name, len(SCREENS), count, len(tables))]


def check(browser, what, width, scheme):
    if browser.said:
        raise Failed("%s: %s" % (what, browser.said[0]))
    across = browser.value("document.documentElement.scrollWidth")
    if across > width:
        raise Failed("%s is %d wide" % (what, across))
    for problem, script in [("sticks out", OUTSIDE), ("lies on each other", OVERLAPS), ("has no name", NAMELESS)]:
        found = browser.value(script)
        if found:
            raise Failed("%s: %s %s" % (what, found[:3], problem))
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    if (paper == "rgb(255, 255, 255)") != (scheme == "light"):
        raise Failed("%s is on %s" % (what, paper))


# Figures, written as the page writes them


def count(value):
    return format(value, ",d")


def decimal(value):
    places, unit = 2, 0.1
    while value and abs(value) < unit and places < 6:
        places, unit = places + 1, unit / 10
    return format(abs(value), ",.%df" % places)


def change(value, unit="%"):
    sign = "+" if value > 0 else "\u2212" if value < 0 else ""
    return sign + decimal(100 * value) + unit


def across(pair, text):
    return "%s to %s" % tuple(text(value) for value in pair)


def probability(value):
    return "< 0.0001" if value < 0.0001 else "%.4f" % value


def figures(name, report, tables):
    """Looks up each figure in the row where it has to stand, and returns how many there are."""
    seen = 0

    def stands(table, names, *cells):
        nonlocal seen
        rows = [row for title, rows in tables.items() if title.startswith(table) for row in rows]
        rows = [row for row in rows if row[:len(names)] == names]
        if not any(all(cell in row[len(names):] for cell in cells) for row in rows):
            raise Failed("%s: %s of %s has %r, and not %r" % (name, table, names, rows, cells))
        seen += len(cells)

    for place, arm in enumerate(report["arms"]):
        people = [arm["people"], arm["exposed"]] if "experiment" in report else [arm["people"]]
        stands("People", [arm["name"]], *map(count, people))
        for step, key in [("Delivered", "delivered"), ("Seen", "seen"), ("Clicked", "clicked")]:
            stands("Funnel", [step, arm["name"]], count(arm[key]))
        requests = arm["requests"]
        stands("Requests to providers", [arm["name"]], count(requests["count"]), count(requests["failures"]))
        for kind, number in arm["events"].items():
            stands("Events", [kind], count(number))
    for metric in report["metrics"]:
        for arm in metric["arms"]:
            if "withheld" not in arm["figure"]:
                stands("Figures", [metric["name"], arm["arm"]], decimal(100 * arm["figure"]["value"]) + "%",
                       count(arm["denominator"]))
                if isinstance(arm["figure"]["interval"], list):
                    stands("Figures", [metric["name"], arm["arm"]], across(
                        arm["figure"]["interval"], lambda value: decimal(100 * value) + "%"))
        for comparison in metric["comparisons"]:
            difference = comparison["difference"]
            row = [metric["name"], comparison["arm"]]
            if "withheld" in difference:
                stands("Differences from", row, "withheld")
                continue
            relative = difference["relative"]
            stands("Differences from", row, change(difference["absolute"]["value"], " pp"),
                   probability(difference["probability"]))
            if isinstance(difference["absolute"]["interval"], list):
                stands("Differences from", row, across(
                    difference["absolute"]["interval"], lambda value: change(value, " pp")))
            if "withheld" not in relative:
                stands("Differences from", row, change(relative["value"]), across(relative["interval"], change))
    if seen < 30:
        raise Failed("%s: only %d figures" % (name, seen))
    return seen
