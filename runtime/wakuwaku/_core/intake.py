"""Read the headers of polled records: which are handled, which are passed over, which can't be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wakuwaku._core.commands import Dead, DeadReason, Failure
from wakuwaku._core.plan import Entry
from wakuwaku._core.settings import UnknownEvents
from wakuwaku.algebra import Algebra
from wakuwaku.errors import HeaderError
from wakuwaku.headers import HEAD, HEAD_LENGTH, PROPS_BY_BYTES, Record, parse_head

__all__ = ["Intake", "first_unknown"]

_NO_ORDERINGS: Mapping[bytes, int] = {}


class Intake:
    """Sort records by what their headers say.

    `algebras` has the registered algebra of every tag that is handled. Tags in `ignored` are passed over on purpose;
    `unknown` says what becomes of every tag that is in neither.
    """

    def __init__(self, algebras: Mapping[int, Algebra], *, ignored: frozenset[int], unknown: UnknownEvents) -> None:
        self._algebras = algebras
        self._ignored = ignored
        self._unknown = unknown
        self._orderings = {
            tag: {
                props: int(ordering) for props, (ordering, algebra) in PROPS_BY_BYTES.items() if algebra is registered
            }
            for tag, registered in algebras.items()
        }

    def sort(
        self, offsets: Sequence[int], records: Sequence[Record]
    ) -> tuple[list[tuple[int, Entry]], list[int], list[Dead]]:
        """Return what is to be handled (key and entry), the offsets to pass over, and what can't be handled."""
        handled: list[tuple[int, Entry]] = []
        passed_over: list[int] = []
        refused: list[Dead] = []
        orderings, unpack = self._orderings, HEAD.unpack
        for offset, record in zip(offsets, records, strict=True):
            if len(record.head) == HEAD_LENGTH:
                tag, key, props = unpack(record.head)
                ordering = orderings.get(tag, _NO_ORDERINGS).get(props)
                if ordering is not None:
                    handled.append((key, Entry(offset, tag, ordering, record)))
                    continue
            dead = self.refusal(offset, record)
            if dead is None:
                passed_over.append(offset)
            else:
                refused.append(dead)
        return handled, passed_over, refused

    def refusal(self, offset: int, record: Record) -> Dead | None:
        """Say why a record can't be handled, or return None when it is to be passed over."""
        try:
            head = parse_head(record)
        except HeaderError as error:
            return Dead(offset, record, DeadReason.BAD_HEADER, Failure("HeaderError", str(error)))
        if head.tag in self._ignored:
            return None
        registered = self._algebras.get(head.tag)
        if registered is None:
            if self._unknown is UnknownEvents.SKIP:
                return None
            failure = Failure("UnknownTag", f"no handler knows tag {head.tag}")
            return Dead(offset, record, DeadReason.UNKNOWN_TAG, failure)
        message = f"tag {head.tag} is {registered.name}, the record says {head.algebra.name}"
        return Dead(offset, record, DeadReason.ALGEBRA_MISMATCH, Failure("AlgebraMismatch", message))


def first_unknown(refused: Sequence[Dead]) -> Dead | None:
    """Return the first record whose tag no handler knows, or None."""
    return next((dead for dead in refused if dead.reason is DeadReason.UNKNOWN_TAG), None)
