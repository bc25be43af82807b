"""The payload of each action, which reveals wrong and altered ones."""

import zlib

PADDING = 200


def checksum(number, user, padding):
    """The checksum beside the number, by the same formula as the worker's."""
    return "%08x" % zlib.crc32(("%d|%s|%s" % (number, user, padding)).encode())


def fault(properties, user):
    """The fault in the properties of an arrived action, or None."""
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
