"""Builds images of a folder after a power failure from a record of calls.

Everything synced survives. The rest depends on the model:

`ext4`    names and lengths reach the disk in their order, and a sync of any file brings all that
          came before; of the written bytes any subset survives, each write whole or as a prefix of
          its 512-byte sectors;
`strict`  only what POSIX promises: also of names and lengths any subset survives, a name
          only for certain once its folder was synced, and of a write any of its sectors.
"""

import os
import pathlib
import struct

SECTOR = 512
HEADER = struct.Struct("<c3xIQQQ")
MODELS = ["ext4", "strict"]


class Record:
    __slots__ = "kind inode offset at data".split()

    def __init__(self, kind, inode, offset, at, data):
        self.kind, self.inode, self.offset, self.at, self.data = kind, inode, offset, at, data


def read(path):
    """The complete records of a log."""
    blob = pathlib.Path(path).read_bytes()
    records, place = [], 0
    while place + HEADER.size <= len(blob):
        kind, length, inode, offset, at = HEADER.unpack_from(blob, place)
        place += HEADER.size
        if place + length > len(blob):
            break
        records.append(Record(kind.decode(), inode, offset, at, blob[place:place + length]))
        place += length
    return records


class File:
    """The changes of one inode."""

    def __init__(self):
        self.changes = []      # (sequence, kind, offset, data)
        self.synced = -1       # everything before this sequence is on the disk


class Trace:
    """The calls in order, and possible images of the disk at any point."""

    def __init__(self, records, folder):
        self.records = records
        self.folder = os.path.realpath(folder)

    def points(self, generator, count):
        """Points of a power failure: half of them right after an accepted action."""
        lines = [index + 1 for index, record in enumerate(self.records)
                 if record.kind == "L" and b"accepted" in record.data]
        for number in range(count):
            if lines and number % 2:
                yield generator.choice(lines)
            else:
                yield generator.randrange(1, len(self.records) + 1)

    def lines(self, point):
        """The worker's lines before the point."""
        said = b"".join(record.data for record in self.records[:point] if record.kind == "L")
        return said.decode().splitlines()

    def time(self, point):
        return self.records[point - 1].at

    def image(self, point, model, generator, into):
        """Writes one possible state of the folder at the point."""
        files, names, folder_synced = self._replayed(point)
        last_sync = max([file.synced for file in files] + [folder_synced])
        if model == "ext4":
            # The journal is sequential: it has everything up to a point after the last sync.
            reached = generator.randint(last_sync, point) if point > last_sync else last_sync
            keeps = lambda sequence, certain: sequence < reached
        else:
            keeps = lambda sequence, certain: sequence < certain or generator.random() < 0.5
        present = {}
        for sequence, kind, path, other in names:
            if not keeps(sequence, folder_synced):
                continue
            if kind == "made":
                present[path] = other
            elif kind == "unlinked":
                present.pop(path, None)
            elif path in present:
                present[other] = present.pop(path)
        for path, file in present.items():
            target = pathlib.Path(into, os.path.relpath(path, self.folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            # The library creates each file with this mode.
            target.touch(mode=0o600)
            target.write_bytes(self._content(file, keeps, model, generator))

    def _replayed(self, point):
        files, by_inode, names, folder_synced = [], {}, [], -1
        for sequence, record in enumerate(self.records[:point]):
            if record.kind == "O":
                # The system may reuse the inode number of a removed file.
                by_inode[record.inode] = File()
                files.append(by_inode[record.inode])
                names.append((sequence, "made", record.data.decode(), files[-1]))
            elif record.kind in "WT" and record.inode in by_inode:
                by_inode[record.inode].changes.append(
                    (sequence, record.kind, record.offset, record.data))
            elif record.kind == "S" and record.inode in by_inode:
                by_inode[record.inode].synced = sequence
            elif record.kind == "D":
                folder_synced = sequence
            elif record.kind == "U":
                names.append((sequence, "unlinked", record.data.decode(), None))
            elif record.kind == "R":
                before, after = record.data.decode().split("\0")
                names.append((sequence, "renamed", before, after))
        return files, names, folder_synced

    def _content(self, file, keeps, model, generator):
        content = bytearray()
        for sequence, kind, offset, data in file.changes:
            if kind == "T":
                if sequence < file.synced or keeps(sequence, file.synced):
                    del content[offset:]
                    content.extend(bytes(offset - len(content)))
            elif sequence < file.synced:
                put(content, offset, data)
            else:
                for start, part in surviving(offset, data, model, generator):
                    put(content, start, part)
        return bytes(content)


def put(content, offset, data):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def surviving(offset, data, model, generator):
    """The pieces of an unsynced write that reached the disk."""
    fate = generator.random()
    if fate < 0.3:
        return []
    if fate < 0.7:
        return [(offset, data)]
    sectors = []
    place = 0
    while place < len(data):
        length = min(SECTOR - (offset + place) % SECTOR, len(data) - place)
        sectors.append((offset + place, data[place:place + length]))
        place += length
    if model == "strict":
        return [sector for sector in sectors if generator.random() < 0.5]
    return sectors[:generator.randrange(len(sectors) + 1)]
