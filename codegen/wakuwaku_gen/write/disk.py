"""What stands below the output folder now, and where we may write at all."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wakuwaku_gen.write.errors import WriteError
from wakuwaku_gen.write.manifest import MANIFEST, Manifest, parse_manifest

__all__ = ["Found", "check_output", "read_manifest", "sha256_of", "survey"]


@dataclass(frozen=True, slots=True)
class Found:
    """Hold what stands at a path: a file with its hash, or an obstacle with what it is."""

    sha256: str | None
    obstacle: str | None = None


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def check_output(output: Path, schemas: Path) -> None:
    """Raise `WriteError` when a folder must not be written to: a link, a repository, or what holds the schemas."""
    if output.is_symlink():
        raise WriteError(f"the output folder {output} is a symbolic link", "name the folder itself")
    if output.exists() and not output.is_dir():
        raise WriteError(f"the output {output} is not a folder", "name a folder with -o")
    if (output / ".git").exists():
        raise WriteError(f"the output folder {output} is a repository (it holds .git)", "name a folder inside, with -o")
    if ".git" in output.absolute().parts:
        raise WriteError(f"the output folder {output} lies in a repository's own .git", "name another folder with -o")
    if schemas.resolve().is_relative_to(output.resolve()):
        raise WriteError(f"the output folder {output} holds the schemas", "name a folder for the output alone, with -o")


def read_manifest(output: Path, tool: str) -> Manifest:
    """Return the manifest of the last run, or an empty one of `tool`; raises `WriteError` when it is broken."""
    path = output / MANIFEST
    if path.is_symlink():
        raise WriteError(f"{path} is a symbolic link", "remove it")
    try:
        return parse_manifest(path.read_bytes())
    except FileNotFoundError:
        return Manifest(tool)


def survey(output: Path, paths: Iterable[PurePosixPath]) -> Mapping[PurePosixPath, Found]:
    """Tell what stands at each path below the output folder; a path with nothing there is left out."""
    folders: dict[PurePosixPath, str | None] = {}
    found: dict[PurePosixPath, Found] = {}
    for path in paths:
        obstacle = _obstacle_above(output, path, folders)
        state = Found(None, obstacle) if obstacle else _look(output / path)
        if state is not None:
            found[path] = state
    return found


def _obstacle_above(output: Path, path: PurePosixPath, known: dict[PurePosixPath, str | None]) -> str | None:
    for folder in reversed(path.parents[:-1]):
        if folder not in known:
            known[folder] = _folder_obstacle(output / folder, folder)
        if known[folder]:
            return known[folder]
    return None


def _folder_obstacle(path: Path, shown: PurePosixPath) -> str | None:
    if path.is_symlink():
        return f"{shown} is a symbolic link"
    if path.exists() and not path.is_dir():
        return f"{shown} is not a folder"
    return f"{shown} is a repository (it holds .git)" if (path / ".git").exists() else None


def _look(path: Path) -> Found | None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode):
        return Found(sha256_of(path.read_bytes()))
    kind = "a symbolic link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else "not a plain file"
    return Found(None, f"it is {kind}")
