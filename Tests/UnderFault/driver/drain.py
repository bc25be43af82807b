"""The end of a trial: the faults stop, and everything accepted has to arrive."""

from driver import cache
from driver.worker import Worker
from vendors.books import ANONYMOUS, Key, key_of
from vendors.braze import POISON

LIMIT = 60


def drain(executable, server, folder, life):
    """Lets a new worker deliver the pending rows, then checks the books. Returns the findings."""
    server.faults.rate = 0.0
    server.is_away = False
    offers = server.books.offers
    if offers:
        offers.opened()
    worker = Worker(executable, "drain", server.books, folder=folder, port=server.port, life=life,
                    users=",".join(sorted(server.vibes.users)),
                    **({"campaigns": "yes"} if offers else {}),
                    **({"live": "yes"} if server.books.also else {}))
    wrong = worker.finish(LIMIT)
    if wrong:
        server.books.finding("the drain " + wrong)
    for line in worker.said:
        word, _, rest = line.partition(" ")
        if word == "left" and rest.split()[1] != "0":
            server.books.finding("not delivered in the end: %s" % rest)
        if word == "health" and rest != "sound":
            server.books.finding("health: %s" % rest)
        if word == "fault":
            server.books.finding("the drain: %s" % rest)
    if not wrong and "done" not in worker.said:
        server.books.finding("the drain did not finish: %s" % worker.said[-3:])
    for provider, verb, target, why in cache.rejected(folder):
        # The only rejections for which these servers have a reason. The cache keeps them.
        if provider in ("braze", "atomic") and server.braze.refuses_poison and (
                isinstance(target, dict) and target.get("n", 1) % POISON == 0
                and why.startswith("invalidArgument")):
            server.books.rejected(Key(provider, target["user"], "track", target["n"]))
        elif provider == "atomic" and target in server.books.people.withdrawn and (
                why.startswith("notFound")):
            server.books.rejected(Key(provider, target.split(".")[1], verb, target))
        elif provider == "atomic" and (verb, target) in server.atomic.conflicts and (
                why.startswith("conflict")):
            server.books.rejected(Key(provider, target.split(".")[1], verb, target))
        elif provider == "vibes" and target and why.startswith("conflict"):
            server.books.rejected(key_of(provider, None, verb, target))
        else:
            server.books.finding("rejected without a refusal by the server: %s of %s at %s, %s" % (
                verb, target, provider, why))
    for number in cache.visits(folder):
        # Nobody may take it over any more, and the vendor takes nothing anonymous from this device.
        server.books.rejected(Key("braze", ANONYMOUS, "visit", number))
    if offers and not wrong:
        offers.verify(folder, server.clevertap)
    server.books.verify(is_final=not wrong)
    return server.books.findings
