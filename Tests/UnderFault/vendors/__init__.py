"""Faulty vendors' servers on loopback, written from the vendors' protocols alone."""
