"""Possible states of a disk after a power failure: the recorder of calls, and the model."""
