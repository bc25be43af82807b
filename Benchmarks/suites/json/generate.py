"""Writes the JSON work set: the same bytes for the same seed.

cards.json   a content card sync of 10,000 cards, about 6.35 MB
inbox.json   an inbox page of 200 messages, about 141 KB

Every fifth card is written with \\u escapes and the others as plain UTF-8, because vendors do
both; three words in a hundred are outside ASCII and one holds something to escape.
"""

import base64
import json
import pathlib
import random

PLAIN = (
    "harbour lantern walnut copper meadow ticket compass river saddle orchard violet thunder "
    "your next visit gives double points until friday and the train leaves at noon so bring a "
    "warm coat we kept seats for two near the window call us if plans change"
).split()
FOREIGN = "Zürich smörgåsbord señal œuvre žluťoučký мост 山小屋 🚲 👩‍🚀 … «hier»".split()
ESCAPED = ["\n", "\t", '"deal"', "\\", "either/or"]
KINDS = ["short_news", "captioned_image", "banner_image", "text_announcement", "control"]


def words(pick, low, high):
    def word():
        draw = pick.random()
        return pick.choice(FOREIGN if draw < 0.03 else ESCAPED if draw < 0.04 else PLAIN)

    return " ".join(word() for _ in range(pick.randint(low, high)))


def digits(pick, count):
    return "%0*x" % (count, pick.getrandbits(4 * count))


def uuid(pick):
    return "-".join(digits(pick, count) for count in (8, 4, 4, 4, 12))


def card(pick):
    identity = "%s_$_cc=%s&mv=%s&pi=cmp" % (digits(pick, 24), uuid(pick), digits(pick, 24))
    extras = {"slot": pick.choice(PLAIN), "rank": str(pick.randint(0, 9))}
    if pick.random() < 0.2:
        extras["note"] = words(pick, 2, 5)
    return {
        "id": base64.b64encode(identity.encode()).decode(),
        "tp": pick.choice(KINDS),
        "tt": words(pick, 3, 7),
        "ds": words(pick, 12, 38),
        "i": "https://images.example.com/assets/%s/original.png" % digits(pick, 24),
        "u": "https://shop.example.com/%s?from=card" % digits(pick, 8),
        "ca": 1_760_000_000 + pick.randint(0, 9_000_000),
        "ea": 1_780_000_000 + pick.randint(0, 9_000_000) if pick.random() < 0.8 else -1,
        "ar": round(pick.uniform(0.5, 2), 3),
        "v": pick.random() < 0.4,
        "cl": pick.random() < 0.1,
        "p": pick.random() < 0.03,
        "r": False,
        "db": pick.random() < 0.9,
        "t": False,
        "uw": pick.random() < 0.3,
        "e": extras,
    }


def message(pick):
    def time(year):
        return "%d-%02d-%02dT%02d:%02d:%02d.%03d+00:00" % (
            year, pick.randint(1, 12), pick.randint(1, 28), pick.randint(0, 23),
            pick.randint(0, 59), pick.randint(0, 59), pick.randint(0, 999))

    activity = uuid(pick)
    return {
        "message_uid": uuid(pick),
        "subject": words(pick, 3, 7),
        "content": words(pick, 16, 42),
        "detail": "https://shop.example.com/inbox/%s" % digits(pick, 8),
        "collapse_key": "vibes-" + activity,
        "read": pick.random() < 0.5,
        "created_at": time(2026),
        "expires_at": time(2027),
        "images": {"icon": "https://images.example.com/%s.png" % digits(pick, 12)},
        "inbox_custom_data": {"slot": pick.choice(PLAIN), "rank": str(pick.randint(0, 9))},
        "apprefdata": {"activityType": "Broadcast", "activityUid": activity},
    }


def write(path, head, items, tail):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(head)
        for number, item in enumerate(items):
            if number:
                file.write(",")
            file.write(json.dumps(item, ensure_ascii=number % 5 == 0, separators=(",", ":")))
        file.write(tail)


def generate(folder, seed=20_261):
    """Writes both files into the folder and returns their paths by the name of the set."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pick = random.Random(seed)
    cards = (card(pick) for _ in range(10_000))
    tail = '],"full_sync":true,"last_full_sync_at":1770000000,"last_card_updated_at":1770000001}'
    write(folder / "cards.json", '{"message":"success","cards":[', cards, tail)
    write(folder / "inbox.json", "[", (message(pick) for _ in range(200)), "]")
    return {name: folder / (name + ".json") for name in ("cards", "inbox")}
