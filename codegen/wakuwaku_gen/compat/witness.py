"""Prove a finding: the smallest record one version writes, and the error with which the other one refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wakuwaku_gen.compat.breaks import Break
from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record
from wakuwaku_gen.compat.codecs import Codecs, DecodeError
from wakuwaku_gen.compat.payload import PayloadError, payload

__all__ = ["Prover", "Witness"]


@dataclass(frozen=True, slots=True)
class Witness:
    """Hold the bytes one version writes, and what the decoder of the other one says of them."""

    event: str
    body: bytes
    error: str


class Prover:
    """Encode with the codec of one version what the codec of another one shall refuse."""

    def __init__(self, new: Codecs, old: Codecs, catalogues: tuple[Catalogue, Catalogue]) -> None:
        self._new, self._old = new, old
        self._new_held, self._old_held = catalogues

    def backward(self, address: Address, breaks: Sequence[Break]) -> Witness | None:
        """Prove that the new version does not read what the old one writes; None when no break can be shown."""
        return _first(breaks, self._old_held, self._new_held, (self._old, self._new), address)

    def forward(self, address: Address, breaks: Sequence[Break]) -> Witness | None:
        """Prove that the old version does not read what the new one writes."""
        return _first(breaks, self._new_held, self._old_held, (self._new, self._old), address)

    def relay(self, address: Address, breaks: Sequence[Break]) -> Witness | None:
        """Prove that the new version does not read its own records after the old one read and wrote them again."""
        writer, reader = _record(self._new_held, address), _record(self._old_held, address)
        for found in breaks:
            try:
                body = self._new.rewrite(writer, payload(self._new_held, writer, found.place, found.plant))
                left = self._old.relay(reader, body)
            except (PayloadError, *DecodeError) as error:
                if not isinstance(error, PayloadError):  # the old one does not even read it
                    return self.forward(address, breaks)
                continue
            try:
                self._new.decode(writer, left)
            except DecodeError as error:
                return Witness(writer.id.name, left, str(error))
        return None


def _record(held: Catalogue, address: Address) -> Record:
    event = held.events[address]
    return Record(event.id, event.fields)


def _first(
    breaks: Sequence[Break], writing: Catalogue, reading: Catalogue, codecs: tuple[Codecs, Codecs], address: Address
) -> Witness | None:
    if address not in writing.events or address not in reading.events:
        return None
    writer, reader = _record(writing, address), _record(reading, address)
    for found in breaks:
        try:
            body = codecs[0].rewrite(writer, payload(writing, writer, found.place, found.plant))
        except (PayloadError, *DecodeError):
            continue
        try:
            codecs[1].decode(reader, body)
        except DecodeError as error:
            return Witness(writer.id.name, body, str(error))
    return None
