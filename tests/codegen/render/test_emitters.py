"""Emitters of other packages: found by entry point, held to their version, kept in their folder."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

import pytest

from tests.codegen.building import KEY, model_of
from wakuwaku_gen.app import Options, Status, generate
from wakuwaku_gen.model.schema import NamespaceModel
from wakuwaku_gen.render import (
    BUILT_IN,
    EMITTER_API,
    Catalog,
    Emitter,
    EmitterError,
    FileKind,
    RenderedFile,
    file_in,
    installed_emitters,
    render,
)

Install = Callable[..., None]
PLUGIN = """
from wakuwaku_gen.render import Emitter, file_in

def emit(namespace, catalog):
    names = ", ".join(event.id.name for event in namespace.events)
    yield file_in(namespace, "names.txt", f"{names} of {len(catalog.namespaces)} namespaces\\n")

EMITTER = Emitter(name="names", emit=emit, api=1)
OLD = Emitter(name="old", emit=emit, api=0)
NEW = Emitter(name="new", emit=emit, api=99)
FUNCTION = emit
"""
SOLD = '[event.Sold]\ntag = 1\nkey = "BoxKey"\n'


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package with an entry point where Python finds it."""

    def install(value: str, module: str = PLUGIN) -> None:
        site = tmp_path / "site"
        about = site / "fakeplugin-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fakeplugin\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[wakuwaku_gen.emitters]\nfake = {value}\n")
        (site / "fakeplugin.py").write_text(module)
        monkeypatch.syspath_prepend(site)
        importlib.invalidate_caches()

    yield install
    sys.modules.pop("fakeplugin", None)


def test_an_installed_emitter_is_found_and_its_files_are_written(tmp_path: Path, install: Install) -> None:
    """They stand in the manifest like all others, and go when the package goes."""
    install("fakeplugin:EMITTER")
    model_of(tmp_path, boxes=KEY + SOLD)
    options = Options(tmp_path / "schemas", tmp_path / "out")

    outcome = generate(options)

    assert outcome.status is Status.DONE
    assert (tmp_path / "out" / "boxes" / "names.txt").read_text() == "Sold of 1 namespaces\n"
    (tmp_path / "site" / "fakeplugin-1.0.dist-info" / "entry_points.txt").write_text("")
    importlib.invalidate_caches()
    assert generate(options).status is Status.DONE
    assert not (tmp_path / "out" / "boxes" / "names.txt").exists()


@pytest.mark.parametrize(
    ("value", "reason", "help_"),
    [
        ("fakeplugin:OLD", "is written for version 0 of the interface; this generator has 1", "update the package"),
        ("fakeplugin:NEW", "is written for version 99 of the interface; this generator has 1", "update wakuwaku"),
        ("fakeplugin:FUNCTION", "is function, no Emitter", "see wakuwaku_gen.render.plugins"),
        ("fakeplugin:MISSING", "can't be loaded: AttributeError", "update or uninstall the package"),
        ("nowhere:EMITTER", "can't be loaded: ModuleNotFoundError", "update or uninstall the package"),
    ],
)
def test_an_emitter_that_does_not_fit_is_told_with_its_package(
    tmp_path: Path, install: Install, value: str, reason: str, help_: str
) -> None:
    """Nothing is written, and there is no traceback."""
    install(value)
    model_of(tmp_path, boxes=KEY)

    outcome = generate(Options(tmp_path / "schemas", tmp_path / "out"))

    assert outcome.status is Status.FAILED
    assert outcome.failure is not None
    assert outcome.failure.message.startswith(f"the emitter 'fake' of fakeplugin {reason}")
    assert outcome.failure.help == help_
    assert not (tmp_path / "out").exists()


def test_without_other_packages_there_are_the_built_in_emitters() -> None:
    """Each has a name of its own, and the version of the interface that there is."""
    assert installed_emitters() == []
    assert len({emitter.name for emitter in BUILT_IN}) == len(BUILT_IN)
    assert {emitter.api for emitter in BUILT_IN} == {EMITTER_API}


def emitter(name: str, *paths: str) -> Emitter:
    def emit(namespace: NamespaceModel, catalog: Catalog) -> Iterable[RenderedFile]:
        if namespace.name == "boxes":
            for path in paths:
                yield RenderedFile(PurePosixPath(path), "", FileKind.GENERATED, "boxes.toml")

    return Emitter(name, emit, api=1)


@pytest.mark.parametrize(
    "path",
    ["x.txt", "boxes", "../x.txt", "boxes/../x.txt", "/tmp/x.txt", "carts/x.txt", "boxes\\x.txt", "boxes/deep/x.txt"],
)
def test_an_emitter_can_not_leave_its_folder(tmp_path: Path, path: str) -> None:
    """Not upwards, not into another namespace, nor into one whose package lies inside of its own."""
    schemas = {"boxes": KEY, "carts": "[struct.A]\n", "deep": "[struct.A]\n"}
    model_of(tmp_path, **schemas)
    deep = tmp_path / "schemas" / "deep.toml"
    deep.write_text(deep.read_text().replace('"deep"', '"boxes.deep"'))
    model = model_of(tmp_path)

    with pytest.raises(EmitterError, match="the emitter 'bad' leaves the folder boxes of namespace 'boxes': ") as told:
        render(model, [emitter("bad", path)])

    assert told.value.help == "make paths with `file_in`"


@pytest.mark.parametrize(
    ("emitters", "names"),
    [
        ([emitter("bad", "boxes/events.py")], ("events", "bad")),
        ([emitter("bad", "boxes/Events.py")], ("events", "bad")),
        ([emitter("good", "boxes/x.txt"), emitter("bad", "boxes/x.txt")], ("good", "bad")),
        ([emitter("bad", "boxes/x.txt", "boxes/x.txt")], ("bad", "bad")),
    ],
)
def test_an_emitter_can_not_make_a_file_of_another(
    tmp_path: Path, emitters: list[Emitter], names: tuple[str, str]
) -> None:
    """Not even where letter case alone tells the two apart; both are named."""
    model = model_of(tmp_path, boxes=KEY)

    with pytest.raises(EmitterError, match=f"the emitters '{names[0]}' and '{names[1]}' both make boxes/"):
        render(model, emitters)


def test_an_emitter_that_fails_is_told_by_name(tmp_path: Path) -> None:
    """With the namespace and the error."""

    def broken(namespace: NamespaceModel, catalog: Catalog) -> Iterable[RenderedFile]:
        yield file_in(namespace, "x.txt", "x")
        raise KeyError("no such thing")

    with pytest.raises(EmitterError, match="the emitter 'bad' failed on namespace 'boxes': KeyError: 'no such thing'"):
        render(model_of(tmp_path, boxes=KEY), [Emitter("bad", broken, api=1)])
