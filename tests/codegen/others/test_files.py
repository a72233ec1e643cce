"""What users of other generators reported about files and runs; numbers as in `test_names`.

Case 27, strict types of all output, is `tests/cases/test_gallery.py`; case 41, speed, is `benchmarks/`; case 42 asks
for nothing to override templates with, and there is none.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.codegen.building import KEY
from tests.codegen.check.examples import bound, told
from wakuwaku_gen.app import Options, Outcome, Status, generate

SOLD = '[event.Sold]\ntag = 1\nkey = "BoxKey"\n'
SENT = '[event.Sent]\ntag = 2\nkey = "BoxKey"\n'


class Project:
    """A folder with schemas and output."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.out = root / "out"

    def schema(self, text: str, name: str = "boxes.toml", namespace: str = "boxes") -> None:
        path = self.root / "schemas" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'wakuwaku = 1\nnamespace = "{namespace}"\n{text}')

    def run(self, *, check: bool = False, force: bool = False, tool: str = "wakuwaku-gen 1") -> Outcome:
        return generate(Options(self.root / "schemas", self.out, check=check, force=force, tool=tool))

    def files(self) -> dict[str, bytes]:
        paths = (path for path in self.out.rglob("*") if path.is_file())
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.schema(KEY + SOLD)
    return made


def why(outcome: Outcome) -> dict[str, str]:
    return {step.path.as_posix(): step.why.value for one in outcome.planned for step in one.plan.differences}


def test_two_runs_elsewhere_give_the_same_bytes(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 28: no clock, path or directory is in the output."""
    other = Project(tmp_path / "somewhere" / "else")
    other.schema(KEY + SOLD)

    project.run()
    monkeypatch.chdir(other.root)
    other.run()

    assert project.files() == other.files()


def test_a_handler_that_was_filled_in_stays_as_it_is(project: Project) -> None:
    """Cases 29 and 30: comments, renamed parameters and syntax errors are the user's; a new event gets its own file."""
    project.run()
    handler = project.out / "boxes" / "handlers" / "sold.py"
    filled = "# mine\nclass SoldHandler:\n    def handle(self, these_events): (\n"
    handler.write_text(filled)
    project.schema(KEY + SOLD + 'fields.price = "i64"\n' + SENT)

    outcome = project.run(force=True)

    assert handler.read_text() == filled
    assert why(outcome)["boxes/handlers/sent.py"] == "missing"
    assert "boxes/handlers/sold.py" not in why(outcome)


def test_nothing_is_made_or_changed_outside_of_the_output(project: Project) -> None:
    """Case 32: not even an `__init__.py` above it."""
    above = project.root / "__init__.py"
    above.write_text("mine = 1\n")
    before = sorted(project.root.iterdir())

    project.run()

    assert above.read_text() == "mine = 1\n"
    assert sorted(project.root.iterdir()) == sorted([*before, project.out])
    assert not (project.out / "__init__.py").exists()


def test_what_the_schema_dropped_goes(project: Project) -> None:
    """Case 34: output and exports of a removed event, a dropped topic and a renamed file; a check lists them first."""
    project.schema(KEY.replace("BoxKey", "CartKey").replace('"boxes"', '"carts"'), "carts.toml", "carts")
    project.schema(KEY + SOLD + SENT)
    project.run()
    (project.root / "schemas" / "carts.toml").unlink()
    (project.root / "schemas" / "boxes.toml").rename(project.root / "schemas" / "parcels.toml")
    project.schema(KEY + SOLD, "parcels.toml")

    checked = project.run(check=True)
    done = project.run()

    assert checked.status is Status.DIFFERENT
    assert why(checked)["carts/events.py"] == "stale"
    assert why(checked)["boxes/__init__.py"] == "changed"
    assert done.status is Status.DONE
    assert not (project.out / "carts").exists()
    assert b"Sent" not in project.files()["boxes/__init__.py"]
    assert project.run(check=True).status is Status.DONE


def test_another_version_of_the_tool_changes_the_manifest_alone(project: Project) -> None:
    """Case 36: no generated file names the version, and a check still passes."""
    project.run(tool="wakuwaku-gen 1")
    before = project.files()

    assert project.run(check=True, tool="wakuwaku-gen 2").status is Status.DONE
    project.run(tool="wakuwaku-gen 2")

    changed = {name for name, data in project.files().items() if before[name] != data}
    assert changed == {".wakuwaku-manifest.json"}


def test_a_check_names_each_difference_with_its_kind(project: Project) -> None:
    """Case 37: missing, edited and stale; it exits with 1 and writes nothing."""
    project.schema("[struct.A]\n", "more.toml", "more")
    project.run()
    (project.out / "boxes" / "codecs.py").unlink()
    (project.out / "boxes" / "events.py").write_text("edited")
    (project.root / "schemas" / "more.toml").unlink()
    before = project.files()

    outcome = project.run(check=True)

    assert outcome.status.exit_code == 1
    assert why(outcome)["boxes/codecs.py"] == "missing"
    assert why(outcome)["boxes/events.py"] == "edited"
    assert why(outcome)["more/events.py"] == "stale"
    assert project.files() == before


def test_a_second_run_touches_no_file(project: Project) -> None:
    """Case 38: times of modification stay, the manifest's too."""
    project.run()
    old = 1_000_000_000
    paths = [path for path in project.out.rglob("*") if path.is_file()]
    for path in paths:
        os.utime(path, (old, old))

    project.run()

    assert {path.stat().st_mtime for path in paths} == {old}


def test_the_order_of_declarations_is_that_of_the_schema(project: Project) -> None:
    """Case 40: thirty events that refer to each other's structs; hash seeds are `test_determinism.py`."""
    structs = "".join(f'[struct.S{n}]\nfields.other = "S{(n * 7 + 1) % 30} | None"\n' for n in range(30))
    events = "".join(f'[event.E{n}]\ntag = {n}\nkey = "BoxKey"\nfields.s = "S{(n * 11) % 30}"\n' for n in range(30))
    project.schema(KEY + structs + events)

    project.run()

    text = project.files()["boxes/events.py"].decode()
    places = [text.index(f"class E{n}(") for n in range(30)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("example", "line"),
    [
        ('[struct.A]\ndoc = "a"\ndoc = "b"', "shop.toml:5:1 WK007 duplicate key 'doc'"),
        ('[struct.A]\nfield.x = "u8"', "shop.toml:4:1 WK010 unknown key 'field' in a struct"),
        ("[struct.A]\ndoc = 3", "shop.toml:4:7 WK011 expected a string, found an integer"),
        (
            "".join(f'[event.E{n}]\n{"" if n == 3 else f"tag = {n}"}\nkey = "OrderKey"\n' for n in (1, 2, 3)),
            "shop.toml:9:1 WK012 an event needs the key 'tag'",
        ),
        ('[struct.A]\nfields.x = { type = "u8", ge = "a" }', "shop.toml:4:32 WK011 expected a number, found a string"),
        ('[enum.E]\nvalues = [\n  "A",\n  1,\n]', "shop.toml:6:3 WK011 expected a string, found an integer"),
    ],
)
def test_a_mistake_has_its_line_and_column(tmp_path: Path, example: str, line: str) -> None:
    """Case 44: duplicate, unknown and missing keys, wrong kinds; in inline tables and in arrays of several lines."""
    assert line in told(bound(tmp_path, example)[1])[0]


def test_an_edited_output_is_refused_by_name(project: Project) -> None:
    """Case 46: one changed line is enough; `--force` gives it up."""
    project.run()
    events = project.out / "boxes" / "events.py"
    events.write_text(events.read_text().replace("frozen=True", "frozen=False"))

    refused = project.run()

    assert refused.status is Status.REFUSED
    assert why(refused) == {"boxes/events.py": "edited"}
    assert project.run(force=True).status is Status.DONE
    assert "frozen=False" not in events.read_text()
