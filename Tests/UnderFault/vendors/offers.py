"""Compares what the worker's presenter got with what the cache keeps of it."""

import collections
import hashlib
import pathlib

from driver import cache
from vendors.clevertap import most

# A presenter gets a campaign again if the process ended before it was recorded as presented, once.
MOST = 2


class Offers:
    def __init__(self, books):
        self.books = books
        # Id of a queued campaign -> how often the presenter got it
        self.presents = collections.Counter()
        # The ids whose presentation was in the cache before the worker said so
        self.recorded = set()
        self.visible = None

    # The worker's lines

    def opened(self):
        """A process begins: nothing is visible."""
        self.visible = None

    def presented(self, id, file):
        self.books.count("presentations")
        if self.visible is not None:
            self.books.finding("%s is presented while %s is visible" % (id, self.visible))
        if id in self.recorded:
            self.books.finding("%s is presented again after it was recorded" % id)
        if file != "sound":
            self.books.finding("%s is presented with a file that is %s" % (id, file))
        self.presents[id] += 1
        if self.presents[id] > MOST:
            self.books.finding("%s is presented %d times" % (id, self.presents[id]))
        self.visible = id

    def was_recorded(self, id):
        self.books.count("presentations recorded")
        self.recorded.add(id)

    def gone(self, id):
        if self.visible == id:
            self.visible = None

    # Checks

    def faults(self, folder):
        """What the cache of an ended process says that cannot be."""
        rows = {str(id): (handed_over, presented)
                for id, handed_over, presented in entries(folder, QUEUE)}
        for id, (handed_over, presented) in rows.items():
            if self.presents[id] > handed_over:
                yield "%s was presented %d times, and the cache knows of %d" % (
                    id, self.presents[id], handed_over)
            if id in self.recorded and not presented:
                yield "%s was recorded as presented, and is not any more" % id
        counted = {tuple(key): count for *key, count in entries(folder, COUNTED)}
        presented = {tuple(key): count for *key, count in entries(folder, PRESENTED)}
        for key in counted.keys() | presented.keys():
            if counted.get(key, 0) != presented.get(key, 0):
                yield "%s to %s counts %d times, and was presented %d times" % (
                    key[1], key[0], counted.get(key, 0), presented.get(key, 0))
            limit = most(int(key[1]))
            if limit is not None and presented.get(key, 0) > limit:
                yield "%s was presented %d times to %s" % (key[1], presented[key], key[0])
        yield from wrong_files(folder)

    def verify(self, folder, vendor):
        """After the drain: the vendor was told of everything."""
        vendor.verify()
        for user, campaign, count in entries(folder, PRESENTED):
            told = vendor.told(user, int(campaign))
            if told < count:
                self.books.finding("LOST: the vendor was told of %d of %d presentations of %s to %s" % (
                    told, count, campaign, user))


QUEUE = "SELECT id, hand_overs, presented FROM campaign_queue"
COUNTED = """SELECT CAST(user AS TEXT), CAST(campaign AS TEXT), count(*) FROM campaign_presentation
    JOIN partition ON partition.id = campaign_presentation.partition GROUP BY 1, 2"""
PRESENTED = """SELECT CAST(user AS TEXT), CAST(item AS TEXT), count(*) FROM ledger
    JOIN partition ON partition.id = ledger.partition WHERE type = 'template.presented' GROUP BY 1, 2"""


def entries(folder, query):
    return [row for row in cache.looked(folder, lambda connection: connection.execute(query)
            if cache.tables(connection) >= {"campaign_queue"} else []) if isinstance(row, tuple)]


def wrong_files(folder):
    """A kept file has the digest of its contents as its name."""
    for path in pathlib.Path(folder, cache.NAME + ".files", "objects").glob("*"):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if not path.name.startswith(digest):
            yield "the kept file %s has the contents of %s" % (path.name, digest)
