"""The commands: what each does to the worker, and what it then holds it to."""
