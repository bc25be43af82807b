"""Writes the work set of the cache: the same bytes for the same seed.

cards.json    a content card sync of 10,000 cards, about 6.3 MB, as the suite `json` has it
second.json   one sync later: 100 of them changed and 50 new ones behind them
feed.json     250 cards, as many as the vendor sends
cards-100k.json   100,000 cards, about 63 MB
messages.json     an inbox page of 200 messages, about 140 KB
messages-second.json   one refresh later: three of them changed
"""

import pathlib
import random

from suites.json.generate import card, message, words, write

HEAD = '{"message":"success","cards":['
TAIL = '],"full_sync":true,"last_full_sync_at":%d,"last_card_updated_at":%d}'
SEED = 20_261


def generate(folder):
    """Writes what is not there yet and returns the paths by the name of the set."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A change here or in what draws the cards makes new files.
    sources = [pathlib.Path(__file__), pathlib.Path(__file__).parent.parent / "json/generate.py"]
    newest = max(source.stat().st_mtime for source in sources)
    names = ["cards", "second", "feed", "cards-100k", "messages", "messages-second"]
    paths = {name: folder / (name + ".json") for name in names}
    if all(path.exists() and path.stat().st_mtime > newest for path in paths.values()):
        return paths
    pick = random.Random(SEED)
    cards = [card(pick) for _ in range(10_000)]
    put(paths["cards"], cards, 0)
    put(paths["second"], later(cards, pick), 1)
    put(paths["feed"], cards[:250], 0)
    put(paths["cards-100k"], (card(pick) for _ in range(100_000)), 0)
    messages = [message(pick) for _ in range(200)]
    write(paths["messages"], "[", messages, "]")
    write(paths["messages-second"], "[", read(messages, pick), "]")
    return paths


def later(cards, pick):
    """The cards an hour later."""
    cards = list(cards)
    for place in pick.sample(range(len(cards)), 100):
        cards[place] = {
            **cards[place], "tt": words(pick, 3, 7), "ca": cards[place]["ca"] + 3_600, "v": True}
    return cards + [card(pick) for _ in range(50)]


def read(messages, pick):
    """The messages after three of them were changed, which were read meanwhile."""
    messages = list(messages)
    for place in pick.sample(range(len(messages)), 3):
        messages[place] = {**messages[place], "subject": words(pick, 3, 7), "read": True}
    return messages


def put(path, cards, hours):
    time = 1_770_000_000 + 3_600 * hours
    write(path, HEAD, cards, TAIL % (time, time + 1))
