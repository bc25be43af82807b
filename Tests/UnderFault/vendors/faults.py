"""Chooses the faults of requests by a seed."""

import random
import threading

# The faults with their relative frequencies. The vendor executes requests marked "effect".
WEIGHTS = {
    "500": 3, "503": 3, "429": 2,
    "close before": 3,
    "auth": 2,
    "close after": 4,      # effect
    "truncated": 2,        # effect
    "garbage": 2,          # effect
    "delay": 3,            # effect, and the answer comes late
    "late": 3,             # the effect itself comes late, perhaps after the client has gone
}
NO_EFFECT = {"500", "503", "429", "close before", "auth"}
ANSWER_LOST = {"close after", "truncated", "garbage"}


class Faults:
    """Draws a fault for a request, or None."""

    def __init__(self, seed, rate):
        self.random = random.Random(seed)
        self.rate = rate
        self.lock = threading.Lock()

    def draw(self):
        with self.lock:
            if self.random.random() >= self.rate:
                return None
            return self.random.choices(list(WEIGHTS), WEIGHTS.values())[0]

    def lateness(self):
        """The delay of an effect in seconds, about the length of a worker's life."""
        with self.lock:
            return self.random.uniform(0, 0.12)
