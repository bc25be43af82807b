"""A folder with a cache of `engage`, and runs of the program in it."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The simulation of two vendors is the one of the benchmarks, and ClickHouse's servers are those of the faults.
sys.path[:0] = [str(ROOT / "Benchmarks/suites/ledger"), str(ROOT / "Tests/UnderFault")]


class Failed(Exception):
    """A command that had to succeed did not, or has said something else than expected."""


class Scene:
    """One cache, made by the program itself. The folder goes with the scene."""

    def __init__(self, engage, keep=None):
        self.engage = str(engage)
        self.kept = keep
        self.folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="exports-"))

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        vendors = subprocess.Popen(
            [self.engage, "emulate", "--vendor", "braze", "--port", "0", "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            endpoint = json.loads(vendors.stdout.readline())["endpoint"]
            configuration = {
                "user": "u-1", "consent": "full", "cache": "cache.sqlite",
                "providers": {"braze": {"vendor": "braze", "endpoint": endpoint, "apiKey": "demo"}}}
            path = self.folder / "engage.json"
            path.write_text(json.dumps(configuration))
            os.chmod(path, 0o600)
            self.run("sync")
        finally:
            vendors.kill()
            vendors.communicate()
        return self

    def __exit__(self, *_):
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, status=0):
        """The output of a command line, as bytes."""
        ran = subprocess.run(
            [self.engage, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)
        if ran.returncode != status:
            raise Failed("engage %s ended with %d: %s" % (
                " ".join(map(str, words))[:200], ran.returncode, ran.stderr.decode(errors="replace")[:500]))
        return ran.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def path(self, name):
        return self.folder / name

    def database(self):
        return sqlite3.connect(self.path("cache.sqlite"), timeout=60)

    def codec(self, program, name):
        """The bytes that a program of the codec makes of a file."""
        return subprocess.run(program + [name], cwd=self.folder, check=True, capture_output=True).stdout


def program(given):
    """The program that is to be tried: the given one, or a release that is built now."""
    if given:
        return pathlib.Path(given).resolve()
    command = ["swift", "build", "-c", "release", "--product", "engage", "--package-path", str(ROOT),
               "--scratch-path", str(ROOT / ".build/processes")]
    print("building engage, which takes minutes the first time", file=sys.stderr, flush=True)
    subprocess.run(command, check=True, stdout=sys.stderr)
    where = subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True)
    return pathlib.Path(where.stdout.strip(), "engage")
