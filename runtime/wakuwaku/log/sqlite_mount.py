"""Telling a network file system from a local one, since SQLite's locks and shared memory hold on one machine only."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["network_filesystem_of"]

_NETWORK: Final = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "lustre", "nfs", "nfs4", "ncpfs", "smb3", "smbfs"}
)


def network_filesystem_of(path: Path, mounts: str) -> str | None:
    """Return the type of the network file system `path` is on, or None.

    `path` is resolved; `mounts` is the text of ``/proc/self/mountinfo`` (see proc(5)), empty where there is none: then
    the answer is None.
    """
    depth, filesystem = -1, ""
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        point = Path(_unescaped(fields.split()[4]))
        # Of two mounts at one point the later hides the earlier.
        if path.is_relative_to(point) and len(point.parts) >= depth:
            depth, filesystem = len(point.parts), kind.split()[0]
    return filesystem if filesystem in _NETWORK else None


def _unescaped(text: str) -> str:
    # The kernel writes space, tab, newline and backslash as three octal digits.
    for character in " \t\n\\":
        text = text.replace(f"\\{ord(character):03o}", character)
    return text
