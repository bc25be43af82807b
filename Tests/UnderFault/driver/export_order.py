"""The order in which one export makes its files durable, as strace sees it."""

import re
import subprocess

from driver import strace

TRACED = "write,fsync,openat,link,linkat,rename,renameat,renameat2"
CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)(?:<(.*)>)?$")
DESCRIPTOR = re.compile(r"^\d+<([^>]*)>")
TEXT = re.compile(r'"([^"]*)"')


def faults(scene):
    """Runs the scene's export once, and returns what happened too early."""
    strace.require()
    log = scene.folder / "calls"
    ran = subprocess.run(
        ["strace", "-f", "-y", "-qq", "-o", log, "-e", "trace=" + TRACED, scene.engage, *scene.line],
        cwd=scene.folder, capture_output=True, text=True)
    if ran.returncode:
        return ["an export under strace ended with %d: %s" % (ran.returncode, ran.stderr[-300:])]
    return list(early(log.read_text().splitlines(), str((scene.folder / "out").resolve())))


def early(lines, out):
    """What a power failure could take, though the manifest says that it is there."""
    # Files whose bytes, and folders whose names, are in memory only.
    unsynced, committed = set(), 0
    for name, words, path in filter(None, map(call, lines)):
        first = DESCRIPTOR.match(words)
        texts = TEXT.findall(words)
        if name == "write" and first and first[1].startswith(out):
            unsynced.add(first[1])
        elif name == "fsync" and first:
            unsynced.discard(first[1])
        elif name == "openat" and "O_CREAT" in words and path and path.startswith(out + "/_drafts/"):
            if not path.endswith(("/lock", "/manifest")):
                unsynced.add(out + "/_drafts")
        elif name.startswith(("link", "rename")) and "/_manifests/" in texts[-1]:
            committed += 1
            for early in sorted(unsynced):
                yield "the manifest is there before %s is synced" % early.removeprefix(out + "/")
            unsynced.add(out + "/_manifests")
    if not committed:
        yield "an export of new events writes no manifest"
    elif out + "/_manifests" in unsynced:
        yield "the name of the manifest is never synced"


def call(line):
    """The name, the arguments and the path of what came back; nil for calls that failed."""
    found = CALL.match(line)
    return found and (found[1], found[2], found[4])
