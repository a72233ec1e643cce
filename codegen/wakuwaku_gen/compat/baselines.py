"""Past versions by the words of `--against`: a git ref, the highest tag of a pattern, a folder, or a lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from wakuwaku_gen.compat.catalogue import Catalogue, catalogue_of
from wakuwaku_gen.compat.checker import Baseline
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.git import Commit, Repository
from wakuwaku_gen.compat.lock import Lock, parse_lock
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load import Document, load_folder
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.folder import shown_path
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model import build_schema

__all__ = ["Baselines", "read_lock"]

_TAGS, _GIT = "latest-tag:", "git:"


@dataclass
class Baselines:
    """Find the versions to compare with, oldest first; `notices` is what to say beside.

    `schemas` is the folder of the present version. `tip` takes the end of a branch instead of the place where this one
    left it, `fetch` asks the remote for what is missing here.
    """

    schemas: Path
    tip: bool = False
    fetch: bool = False
    found: list[Baseline] = field(default_factory=list[Baseline])
    notices: list[str] = field(default_factory=list[str])

    def add_lock(self, lock: Lock) -> None:
        """Add all versions of a lock."""
        self.found += [Baseline(label, held, number) for number, (label, held) in enumerate(lock.versions)]

    def add(self, words: str) -> None:
        """Add what the words of one `--against` name; raises `CompatError` with the way out."""
        path = Path(words)
        if words.startswith(_TAGS):
            self._tag(words.removeprefix(_TAGS))
        elif words.startswith(_GIT):
            ref, _, inside = words.removeprefix(_GIT).partition(":")
            self._git(Repository(self.schemas).commit(ref, tip=self.tip, fetch=self.fetch), inside)
        elif path.is_dir():
            self._folder(path)
        elif path.is_file():
            self.add_lock(read_lock(path))
        elif words.endswith(".lock") or "/" in words.removeprefix("origin/"):
            help_ = "name a git ref (git:main), a tag pattern (latest-tag:'v*'), a folder of schemas or a lock"
            raise CompatError(f"there is nothing at {words}", help_)
        else:
            self._git(Repository(self.schemas).commit(words, tip=self.tip, fetch=self.fetch), "")

    def _tag(self, pattern: str) -> None:
        repository = Repository(self.schemas)
        commit = repository.latest_tag(pattern, fetch=self.fetch)
        if commit is None and repository.is_shallow and not self.fetch:
            raise CompatError(
                f"no tag matches {pattern!r}, and this clone is shallow", "git fetch --depth=1 origin --tags"
            )
        if commit is None:
            self.notices.append(f"no tag matches {pattern!r}: this is the first release")
            return
        self._git(commit, "")

    def _git(self, commit: Commit, inside: str) -> None:
        repository = Repository(self.schemas)
        folder = PurePosixPath(inside) if inside else self._inside(repository)
        files = repository.schemas(commit, folder)
        label = f"{commit.label} ({commit.id[:10]})"
        if not files:
            self.notices.append(f"{label} has no schemas in {folder}: this is the first release")
            return
        self.found.append(Baseline(label, _bound(files, folder, commit)))

    def _inside(self, repository: Repository) -> PurePosixPath:
        here, root = self.schemas.resolve(), repository.root.resolve()
        if not here.is_relative_to(root):
            raise CompatError(
                f"{self.schemas} lies outside of the repository {root}", "name the path: --against git:REF:path"
            )
        return PurePosixPath(here.relative_to(root).as_posix())

    def _folder(self, folder: Path) -> None:
        diagnostics = Diagnostics()
        loaded = load_folder(folder, diagnostics)
        self.found.append(
            Baseline(folder.as_posix(), _catalogue(loaded.documents, diagnostics, folder, folder.as_posix()))
        )


def read_lock(path: Path) -> Lock:
    """Read a lock; an empty one when there is no file. Raises `CompatError` when it is broken."""
    shown = shown_path(path, Path.cwd())
    try:
        return parse_lock(path.read_bytes(), shown)
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise CompatError(f"{shown}: the lock can't be read: {error.strerror}", "let your user read it") from error


def _bound(files: Mapping[PurePosixPath, bytes], folder: PurePosixPath, commit: Commit) -> Catalogue:
    diagnostics = Diagnostics()
    documents: list[Document] = []
    for path, data in sorted(files.items()):
        shown = PurePosixPath(f"{commit.label}:{path}")
        root = parse(data, shown, diagnostics)
        if root is not None and conform(root, diagnostics):
            documents.append(Document(Path(path), path.relative_to(folder), root))
    return _catalogue(documents, diagnostics, Path(folder), commit.label)


def _catalogue(documents: Iterable[Document], diagnostics: Diagnostics, root: Path, label: str) -> Catalogue:
    schema = build_schema(tuple(documents), diagnostics, root=root, out_parent=root)
    if diagnostics.failed:
        first = diagnostics.sorted()[0]
        help_ = f"compare with another version, or look at it: git show {first.span.file}"
        raise CompatError(f"the schemas of {label} have errors", help_, diagnostics.sorted())
    return catalogue_of(schema)
