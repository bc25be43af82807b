"""The commands: the faults that each causes, and its checks."""
