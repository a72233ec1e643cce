"""Whose a file is decides what a run may do to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.write.folders import generated, plan_for, run, steps, stub, tree
from wakuwaku_gen.render import RenderedFile


def test_a_first_run_creates_everything(tmp_path: Path) -> None:
    """An output that does not exist yet is made, with its folders."""
    plan = run(tmp_path / "out", [generated("shop/events.py"), stub("shop/handlers/a.py")])

    assert steps(plan) == {"shop/events.py": ("create", "missing"), "shop/handlers/a.py": ("create", "missing")}
    assert tree(tmp_path / "out") == {"shop/events.py": "x = 1\n", "shop/handlers/a.py": "fill me in\n"}


def test_a_second_run_touches_nothing(tmp_path: Path) -> None:
    """What is up to date keeps its modification time, the manifest too."""
    files = [generated("a.py"), stub("h.py")]
    run(tmp_path, files)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}

    plan = run(tmp_path, files)

    assert plan.differences == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_what_the_schema_changed_is_updated(tmp_path: Path) -> None:
    """A file that is as we left it may be replaced."""
    run(tmp_path, [generated("a.py"), generated("b.py")])

    plan = run(tmp_path, [generated("a.py", "x = 2\n"), generated("b.py")])

    assert steps(plan) == {"a.py": ("update", "changed"), "b.py": ("keep", "same")}
    assert tree(tmp_path)["a.py"] == "x = 2\n"


def test_what_nothing_makes_any_more_is_deleted(tmp_path: Path) -> None:
    """Folders in which only ours were go with it, compiled modules and all; others stay."""
    run(tmp_path, [generated("shop/a.py"), generated("shop/deep/b.py"), generated("farm/c.py")])
    for compiled in ("shop/__pycache__/a.cpython-311.pyc", "farm/__pycache__/c.cpython-311.pyc"):
        (tmp_path / compiled).parent.mkdir()
        (tmp_path / compiled).touch()
    (tmp_path / "farm" / "notes.txt").write_text("mine")

    plan = run(tmp_path, [])

    assert set(steps(plan).values()) == {("delete", "stale")}
    assert tree(tmp_path) == {"farm/__pycache__/c.cpython-311.pyc": "", "farm/notes.txt": "mine"}
    assert not (tmp_path / "shop").exists()


def test_a_folder_of_compiled_modules_with_something_else_in_it_stays(tmp_path: Path) -> None:
    """Only what can be made again is removed without asking."""
    run(tmp_path, [generated("shop/a.py")])
    (tmp_path / "shop" / "__pycache__").mkdir()
    (tmp_path / "shop" / "__pycache__" / "notes.txt").write_text("mine")

    run(tmp_path, [])

    assert tree(tmp_path) == {"shop/__pycache__/notes.txt": "mine"}


def test_a_file_that_is_gone_already_is_forgotten(tmp_path: Path) -> None:
    """Nothing is left to do for a file that the user deleted and the schema dropped."""
    run(tmp_path, [generated("shop/a.py"), generated("b.py")])
    (tmp_path / "shop" / "a.py").unlink()
    (tmp_path / "shop").rmdir()

    plan = run(tmp_path, [generated("b.py")])

    assert steps(plan) == {"b.py": ("keep", "same")}
    assert steps(plan_for(tmp_path, [generated("b.py")])) == {"b.py": ("keep", "same")}


@pytest.mark.parametrize("wanted", [[generated("a.py", "x = 2\n")], []])
def test_an_edited_file_is_refused_unless_forced(tmp_path: Path, wanted: list[RenderedFile]) -> None:
    """Neither replaced nor deleted, and nothing else is written; --force gives the edit up."""
    run(tmp_path, [generated("a.py")])
    (tmp_path / "a.py").write_text("edited")
    files = [*wanted, generated("new.py")]

    refused = run(tmp_path, files)

    assert steps(refused)["a.py"] == ("refuse", "edited")
    assert tree(tmp_path) == {"a.py": "edited"}

    run(tmp_path, files, force=True)

    assert tree(tmp_path) == ({"a.py": "x = 2\n"} if wanted else {}) | {"new.py": "x = 1\n"}


def test_an_edit_that_is_what_the_schema_wants_now_is_kept(tmp_path: Path) -> None:
    """Equal bytes need no permission."""
    run(tmp_path, [generated("a.py")])
    (tmp_path / "a.py").write_text("x = 2\n")

    plan = run(tmp_path, [generated("a.py", "x = 2\n")])

    assert steps(plan) == {"a.py": ("keep", "same")}
    assert steps(run(tmp_path, [generated("a.py", "x = 3\n")])) == {"a.py": ("update", "changed")}


@pytest.mark.parametrize("force", [False, True])
def test_a_foreign_file_is_never_replaced(tmp_path: Path, force: bool) -> None:
    """We did not write it, so not even --force gives it up."""
    (tmp_path / "a.py").write_text("mine")

    plan = run(tmp_path, [generated("a.py")], force=force)

    assert steps(plan) == {"a.py": ("refuse", "foreign")}
    assert tree(tmp_path) == {"a.py": "mine"}


def test_a_foreign_file_with_our_bytes_is_taken_over(tmp_path: Path) -> None:
    """A lost manifest is made anew from an output that is up to date."""
    run(tmp_path, [generated("a.py"), stub("h.py")])
    (tmp_path / ".wakuwaku-manifest.json").unlink()

    plan = run(tmp_path, [generated("a.py"), stub("h.py")])

    assert plan.differences == []
    assert steps(run(tmp_path, [generated("a.py", "x = 2\n")]))["a.py"] == ("update", "changed")


def test_a_stub_is_never_touched_again(tmp_path: Path) -> None:
    """Whatever the user made of it, and whatever a stub would look like now."""
    run(tmp_path, [stub("h.py")])
    (tmp_path / "h.py").write_text("def broken(:")

    plan = run(tmp_path, [stub("h.py", "other\n")], force=True, recreate=True)

    assert steps(plan) == {"h.py": ("keep", "yours")}
    assert tree(tmp_path) == {"h.py": "def broken(:"}


def test_a_deleted_stub_stays_deleted_until_it_is_wanted(tmp_path: Path) -> None:
    """--recreate writes it again."""
    run(tmp_path, [stub("h.py")])
    (tmp_path / "h.py").unlink()

    assert steps(run(tmp_path, [stub("h.py")])) == {"h.py": ("keep", "yours")}
    assert tree(tmp_path) == {}
    assert steps(run(tmp_path, [stub("h.py")], recreate=True)) == {"h.py": ("create", "missing")}
    assert tree(tmp_path) == {"h.py": "fill me in\n"}


def test_an_orphan_stub_is_mentioned_in_every_run_until_it_is_gone(tmp_path: Path) -> None:
    """A renamed event leaves the old handler where it is."""
    run(tmp_path, [stub("old.py")])

    for _ in range(2):
        plan = run(tmp_path, [stub("new.py")])
        assert steps(plan)["old.py"] == ("keep", "orphaned")
    (tmp_path / "old.py").unlink()

    assert steps(run(tmp_path, [stub("new.py")])) == {"new.py": ("keep", "yours")}


def test_a_stub_where_a_generated_file_should_be_is_foreign(tmp_path: Path) -> None:
    """What was the user's stays the user's when the generator changes its mind."""
    run(tmp_path, [stub("a.py")])

    assert steps(run(tmp_path, [generated("a.py")], force=True)) == {"a.py": ("refuse", "foreign")}


@pytest.mark.parametrize("kind", [generated, stub])
def test_nothing_is_written_through_a_link_or_over_a_folder(
    tmp_path: Path, kind: Callable[[str], RenderedFile]
) -> None:
    """Neither the file nor a folder above it may be a link, a repository or of another kind."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in ("folder.py", "repository/.git", "real"):
        (out / folder).mkdir(parents=True)
    (out / "file").write_text("mine")
    (out / "link.py").symlink_to(elsewhere / "target.py")
    (out / "linked").symlink_to(elsewhere)
    paths = ["folder.py", "link.py", "linked/a.py", "linked/deep/b.py", "repository/c.py", "file/d.py"]

    plan = run(out, [kind(path) for path in paths])

    assert steps(plan) == dict.fromkeys(paths, ("refuse", "blocked"))
    assert {step.path.as_posix(): step.detail for step in plan.steps} == {
        "folder.py": "it is a folder",
        "link.py": "it is a symbolic link",
        "linked/a.py": "linked is a symbolic link",
        "linked/deep/b.py": "linked is a symbolic link",
        "repository/c.py": "repository is a repository (it holds .git)",
        "file/d.py": "file is not a folder",
    }
    assert list(elsewhere.iterdir()) == []


def test_a_link_is_not_deleted_in_place_of_our_file(tmp_path: Path) -> None:
    """Something else stands where the file was, so it is left alone."""
    run(tmp_path, [generated("a.py")])
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").symlink_to(tmp_path / "b.py")

    assert steps(run(tmp_path, [], force=True)) == {"a.py": ("refuse", "blocked")}


def test_another_version_of_the_tool_changes_the_manifest_only(tmp_path: Path) -> None:
    """The files do not hold the version, so they are the same."""
    run(tmp_path, [generated("a.py")])

    plan = plan_for(tmp_path, [generated("a.py")], tool="wakuwaku-gen 2.0")

    assert plan.differences == []
    assert (plan.before.tool, plan.after.tool) == ("wakuwaku-gen 1.0", "wakuwaku-gen 2.0")
