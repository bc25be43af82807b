"""What travels with each action, so that a wrong or altered one is told at first sight."""

import zlib

PADDING = 200


def checksum(number, user, padding):
    """The checksum that the worker puts beside the number; it is the worker's own formula."""
    return "%08x" % zlib.crc32(("%d|%s|%s" % (number, user, padding)).encode())


def fault(properties, user):
    """What is wrong with the properties of an action that reached a vendor; None for nothing."""
    try:
        number, owner = properties["n"], properties["user"]
        expected = checksum(number, owner, properties["padding"])
    except (KeyError, TypeError):
        return "a payload without its members: %.200r" % (properties,)
    if set(properties) != {"n", "user", "padding", "sum"}:
        return "a payload with foreign members: %.200r" % (properties,)
    if properties["sum"] != expected:
        return "an altered payload: %.200r" % (properties,)
    if owner != user:
        return "action %d of %s went out as %s" % (number, owner, user)
    return None
