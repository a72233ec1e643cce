"""The export of a log as lines of JSON: what each line holds, writing them and reading them back.

One JSON object a line, UTF-8, bytes as base64. `kind` says what a line is:

==========  =================================================================================================
kind        members
==========  =================================================================================================
``log``     `format` (1), `stream`, `exported_at_ms`; the first line
``topic``   `name`, `partitions`, and its retention if it has one: `max_age` (seconds), `max_bytes`,
            `drop_consumed`
``record``  `topic`, `partition`, `offset`, `at_ms` (when it was appended), `headers` (base64 by name), `body`
            (base64); ascending by offset in each partition
``stored``  `consumer`, `topic`, `partition`, `offset`: the last offset the consumer is done with
``end``     `records`: how many came before; the last line, so that an export that was cut short is noticed
==========  =================================================================================================

Topics come before their records, and what consumers stored after all records. Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from wakuwaku.errors import LogFormatError
from wakuwaku.headers import Record
from wakuwaku.log.arguments import MAX_OFFSET, MAX_PARTITIONS
from wakuwaku.log.retention import Retention

__all__ = ["EndLine", "Line", "LogLine", "RecordLine", "StoredLine", "TopicLine", "encode_line", "read_lines"]

#: Raised when a reader of today would misunderstand what is written.
FORMAT: Final = 1


class LogLine(msgspec.Struct, frozen=True, tag_field="kind", tag="log"):
    """Begin an export."""

    format: int
    stream: str
    exported_at_ms: int


class TopicLine(msgspec.Struct, frozen=True, tag_field="kind", tag="topic", omit_defaults=True):
    """Describe a topic."""

    name: str
    partitions: int
    max_age: float | None = None
    max_bytes: int | None = None
    drop_consumed: bool = False

    @property
    def retention(self) -> Retention:
        """Return what the topic keeps. Raises `ValueError`."""
        return Retention(max_age=self.max_age, max_bytes=self.max_bytes, drop_consumed=self.drop_consumed)


class RecordLine(msgspec.Struct, frozen=True, tag_field="kind", tag="record"):
    """Hold a record with its place."""

    topic: str
    partition: int
    offset: int
    at_ms: int
    headers: dict[str, bytes]
    body: bytes

    @property
    def record(self) -> Record:
        """Return the record as a log keeps it."""
        return Record.of(self.headers, self.body)


class StoredLine(msgspec.Struct, frozen=True, tag_field="kind", tag="stored"):
    """Hold the offset a consumer stored."""

    consumer: str
    topic: str
    partition: int
    offset: int


class EndLine(msgspec.Struct, frozen=True, tag_field="kind", tag="end"):
    """End an export."""

    records: int


Line: TypeAlias = LogLine | TopicLine | RecordLine | StoredLine | EndLine

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Line)


def encode_line(line: Line) -> bytes:
    """Encode a line, with its line break."""
    return _ENCODER.encode(line) + b"\n"


def read_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Line]]:
    """Decode an export, and yield each line but the last with its number; empty lines are passed over.

    Raises `LogFormatError`, naming the line, for one that is not of the format, for a record that does not come behind
    its topic and the record before, and for an export without a beginning or an end.
    """
    reader = _Reader()
    number = 0
    for number, text in enumerate(lines, start=1):
        if text.strip():
            line = _decoded(number, text)
            reader.check(number, line)
            if not isinstance(line, EndLine):
                yield number, line
    if not reader.ended:
        raise LogFormatError(f"the export is cut short: line {number} is its last, and not an end line; export again")


def _decoded(number: int, text: bytes) -> Line:
    try:
        return _DECODER.decode(text)
    except msgspec.MsgspecError as error:
        raise LogFormatError(f"line {number} is not of an export: {error}") from error


class _Reader:
    """Follow the order of lines."""

    def __init__(self) -> None:
        self.ended = False
        self._begun = False
        self._records = 0
        self._ends: dict[tuple[str, int], int] = {}

    def check(self, number: int, line: Line) -> None:
        """Refuse a line that does not follow those before."""
        if self.ended:
            raise LogFormatError(f"line {number} comes behind the end of the export")
        if self._begun == isinstance(line, LogLine):
            raise LogFormatError(f"line {number}: an export begins with one log line, and has no second one")
        match line:
            case LogLine(format=version):
                if version != FORMAT:
                    raise LogFormatError(f"line {number}: the export has format {version}; this version knows {FORMAT}")
                self._begun = True
            case TopicLine():
                self._topic(number, line)
            case RecordLine():
                self._record(number, line)
            case StoredLine(topic=topic, partition=partition):
                self._place(number, topic, partition)
            case EndLine(records=records):
                if records != self._records:
                    raise LogFormatError(f"line {number}: {records} records were exported, {self._records} are here")
                self.ended = True

    def _topic(self, number: int, line: TopicLine) -> None:
        if not 1 <= line.partitions <= MAX_PARTITIONS or (line.name, 0) in self._ends:
            raise LogFormatError(
                f"line {number}: topic {line.name!r} comes twice, or has not 1 to {MAX_PARTITIONS} partitions"
            )
        try:
            _ = line.retention
        except ValueError as error:
            raise LogFormatError(f"line {number}: {error}") from error

        self._ends |= {(line.name, partition): 0 for partition in range(line.partitions)}

    def _record(self, number: int, line: RecordLine) -> None:
        self._place(number, line.topic, line.partition)
        end = self._ends[line.topic, line.partition]
        if not end <= line.offset < MAX_OFFSET:
            raise LogFormatError(
                f"line {number}: offset {line.offset} of {line.topic}/{line.partition} can't come behind {end - 1}"
            )
        self._ends[line.topic, line.partition] = line.offset + 1
        self._records += 1

    def _place(self, number: int, topic: str, partition: int) -> None:
        if (topic, partition) not in self._ends:
            raise LogFormatError(f"line {number}: no topic line before says that there is {topic}/{partition}")
