"""The answers of several vendors that list copies of the same contents.

A fifth of the contents is at every vendor; the rest is at one alone.
"""

import pathlib
import random

from suites.cache.generate import put
from suites.json.generate import card

SEED = 20_260_404


def generate(folder):
    """Writes what is not there yet and returns the paths by the name of the set."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sets = {"one-1000": (1_000, "a"), "left": (10_000, "a"), "right": (10_000, "b")}
    sets.update({"four-%s" % vendor: (250, vendor) for vendor in "abcd"})
    sets.update({"small-%s" % vendor: (200, vendor) for vendor in "abcd"})
    paths = {name: folder / (name + ".json") for name in sets}
    newest = pathlib.Path(__file__).stat().st_mtime
    for name, (count, vendor) in sets.items():
        if paths[name].exists() and paths[name].stat().st_mtime > newest:
            continue
        pick = random.Random("%d %s" % (SEED, name))
        put(paths[name], [keyed(card(pick), number, vendor) for number in range(count)], 0)
    return paths


def keyed(card, number, vendor):
    content = "c-%d" % number if number % 5 == 0 else "%s-%d" % (vendor, number)
    return {**card, "db": True, "ea": -1, "e": {**card["e"], "content": content}}
