"""The vendors' servers on loopback, faulty on purpose, written from their protocols alone."""
