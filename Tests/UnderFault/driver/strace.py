"""strace: counts a worker's calls on its cache, and makes any one of them fail."""

import collections
import os
import re
import shutil
import tempfile

from driver.cache import NAME
from driver.report import Missing

# The calls that change a file, a length or a name.
WRITING = ["openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "rename",
           "fallocate", "mkdir"]
CALL = re.compile(r"^(\d+) +(\w+)\(")


def require():
    if not shutil.which("strace"):
        raise Missing("strace: install the package strace (Debian)")


def paths(folder):
    """Options that select the cache's own files."""
    # Leaves out the calls on libraries, sockets and the terminal.
    names = [NAME, NAME + "-wal", NAME + "-journal", NAME + "-shm", NAME + ".lock",
             NAME + ".courier", NAME + ".secrets", NAME + ".journal", ""]
    real = os.path.realpath(folder)
    return [word for name in names for word in ("-P", os.path.join(real, name).rstrip("/"))]


def counting(calls, log, folder):
    return ["strace", "-f", "-qq", "-o", log, *paths(folder), "-e", "trace=" + ",".join(calls)]


def killing(call, number, folder):
    """Options for a kill at the call of this number, in the calling thread."""
    # The filter in the kernel that --seccomp-bpf brings would lose the signal.
    return ["strace", "-f", "-qq", "-o", "/dev/null", *paths(folder), "-e", "trace=" + call, "-e",
            "inject=%s:signal=KILL:when=%d" % (call, number)]


def failing(call, error, when, folder):
    return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", *paths(folder), "-e",
            "trace=" + call, "-e", "inject=%s:error=%s:when=%s" % (call, error, when)]


def counted(log):
    """The highest count of each call in one thread, because strace counts by thread."""
    counts = collections.Counter()
    with open(log, errors="replace") as lines:
        for line in lines:
            match = CALL.match(line)
            if match:
                counts[match.group(2), match.group(1)] += 1
    most = collections.Counter()
    for (call, _), count in counts.items():
        most[call] = max(most[call], count)
    return most


def positions(count, most):
    """All numbers up to the count, or a limited number spread evenly over them."""
    if not most or count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(step * (count - 1) / (most - 1)) for step in range(most)})


class Scratch:
    """A temporary folder for one trial."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="fault-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
