"""Count in a log what a change does to the records that are there.

A log is read through the export that the runtime writes: from a file of its lines, or out of an embedded log by the
function that the runtime names under the entry points `wakuwaku.evidence`, since the generator does not import it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record
from wakuwaku_gen.compat.codecs import Codecs, DecodeError
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.finding import Count

__all__ = ["count_records"]

_SQLITE: Final = b"SQLite format 3\0"
_TAG: Final = "wakuwaku-tag"


def count_records(places: Iterable[str], held: Catalogue, wanted: frozenset[Address]) -> Mapping[Address, Count]:
    """Return, for each event that is wanted, how many records the logs have and how many a version does not read.

    A place is a file that `wakuwaku log export` wrote, or an embedded log: `events.db#stream`. Raises `CompatError` for
    one that can't be read.
    """
    codecs = Codecs(held)
    counts = {address: [0, 0] for address in wanted}
    for place in places:
        for address, body in _records(place):
            if address not in counts:
                continue
            counts[address][0] += 1
            event = held.events.get(address)
            if event is None or not _reads(codecs, Record(event.id, event.fields), body):
                counts[address][1] += 1
    return {address: Count(records, unread) for address, (records, unread) in counts.items()}


def _reads(codecs: Codecs, record: Record, body: bytes) -> bool:
    try:
        codecs.decode(record, body)
    except DecodeError:
        return False
    return True


def _records(place: str) -> Iterator[tuple[Address, bytes]]:
    ended = False
    for number, line in enumerate(_lines(place), 1):
        if not line.strip():
            continue
        try:
            data: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
            ended = data["kind"] == "end"
            if data["kind"] == "record" and _TAG in data["headers"]:
                tag = int.from_bytes(base64.b64decode(data["headers"][_TAG]), "little")
                yield (data["topic"], tag), base64.b64decode(data["body"])
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            help_ = "write it with `wakuwaku log export`"
            raise CompatError(f"{place}:{number}: no line of an exported log", help_) from error
    if not ended:
        raise CompatError(f"{place}: the export was cut short: its last line is missing", "export the log again")


def _lines(place: str) -> Iterator[bytes]:
    name, _, stream = place.partition("#")
    path = Path(name)
    try:
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) != _SQLITE:
                file.seek(0)
                yield from file
                return
    except OSError as error:
        help_ = "name an export of `wakuwaku log export`, or an embedded log"
        raise CompatError(f"{place}: {(error.strerror or str(error)).lower()}", help_) from error
    yield from _exported(path, stream or "default", place)


def _exported(path: Path, stream: str, place: str) -> Iterator[bytes]:
    readers = entry_points(group="wakuwaku.evidence", name="sqlite")
    if not readers:
        help_ = f"export it where the runtime is installed: wakuwaku log export {path} --stream {stream}"
        raise CompatError(f"{place}: the runtime, which reads embedded logs, is not installed", help_)
    export = cast("Callable[..., Iterator[bytes]]", next(iter(readers)).load())
    try:
        yield from export(path, stream=stream)
    except CompatError:
        raise
    except Exception as error:  # its errors are the runtime's own, which can't be named here
        raise CompatError(f"{place}: {error}", "check it: wakuwaku log check") from error
