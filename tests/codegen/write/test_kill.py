"""A run that ends at any point leaves an output that the next run repairs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.codegen.write.folders import generated, plan_for, run, steps, stub, tree
from wakuwaku_gen.write import operations, perform
from wakuwaku_gen.write.apply import WriteFile
from wakuwaku_gen.write.manifest import MANIFEST

BEFORE = [generated("shop/a.py"), generated("shop/b.py"), generated("old/c.py"), stub("shop/handlers/h.py")]
AFTER = [generated("shop/a.py", "x = 2\n"), generated("new/d.py"), stub("shop/handlers/h.py"), stub("new/h.py")]
LATER = [generated("shop/a.py", "x = 3\n"), generated("new/d.py", "y = 3\n"), stub("new/h.py", "later\n")]
COUNT = 1 + 2 + 3 + 2 + 1  # manifest, files deleted, files written, folders removed, manifest


def test_the_manifest_is_written_first_and_last(tmp_path: Path) -> None:
    """First it announces, at last it confirms; an announced hash is gone in the end."""
    run(tmp_path, BEFORE)

    work = operations(plan_for(tmp_path, AFTER))

    assert len(work) == COUNT
    first, last = work[0], work[-1]
    assert isinstance(first, WriteFile)
    assert isinstance(last, WriteFile)
    assert first.path == last.path == MANIFEST
    assert (b'"pending"' in first.data, b'"pending"' in last.data) == (True, False)


@pytest.mark.parametrize("done", range(COUNT + 1))
@pytest.mark.parametrize("then", ["the same schema", "a schema changed again"])
def test_a_run_killed_between_two_steps_is_repaired(tmp_path: Path, done: int, then: str) -> None:
    """Also when the schema has changed once more, and has been killed once more, before the next run."""
    run(tmp_path, BEFORE)
    perform(tmp_path, operations(plan_for(tmp_path, AFTER))[:done])
    final = AFTER if then == "the same schema" else LATER
    perform(tmp_path, operations(plan_for(tmp_path, final))[:done])

    plan = run(tmp_path, final)

    assert not plan.refused
    texts = tree(tmp_path)
    assert {
        file.path.as_posix(): file.text for file in final if file.kind.value == "generated"
    }.items() <= texts.items()
    assert texts["new/h.py"] in ("fill me in\n", "later\n")
    assert not {"shop/b.py", "old/c.py"} & texts.keys()
    assert run(tmp_path, final).differences == []
    assert operations(plan_for(tmp_path, final)) == []


def test_a_file_left_half_written_is_replaced_by_the_next_write(tmp_path: Path) -> None:
    """Unfinished bytes stand under one name of their own, whatever they were to become."""
    (tmp_path / ".wakuwaku-unfinished").write_text("half")

    run(tmp_path, [generated("a.py")])

    assert tree(tmp_path) == {"a.py": "x = 1\n"}


def test_a_disk_that_says_no_leaves_the_old_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error goes up, the unfinished file goes away, and the next run finishes."""
    run(tmp_path, [generated("a.py")])
    monkeypatch.setattr(Path, "replace", _no_space)

    with pytest.raises(OSError, match="No space left"):
        run(tmp_path, [generated("a.py", "x = 2\n")])

    assert tree(tmp_path) == {"a.py": "x = 1\n"}
    monkeypatch.undo()
    assert steps(run(tmp_path, [generated("a.py", "x = 2\n")])) == {"a.py": ("update", "changed")}


def _no_space(self: Path, target: object) -> Path:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))


def test_a_recreated_stub_that_was_not_written_yet_is_written(tmp_path: Path) -> None:
    """Announcing a stub does not count as having written it."""
    files = [stub("h.py"), generated("a.py")]
    run(tmp_path, files)
    (tmp_path / "h.py").unlink()
    perform(tmp_path, operations(plan_for(tmp_path, files, recreate=True))[:1])

    run(tmp_path, files)

    assert "h.py" in tree(tmp_path)
