"""What someone let pass, and why: in the schema beside the thing, in a file, or in the lock of an earlier release."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from wakuwaku_gen.compat.catalogue import Catalogue
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.finding import fingerprint
from wakuwaku_gen.compat.rules import BY_ID, current_id
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span, did_you_mean
from wakuwaku_gen.model.schema import AllowModel

__all__ = ["APPROVALS", "Approval", "Approvals", "read_approvals"]

#: The file of approvals beside the schemas; no `*.toml`, since that would be a schema.
APPROVALS: Final = "wakuwaku.approvals"


@dataclass(frozen=True, slots=True)
class Approval:
    """Let findings of a rule pass at a place, for a reason.

    `place` is a topic, a topic and a tag, or a type, perhaps with a path inside; with a `fingerprint` it is one finding
    only. After the day `expires` it is of no use.
    """

    rule: str
    place: str
    reason: str
    span: Span
    fingerprint: str | None = None
    expires: dt.date | None = None

    def covers(self, edit: Edit) -> bool:
        """Tell whether it lets an edit pass."""
        if current_id(self.rule) != edit.rule:
            return False
        if self.fingerprint is not None and self.fingerprint != fingerprint(edit):
            return False
        subject = str(edit.subject)
        return subject == self.place or subject.startswith(tuple(self.place + end for end in ".[{"))


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: str
    at: str
    reason: str
    fingerprint: str | None = None
    expires: dt.date | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    approve: tuple[_Entry, ...] = ()


def read_approvals(path: Path, shown: PurePosixPath) -> tuple[Approval, ...]:
    """Read a file of approvals; none when there is no file. Raises `CompatError` when it is broken."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise CompatError(f"{shown}: the approvals can't be read: {error}", "let your user read it") from error
    try:
        entries = msgspec.convert(tomllib.loads(text), _File).approve
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        help_ = 'it has entries such as [[approve]] with rule, at and reason: at = "orders/3.note"'
        raise CompatError(f"{shown}: no file of approvals: {error}", help_) from error
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith("[[approve")]
    for entry in entries:
        if not entry.reason.strip():
            raise CompatError(
                f"{shown}: the approval of {entry.rule} at {entry.at} has no reason", "say why it may pass"
            )
    return tuple(
        Approval(
            entry.rule,
            entry.at,
            entry.reason,
            Span(shown, lines[index] if index < len(lines) else 1),
            entry.fingerprint,
            entry.expires,
        )
        for index, entry in enumerate(entries)
    )


def in_schema(allows: Iterable[AllowModel], held: Catalogue) -> Iterator[Approval]:
    """Return the approvals that stand in the schema: every `allow` of a rule of compatibility."""
    places = {event.id: f"{topic}/{tag}" for (topic, tag), event in held.events.items()}
    places |= {key.id: topic for topic, key in held.keys.items()}
    fields = {event.id: event.fields for event in held.events.values()} | {
        key.id: key.fields for key in held.keys.values()
    }
    fields |= {name: getattr(model, "fields", ()) for name, model in held.types.items()}
    for allow in allows:
        if allow.rule.startswith("WK"):
            continue
        place = places.get(allow.owner, str(allow.owner))
        if allow.field is not None:
            wires = {field.name: field.wire for field in fields.get(allow.owner, ())}
            place = f"{place}.{wires.get(allow.field, allow.field)}"
        yield Approval(allow.rule, place, allow.reason, allow.span)


class Approvals:
    """Know what may pass, and which approvals nobody needed."""

    def __init__(self, given: Sequence[Approval], today: dt.date) -> None:
        self._valid = [one for one in given if one.expires is None or one.expires >= today]
        self._expired = [one for one in given if one not in self._valid]
        self._used: set[int] = set()
        self._told_former: set[str] = set()

    def reason(self, edit: Edit) -> str | None:
        """Return why an edit may pass, or None when nobody said it may."""
        for number, approval in enumerate(self._valid):
            if approval.covers(edit):
                self._used.add(number)
                return approval.reason
        return None

    def remarks(self, found: Iterable[Edit]) -> Iterator[Diagnostic]:
        """Return what to say of approvals: unknown rules, former ids, those that are over or of no use."""
        edits = list(found)
        for number, one in enumerate(self._valid):
            rule = current_id(one.rule)
            if rule not in BY_ID:
                help_ = did_you_mean(one.rule, BY_ID) or "`wakuwaku explain` lists all rules"
                yield Diagnostic(one.span, "APPROVAL_UNKNOWN", f"there is no rule {one.rule!r}", help_)
            elif number not in self._used:
                message = f"nothing at {one.place} breaks {rule}"
                yield Diagnostic(one.span, "APPROVAL_UNUSED", message, "remove it", severity=Severity.WARNING)
            if rule != one.rule and one.rule not in self._told_former:
                self._told_former.add(one.rule)
                message = f"{one.rule} is called {rule} now"
                yield Diagnostic(one.span, "APPROVAL_RENAMED", message, "write the new id", severity=Severity.HINT)
        for one in self._expired:
            if any(one.covers(edit) for edit in edits):
                message = f"the approval of {one.rule} at {one.place} was good until {one.expires}"
                yield Diagnostic(one.span, "APPROVAL_EXPIRED", message, "renew it with a reason, or undo the change")


def accepted(records: Mapping[str, int], edit: Edit) -> int:
    """Return the number of the release that accepted an edit, or -1 when none did."""
    return records.get(fingerprint(edit), -1)
