"""Past versions straight out of a git repository: blobs are read, nothing is checked out, the index is not touched."""

from __future__ import annotations

import fnmatch
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wakuwaku_gen.compat.errors import CompatError

__all__ = ["Commit", "Repository"]


@dataclass(frozen=True, slots=True)
class Commit:
    """Name a commit: its hash, and how messages call it."""

    id: str
    label: str


class Repository:
    """Read one repository; `folder` is any folder inside. Raises `CompatError` when there is none, or no git."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder if folder.is_dir() else folder.parent
        top = self._run("rev-parse", "--show-toplevel")
        if top is None:
            help_ = "compare with a folder or a lock: --against DIR, --against FILE.lock"
            raise CompatError(f"{folder} is in no git repository", help_)
        self.root = Path(top.decode().rstrip("\n"))

    def _run(self, *arguments: str, data: bytes | None = None) -> bytes | None:
        """Return what git prints, or None when it fails."""
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        try:
            done = subprocess.run(  # noqa: S603 - git, with arguments of our own
                ["git", "-C", str(self._folder), *arguments],  # noqa: S607 - the one on the path
                input=data,
                capture_output=True,
                check=False,
                env=environment,
            )
        except FileNotFoundError as error:
            raise CompatError("git is not installed", "install it, or compare with a folder or a lock") from error
        return done.stdout if done.returncode == 0 else None

    # commits

    def commit(self, ref: str, *, tip: bool = False, fetch: bool = False) -> Commit:
        """Return the commit a ref stands for: of a branch that where this one left it, unless `tip` asks for its end.

        `origin/REF` is tried where there is no REF. Raises `CompatError` with the command that helps.
        """
        found = self._resolve(ref)
        if found is None and fetch:
            self._run("fetch", "--no-tags", *self._depth(), "origin", f"{ref}:refs/remotes/origin/{ref}")
            self._run("fetch", *self._depth(), "origin", f"refs/tags/{ref}:refs/tags/{ref}")
            found = self._resolve(ref)
        if found is None:
            shallow = " and this clone is shallow" if self.is_shallow else ""
            raise CompatError(f"there is no ref {ref!r} here{shallow}", self._fetching(ref))
        name, commit = found
        if tip or not self._is_branch(name):
            return Commit(commit, ref)
        base = self._run("merge-base", "HEAD", commit)
        if base is None and fetch:
            self._run("fetch", "--unshallow", "origin")
            base = self._run("merge-base", "HEAD", commit)
        if base is None:
            help_ = (
                "git fetch --unshallow origin"
                if self.is_shallow
                else f"compare with its end: --tip --against git:{ref}"
            )
            raise CompatError(f"no commit is known that this branch and {ref!r} come from", help_)
        return Commit(base.decode().strip(), ref)

    def _resolve(self, ref: str) -> tuple[str, str] | None:
        for name in (ref, f"origin/{ref}"):
            if name.startswith("-"):
                continue
            commit = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            if commit is not None:
                return name, commit.decode().strip()
        return None

    def _is_branch(self, name: str) -> bool:
        full = self._run("rev-parse", "--symbolic-full-name", name)
        return full is not None and full.startswith((b"refs/heads/", b"refs/remotes/"))

    @property
    def is_shallow(self) -> bool:
        """Tell whether the history was cut when the repository was cloned."""
        return (self._run("rev-parse", "--is-shallow-repository") or b"").strip() == b"true"

    def _depth(self) -> tuple[str, ...]:
        return ("--depth=1",) if self.is_shallow else ()

    def _fetching(self, ref: str) -> str:
        command = " ".join(("git fetch", *self._depth(), "origin", f"{ref}:refs/remotes/origin/{ref}"))
        return f"{command} (for a tag: {' '.join(('git fetch', *self._depth(), 'origin', 'tag', ref))})"

    def latest_tag(self, pattern: str, *, fetch: bool = False) -> Commit | None:
        """Return the highest tag a pattern matches, by version; None when none does.

        A tag on the very commit that is checked out counts: it is what was released.
        """
        if fetch:
            self._run("fetch", *self._depth(), "origin", "--tags")
        names = self._run("tag", "--list", "--sort=-version:refname") or b""
        for name in names.decode().splitlines():
            if fnmatch.fnmatchcase(name, pattern) and (found := self._resolve(f"refs/tags/{name}")) is not None:
                return Commit(found[1], name)
        return None

    # blobs

    def schemas(self, commit: Commit, folder: PurePosixPath) -> dict[PurePosixPath, bytes]:
        """Return the schema files below a folder of a commit, by their path in the repository."""
        command = ("ls-tree", "-r", "-z", "--full-tree", commit.id)
        listed = self._run(*command, *(["--", f"{folder}/"] if folder != PurePosixPath() else []))
        if listed is None:
            help_ = "git fetch --unshallow origin" if self.is_shallow else "check the repository: git fsck"
            raise CompatError(f"the files of {commit.label!r} can't be read", help_)
        blobs: dict[PurePosixPath, str] = {}
        for entry in filter(None, listed.split(b"\0")):
            about, _, name = entry.partition(b"\t")
            mode, kind, blob = about.decode().split()
            if kind == "blob" and mode != "120000" and name.endswith(b".toml"):
                blobs[PurePosixPath(name.decode("utf-8", "surrogateescape"))] = blob
        return dict(zip(blobs, self._blobs(list(blobs.values()), commit), strict=True))

    def file(self, commit: Commit, path: PurePosixPath) -> bytes | None:
        """Return one file of a commit, or None when it has none of that name."""
        return self._run("cat-file", "blob", f"{commit.id}:{path}")

    def _blobs(self, ids: list[str], commit: Commit) -> list[bytes]:
        if not ids:
            return []
        out = self._run("cat-file", "--batch", data="".join(f"{one}\n" for one in ids).encode())
        found: list[bytes] = []
        at = 0
        while out is not None and at < len(out):
            end = out.index(b"\n", at)
            about = out[at:end].split()
            if len(about) != 3:
                break
            size = int(about[2])
            found.append(out[end + 1 : end + 1 + size])
            at = end + size + 2
        if len(found) != len(ids):
            raise CompatError(
                f"some files of {commit.label!r} are missing from this clone", f"git fetch origin {commit.id}"
            )
        return found
