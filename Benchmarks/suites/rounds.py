"""Runs commands round-robin and compares their medians.

Every round runs each command once, so that whatever else the machine does meets all of them
alike. The first round warms the page cache and is thrown away.
"""

import collections
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "work"


class Missing(Exception):
    """A peer that this machine lacks; the text names the package that has it."""


def sh(*command):
    """Runs the command and returns its output; a failure ends the benchmark with its words."""
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True)
    if done.returncode:
        sys.exit("failed: %s\n%s%s" % (" ".join(map(str, command)), done.stdout, done.stderr))
    return done.stdout


def swift(product):
    """Builds an executable of the package and returns its path."""
    options = ["--package-path", ROOT, "-c", "release"]
    sh("swift", "build", *options, "--product", product)
    return pathlib.Path(sh("swift", "build", *options, "--show-bin-path").strip()) / product


def compiled(command, source, libraries, package):
    """Compiles a C or C++ peer against libraries that pkg-config knows."""
    for tool in ["pkg-config", command[0]]:
        if not shutil.which(tool):
            raise Missing("%s (for %s)" % (tool, package))
    if subprocess.run(["pkg-config", "--exists", *libraries]).returncode:
        raise Missing(package)
    WORK.mkdir(exist_ok=True)
    program = WORK / source.stem
    flags = sh("pkg-config", "--cflags", "--libs", *libraries).split()
    sh(*command, "-o", program, source, *flags)
    return program


def measure(runs, rounds):
    """Runs every (key, command) once a round; returns the list of results of each key."""
    results = collections.defaultdict(list)
    for number in range(rounds + 1):
        for key, command in runs:
            line = json.loads(sh(*command))
            if number:
                results[key].append(line)
                print(json.dumps({**key._asdict(), "round": number, **line}), flush=True)
    return results


def median(lines, field):
    return statistics.median(line[field] for line in lines)


def verdict(is_met):
    return "met" if is_met else "missed"


def table(head, rows):
    """Prints columns that line up: the first to the left, the others to the right."""
    widths = [max(len(str(row[column])) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [str(cell).rjust(width) for cell, width in zip(row, widths)]
        cells[0] = str(row[0]).ljust(widths[0])
        print("  ".join(cells).rstrip())
