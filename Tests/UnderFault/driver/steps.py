"""Checks that a step of a migration is in the cache with all of its parts: the stage, the route and the event.

It reads the file with Python's SQLite. A kill may end a step before or after it, and leaves no part alone."""

import json

from driver.cache import looked, tables
from vendors.routes import STAGES


def faults(folder):
    """The parts of the migration of the cards that do not agree."""
    return looked(folder, questions)


def questions(connection):
    if not tables(connection) >= {"value", "ledger"}:
        return
    kept = {name: json.loads(value) for name, value in connection.execute(
        "SELECT CAST(name AS TEXT), value FROM value WHERE partition = 0 AND provider = '' "
        "AND CAST(name AS TEXT) IN ('migration.cards', 'route.cards')")}
    route = kept.get("route.cards")
    changes = events(connection, "route.changed")
    if changes and route is not None and changes[-1]["to"] != route:
        yield "the route is %s, and its last event says %s" % (route, changes[-1]["to"])
    told = events(connection, "migration.stepped")
    record = kept.get("migration.cards")
    if record is None:
        if told:
            yield "%d events of a migration that the cache does not know" % len(told)
        return
    stage = words(record["stage"])
    if len(told) != record["count"]:
        yield "%d steps of the migration, and %d events of them" % (record["count"], len(told))
    elif told and told[-1]["to"] != stage:
        yield "the stage is %s, and its event says %s" % (stage, told[-1]["to"])
    if record["steps"] and words(record["steps"][-1]["to"]) != stage:
        yield "the stage is %s after a step to %s" % (stage, words(record["steps"][-1]["to"]))
    if not follows(route, stage):
        yield "the stage is %s with the route %s" % (stage, route)


def events(connection, kind):
    """What the ledger says of the changes of this kind to the cards, in order."""
    rows = connection.execute("SELECT properties FROM ledger WHERE type = ? ORDER BY sequence", (kind,))
    return [event for event, in ((json.loads(text),) for text, in rows) if event["surface"] == "cards"]


def words(stage):
    """A stage as the events write it: `drain`, `ramp 70 %`."""
    if isinstance(stage, str):
        return stage
    (kind, percent), = stage.items()
    return "%s %d %%" % (kind, percent)


def follows(route, stage):
    """Whether the kept route is one of the stage. Without a migration it is any that the worker sets."""
    kind = stage.split(" ")[0]
    name = STAGES.get(kind)
    if kind == "off":
        return route is None or not {"split", "shadow"} & set(route)
    if route is None or name is None:
        return False
    if name == "split":
        return route.get("split", {}).get("experiment", "").endswith(" " + stage.partition(" ")[2])
    return "shadow" in route if name == "shadow" else route == {"only": name}
