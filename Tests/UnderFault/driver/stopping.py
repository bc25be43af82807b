"""Handles signals that stop a command: it ends its workers and prints its results so far."""

import os
import signal

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# The leaders of the process groups that this process has started and that still run.
GROUPS = set()
is_stopped = False


class Stopped(SystemExit):
    """A stop signal. It is no `Exception`, so that no handler of errors catches it."""

    def __init__(self, name):
        super().__init__(1)
        self.name = name


def listen():
    """Makes the first stop signal raise `Stopped` in the main thread."""
    for number in SIGNALS:
        signal.signal(number, stop)


def hear_no_more():
    """Ignores further stop signals while the first one is handled."""
    for number in SIGNALS:
        # With SIG_IGN, Python would complain about a signal that is already pending.
        signal.signal(number, lambda *_: None)


def stop(number, _):
    global is_stopped
    is_stopped = True
    hear_no_more()
    for leader in list(GROUPS):
        try:
            os.killpg(leader, signal.SIGKILL)
        except ProcessLookupError:
            # The process has just ended by itself.
            pass
    raise Stopped(signal.Signals(number).name)


def unless_stopped(work, *arguments):
    """Does the work unless the process has been stopped before."""
    if is_stopped:
        raise Stopped("before")
    return work(*arguments)
