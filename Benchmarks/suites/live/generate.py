"""Writes feeds of action cards: the same bytes for the same seed.

action-cards.json          1,000 cards, about 1.6 MB
action-cards-second.json   one refresh later: 10 of them changed and 5 new ones
"""

import json
import pathlib
import random

from suites.json.generate import PLAIN, digits, uuid, words, write

SEED = 20_262
HEAD, TAIL = '{"cardInstances":[', '],"metadata":{"totalCards":%d}}'


def generate(folder):
    """Writes both files and returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pick = random.Random(SEED)
    cards = [card(pick) for _ in range(1_000)]
    first, second = folder / "action-cards.json", folder / "action-cards-second.json"
    write(first, HEAD, cards, TAIL % len(cards))
    for place in pick.sample(range(len(cards)), 10):
        cards[place] = {**cards[place], "defaultView": view(pick)}
    cards += [card(pick) for _ in range(5)]
    write(second, HEAD, cards, TAIL % len(cards))
    return first, second


def card(pick):
    allowed = {"swipe": pick.random() < 0.5, "overflow": True}
    return {
        "instance": {"id": uuid(pick), "eventName": pick.choice(PLAIN), "lifecycleId": uuid(pick),
                     "status": "active", "createdDate": time(pick)},
        "metadata": {"priority": pick.randint(1, 10), "title": words(pick, 3, 7),
                     "receivedAt": time(pick), "updatedAt": time(pick), "lastCardActiveTime": time(pick),
                     "payloadMetadata": {"tier": pick.choice(PLAIN), "rank": pick.randint(0, 9)}},
        "actions": {"dismiss": allowed, "snooze": allowed, "voteUp": {"overflow": True},
                    "voteDown": {"overflow": True}},
        "runtimeVariables": [{"name": "who", "type": "text", "defaultValue": pick.choice(PLAIN)}],
        "defaultView": view(pick),
        "subviews": {} if pick.random() < 0.8 else {"more": {"title": words(pick, 1, 3), "nodes": [
            node("text", text=words(pick, 12, 38))]}},
    }


def view(pick):
    return {"nodes": [
        node("cardDescription", text=words(pick, 1, 3)),
        node("headline", text=words(pick, 3, 7)),
        node("text", text=words(pick, 12, 38), format="markdown"),
        node("image", src="https://images.example.com/%s.png" % digits(pick, 24),
             altText=words(pick, 2, 4)),
        {"type": "list", "attributes": {"type": "ordered"}, "children": [
            node("listItem", text=words(pick, 2, 6)) for _ in range(3)]},
        {"type": "form", "attributes": {"defaultValues": {}}, "children": [
            node("textInput", name="note", label=words(pick, 1, 3), placeholder=words(pick, 1, 3)),
            node("submitButton", text=words(pick, 1, 2), name="send", values={"ok": True})]},
        node("linkButton", text=words(pick, 1, 2), url="https://shop.example.com/" + digits(pick, 8)),
        node("dismissButton", text=words(pick, 1, 2)),
    ]}


def node(kind, **attributes):
    return {"type": kind, "attributes": attributes}


def time(pick):
    return "2026-%02d-%02dT%02d:%02d:%02d.%03dZ" % (
        pick.randint(1, 12), pick.randint(1, 28), pick.randint(0, 23), pick.randint(0, 59),
        pick.randint(0, 59), pick.randint(0, 999))
