"""The manifest: which files below the output folder are ours, and with which bytes we left them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final, cast

from wakuwaku_gen.render.emitter import FileKind
from wakuwaku_gen.write.errors import WriteError

__all__ = ["MANIFEST", "Entry", "Manifest", "parse_manifest"]

MANIFEST: Final = PurePosixPath(".wakuwaku-manifest.json")
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold what is known of a file: whose it is, the schema files it comes from, and the SHA-256 of its bytes.

    `pending` is the hash of bytes that a run was about to write: until it has finished, both are ours. A file that was
    never finished has no `sha256`.
    """

    kind: FileKind
    source: str
    sha256: str | None
    pending: str | None = None

    def knows(self, sha256: str | None) -> bool:
        """Tell whether these are bytes that we wrote."""
        return sha256 is not None and sha256 in (self.sha256, self.pending)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Hold the entries by path, and the tool that wrote them."""

    tool: str
    files: Mapping[PurePosixPath, Entry] = field(default_factory=dict[PurePosixPath, Entry])

    def encode(self) -> bytes:
        """Return the manifest as it stands in its file: JSON, sorted by path."""
        files = {str(path): _encoded(self.files[path]) for path in sorted(self.files)}
        text = json.dumps({"wakuwaku": _FORMAT, "tool": self.tool, "files": files}, indent=2, ensure_ascii=False)
        return f"{text}\n".encode()


def parse_manifest(data: bytes) -> Manifest:
    """Read a manifest; raises `WriteError` when it is none, or when a path in it leads out of the output folder."""
    try:
        raw = json.loads(data)
        if raw["wakuwaku"] != _FORMAT:
            raise WriteError(f"{MANIFEST} is of format {raw['wakuwaku']}, newer than this tool", "update wakuwaku")
        files = cast("dict[str, dict[str, Any]]", raw["files"])
        return Manifest(str(raw["tool"]), {_path(name): _entry(entry) for name, entry in files.items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WriteError(
            f"{MANIFEST} can't be read: {error}",
            "restore it from version control, or delete it: files that are up to date are then taken over again",
        ) from error


def _path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or ":" in name:
        raise ValueError(f"{name!r} leads out of the output folder")
    return path


def _entry(raw: Mapping[str, Any]) -> Entry:
    return Entry(FileKind(raw["kind"]), str(raw["source"]), _hash(raw.get("sha256")), _hash(raw.get("pending")))


def _hash(raw: object) -> str | None:
    if raw is None or isinstance(raw, str):
        return raw
    raise TypeError(f"not a hash: {raw!r}")


def _encoded(entry: Entry) -> dict[str, str]:
    given = {
        "kind": entry.kind.value,
        "source": entry.source,
        "sha256": entry.sha256,
        "pending": entry.pending,
    }
    return {name: value for name, value in given.items() if value is not None}
