"""The library with one guarantee removed at a time. The commands must detect each mutant."""

import os
import pathlib
import shutil
import signal
import subprocess
import tomllib

from driver import stopping, worker
from driver.calls import calls
from driver.clickhouse import clickhouse
from driver.damage import damage
from driver.export import export
from driver.kill import kill
from driver.power import power
from driver.report import REPOSITORY, ROOT, Report
from driver.scenes import scenes

# The sizes at which a command must detect its mutant.
COMMANDS = {
    "kill": lambda executable, seed: kill(executable, 200, seed),
    "calls": lambda executable, seed: calls(executable, 60, seed),
    "power": lambda executable, seed: power(executable, 250, seed),
    "damage": lambda executable, seed: damage(executable, 250, seed),
    "scenes": lambda executable, seed: scenes(executable, 5, seed),
    "export": lambda executable, seed: export(executable, 50, seed),
    "clickhouse": lambda executable, seed: clickhouse(executable, 40, seed),
}
# How long a test may take that has to notice its mutant, in seconds.
LIMIT = 120
COPIED = ["Package.swift", "Adapters", "Benchmarks", "Examples", "Sources", "Tests"]


class Mutant:
    """A removed guarantee: the files, with their original and replacing texts."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = tomllib.load(file)
        self.name = path.stem
        self.guarantee = data["guarantee"]
        # What has to notice it: a command, the module and the name of a test, or both.
        self.command, self.test = data.get("command"), data.get("test")
        self.edits = [(edit["file"], edit["text"], edit["replacement"]) for edit in data["edit"]]

    def apply(self, root):
        """Edits the copy and returns the original texts. Each text must occur exactly once."""
        before = {}
        for file, text, replacement in self.edits:
            path = pathlib.Path(root, file)
            content = path.read_text() if path.exists() else ""
            if content.count(text) != 1:
                revert(before)
                raise LookupError("the mutant no longer applies: %s has its text %d times" % (
                    file, content.count(text)))
            before.setdefault(path, content)
            path.write_text(content.replace(text, replacement))
        return before


def revert(before):
    for path, content in before.items():
        path.write_text(content)


def mutants(seed, only=None):
    report = Report("mutants", seed, ["run", "mutants", "--seed", str(seed)])
    scratch = pathlib.Path(ROOT, ".build", "mutants")
    root = copied(scratch)
    chosen = [Mutant(path) for path in sorted(pathlib.Path(ROOT, "mutants").glob("*.toml"))]
    noticed = 0
    for mutant in chosen:
        if only and mutant.name not in only:
            continue
        report.trials += 1
        wrong, account = judged(mutant, root, seed)
        if wrong:
            report.findings.append((mutant.name, wrong))
        else:
            noticed += 1
        print("mutants: %s: %s" % (mutant.name, wrong or "noticed: " + account), flush=True)
    report.notes["noticed"] = noticed
    return report


def check():
    """The mutants whose text is no longer in the sources, without building any."""
    wrong = []
    for path in sorted(pathlib.Path(ROOT, "mutants").glob("*.toml")):
        for file, text, _ in Mutant(path).edits:
            source = pathlib.Path(REPOSITORY, file)
            count = source.read_text().count(text) if source.exists() else 0
            if count != 1:
                wrong.append("%s: %s has its text %d times" % (path.stem, file, count))
    return wrong


def copied(scratch):
    """A copy of the sources that mutants may edit. It is kept for the next mutant."""
    root = scratch / "tree"
    root.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        copy(pathlib.Path(REPOSITORY, name), root / name)
    # The plan of the build, which does not notice that files were added.
    (root / ".build/shipped/release.yaml").unlink(missing_ok=True)
    return root


def copy(source, target):
    """Copies only the files that differ, so that the build stays valid."""
    if source.is_dir():
        if source.name in (".build", "__pycache__"):
            return
        target.mkdir(exist_ok=True)
        names = {path.name for path in source.iterdir()}
        for path in target.iterdir():
            if path.name not in names and path.name != ".build":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in source.iterdir():
            copy(path, target / path.name)
    elif not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)


def judged(mutant, root, seed):
    """Returns (None, the findings) or (the reason why there are none, "")."""
    try:
        before = mutant.apply(root)
    except LookupError as error:
        return str(error), ""
    try:
        wrong, account = tested(mutant, root) if mutant.test else (None, "")
        if wrong or not mutant.command:
            return wrong, account
        product = "engage" if mutant.command in ("export", "clickhouse") else worker.PRODUCT
        executable = worker.build(product, root)
        report = COMMANDS[mutant.command](executable, seed)
    except RuntimeError as error:
        return str(error), ""
    finally:
        revert(before)
    Report.unclosed.remove(report)
    if not report.findings:
        return "not noticed by %d trials of %s, without %s" % (
            report.trials, mutant.command, mutant.guarantee), ""
    where, text = report.findings[0]
    return None, "%s%s, %d findings in %d trials, first: %s" % (
        account and account + "; ", mutant.command, len(report.findings), report.trials, text)


def tested(mutant, root):
    """As `judged`, by a test of the package."""
    module, name = mutant.test.split("/", 1)
    package = ["--package-path", str(root), "--disable-xctest"]
    environment = dict(os.environ, ENGAGEMENT_TESTS=module)
    made = subprocess.run(["swift", "build", "--build-tests", *package], env=environment,
                          capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError("the tests do not build:\n%s%s" % (made.stdout, made.stderr))
    ran = subprocess.Popen(
        ["swift", "test", "--skip-build", *package, "--filter", name], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    stopping.GROUPS.add(ran.pid)
    try:
        output, _ = ran.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        # What was lost may be waited for without end. What the test has noticed before counts.
        os.killpg(ran.pid, signal.SIGKILL)
        output, _ = ran.communicate()
    stopping.GROUPS.discard(ran.pid)
    failed = [line for line in output.splitlines() if "recorded an issue" in line]
    if not failed:
        return "not noticed by %s, without %s" % (mutant.test, mutant.guarantee), ""
    return None, "%s, first: %s" % (mutant.test, failed[0].strip())
