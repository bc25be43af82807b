"""Being stopped from outside: what runs is ended, and the account so far is told."""

import os
import signal

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# The leaders of groups of processes that this one has started and not seen the end of.
GROUPS = set()
is_stopped = False


class Stopped(SystemExit):
    """A signal that asks to stop; no error, so that nothing takes it for one and goes on."""

    def __init__(self, name):
        super().__init__(1)
        self.name = name


def listen():
    """From now on a signal that asks to stop raises `Stopped` in the main thread, once."""
    for number in SIGNALS:
        signal.signal(number, stop)


def hear_no_more():
    """Whoever asks twice is not heard twice: the first time is being seen to."""
    for number in SIGNALS:
        # Ignored signals would be complained about where one is on its way already.
        signal.signal(number, lambda *_: None)


def stop(number, _):
    global is_stopped
    is_stopped = True
    hear_no_more()
    for leader in list(GROUPS):
        try:
            os.killpg(leader, signal.SIGKILL)
        except ProcessLookupError:
            # It has just ended by itself.
            pass
    raise Stopped(signal.Signals(number).name)


def unless_stopped(work, *arguments):
    """Does the work, in a process that may have been stopped while it did something else."""
    if is_stopped:
        raise Stopped("before")
    return work(*arguments)
