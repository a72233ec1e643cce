"""The commands `wakuwaku compat` and `wakuwaku release`, as they are used: locks, git, approvals, repairs, logs."""

from __future__ import annotations

import base64
import datetime as dt
import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.codegen.conftest import RunCommand
from wakuwaku import connect
from wakuwaku.headers import Record
from wakuwaku_gen.cli.compat import compat
from wakuwaku_gen.cli.explain import explain
from wakuwaku_gen.cli.release import release
from wakuwaku_gen.compat import Options, check_compat
from wakuwaku_gen.compat.version import parse_version

KEY = '[key.OrderKey]\ntopic = "orders"\nfields.order_id = "u64"\n'
PLACED = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n[event.OrderPlaced.fields]\ntotal = "u64"\n'
NOTE = 'note = { type = "str", default = "" }\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a git repository of its own."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")
    return tmp_path


def schema(project: Path, text: str, name: str = "shop.toml") -> Path:
    """Write the schema, and return its folder."""
    path = project / "schemas" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'wakuwaku = 1\nnamespace = "shop"\n{text}', encoding="utf-8")
    return path.parent


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(project: Path, *, tag: str | None = None) -> None:
    if not (project / ".git").exists():
        git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "a version")
    if tag is not None:
        git(project, "tag", "-a", tag, "-m", tag)


Released = Callable[..., None]


@pytest.fixture
def released(project: Path, run_command: RunCommand) -> Released:
    """Release schemas one after the other as 1.0.0, 2.0.0 …."""

    def all_of_them(*texts: str) -> None:
        for number, text in enumerate(texts, 1):
            schema(project, text)
            done = run_command(release, "schemas", "--version", f"{number}.0.0")
            assert done.code == 0, done.err

    return all_of_them


# The lock


def test_a_release_writes_a_lock_that_the_next_check_reads(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    """The default is all versions in it."""
    released(KEY + PLACED)
    schema(project, KEY + PLACED + 'note = "str"\n')

    done = run_command(compat, "schemas")

    assert done.code == 1
    assert "schemas/shop.toml:11:1: FIELD_ADDED_REQUIRED" in done.out
    assert '   11 | note = "str"' in done.out
    assert '"golden"' not in done.out
    assert "consumers built from this version will dead-letter records written by 1.0.0" in done.out
    assert "Object missing required field `note`" in done.out
    assert "deploy: not by order alone" in done.out


def test_a_chain_of_three_versions_is_caught_with_the_version_named(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    """A default dropped: the last version alone is fine, the one from before the field is not."""
    released(KEY + PLACED, KEY + PLACED + NOTE)
    schema(project, KEY + PLACED + 'note = "str"\n')

    done = run_command(compat, "schemas", "--format", "json")

    (found,) = [one for one in json.loads(done.out)["findings"] if one["severity"] == "error"]
    assert (found["rule"], found["versions"]) == ("FIELD_BECAME_REQUIRED", ["1.0.0"])


def test_a_name_that_comes_back_as_another_thing_is_caught(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    """Though the version in between had no such field."""
    reserved = '[reserved.OrderKey]\nnames = ["note"]\n'
    released(KEY + PLACED + NOTE, KEY + PLACED + reserved)
    schema(project, KEY + PLACED + 'note = { type = "u32", default = 1 }\n' + reserved.replace('"note"', '"n"'))

    done = run_command(compat, "schemas", "--format", "json")

    errors = {one["rule"]: one["versions"] for one in json.loads(done.out)["findings"] if one["severity"] == "error"}
    assert errors == {"RESERVED_USED": ["1.0.0"], "RESERVED_REMOVED": ["2.0.0"]}


def test_a_lock_is_only_added_to(project: Path, run_command: RunCommand, released: Released) -> None:
    """What did not change is not written again; lines are sorted and stay as they are."""
    released(KEY + PLACED)
    before = (project / "schemas/wakuwaku.lock").read_text(encoding="utf-8").splitlines()
    schema(project, KEY + PLACED + NOTE)
    assert run_command(release, "schemas", "--version", "1.1.0").code == 0
    after = (project / "schemas/wakuwaku.lock").read_text(encoding="utf-8").splitlines()

    assert [line for line in after if line in before] == before
    assert [json.loads(line).get("event") for line in after if line not in before] == [None, "orders/1"]


@pytest.mark.parametrize("version", ["1.0.0", "0.9", "1.0.0-rc.1", "one"])
def test_a_version_has_to_be_a_new_one(version: str, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    done = run_command(release, "schemas", "--version", version)
    assert done.code == 2
    assert "error: " in done.err
    assert "help: " in done.err


def test_a_release_with_a_finding_adds_nothing(project: Path, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    before = (project / "schemas/wakuwaku.lock").read_bytes()
    schema(project, KEY + PLACED.replace("u64", "u8"))

    done = run_command(release, "schemas", "--version", "2.0.0")

    assert done.code == 1
    assert "INT_NARROWED" in done.err
    assert (project / "schemas/wakuwaku.lock").read_bytes() == before


def test_a_stale_lock_is_told_when_asked_for(project: Path, run_command: RunCommand, released: Released) -> None:
    """Even when the change is safe."""
    released(KEY + PLACED)
    schema(project, KEY + PLACED + NOTE)

    assert run_command(compat, "schemas").code == 0
    done = run_command(compat, "schemas", "--check-lock")
    assert done.code == 3
    assert "the lock does not have orders/1 as they are now" in done.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"lock": 2}\n', "format 2"),
        ('{"lock": 1}\n<<<<<<< ours\n', "no line of a lock"),
        ('{"lock": 1}\n{"event": "orders/1", "release": "1.0.0"}\n', "damaged"),
        ('{"release": "1.0.0"}\n', "no lock"),
        ("[1]\n", "no line of a lock"),
        ("", "no lock"),
    ],
)
def test_a_lock_that_is_not_understood_is_no_answer(
    text: str, message: str, project: Path, run_command: RunCommand
) -> None:
    """Exit code 2, never 0."""
    schema(project, KEY + PLACED)
    (project / "schemas/wakuwaku.lock").write_text(text, encoding="utf-8")
    done = run_command(compat, "schemas")
    assert done.code == 2
    assert message in done.err
    assert "help: " in done.err


def test_golden_vectors_are_checked_on_every_run(project: Path, run_command: RunCommand, released: Released) -> None:
    """A build that hashed or wrote otherwise would be found out."""
    released(KEY + PLACED)
    lock = project / "schemas/wakuwaku.lock"
    lines = [json.loads(line) for line in lock.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if "golden" in line and next(iter(line)) == "key":
            line["golden"][0]["hash"] += 1
        elif "golden" in line:
            line["golden"] = "82a86f726465725f6964cc00a5746f74616c00"  # the same values, otherwise written
    lock.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    done = run_command(compat, "schemas", "--format", "oneline")

    assert done.code == 1
    assert "KEY_HASHER_CHANGED" in done.out
    assert "CODEC_CHANGED" in done.out


# Baselines


def test_without_a_lock_something_has_to_be_named(project: Path, run_command: RunCommand) -> None:
    schema(project, KEY + PLACED)
    done = run_command(compat, "schemas")
    assert done.code == 2
    assert "wakuwaku release schemas --version 0.1.0" in done.err


@pytest.mark.parametrize(
    "against", ["git:main", "main", "git:v1.0", "v1.0", "latest-tag:v*", "old", "git:main:schemas"]
)
def test_a_version_can_be_named_in_many_ways(against: str, project: Path, run_command: RunCommand) -> None:
    """A branch, an annotated tag, the highest tag of a pattern, a folder."""
    folder = schema(project, KEY + PLACED)
    commit(project, tag="v1.0")
    (project / "old").mkdir()
    (project / "old/shop.toml").write_bytes((folder / "shop.toml").read_bytes())
    schema(project, KEY + PLACED.replace("u64", "u8"))

    done = run_command(compat, "schemas", "--against", against, "--format", "oneline")

    assert done.code == 1
    assert "INT_NARROWED" in done.out


def test_the_tree_and_the_index_are_not_touched(project: Path, run_command: RunCommand) -> None:
    """However dirty they are."""
    schema(project, KEY + PLACED)
    commit(project)
    schema(project, KEY + PLACED + NOTE)
    git(project, "add", "-A")
    schema(project, KEY + PLACED.replace("u64", "u32"))
    (project / "untracked.txt").write_text("mine", encoding="utf-8")
    before = (
        git(project, "status", "--porcelain"),
        (project / ".git/index").read_bytes(),
        (project / ".git/HEAD").read_text(),
    )

    run_command(compat, "schemas", "--against", "git:main")

    assert before == (
        git(project, "status", "--porcelain"),
        (project / ".git/index").read_bytes(),
        (project / ".git/HEAD").read_text(),
    )


def test_a_branch_is_compared_where_this_one_left_it(project: Path, run_command: RunCommand) -> None:
    """What was added there meanwhile was not removed here; `--tip` looks at its end."""
    schema(project, KEY + PLACED)
    commit(project)
    git(project, "checkout", "-q", "-b", "mine")
    schema(project, KEY + PLACED + NOTE)
    commit(project)
    git(project, "checkout", "-q", "main")
    schema(project, KEY + PLACED + '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\n')
    commit(project)
    git(project, "checkout", "-q", "mine")

    assert run_command(compat, "schemas", "--against", "main").code == 0
    done = run_command(compat, "schemas", "--against", "main", "--tip", "--format", "oneline")
    assert done.code == 1
    assert "EVENT_REMOVED" in done.out


def test_an_edit_since_the_last_tag_is_free(project: Path, run_command: RunCommand) -> None:
    """What was never released binds nobody."""
    schema(project, KEY + PLACED)
    commit(project, tag="v1.0")
    schema(project, KEY + PLACED + 'note = { type = "str", default = "x" }\n')
    commit(project)
    schema(project, KEY + PLACED + 'note = { type = "u64", default = 7 }\n')

    assert run_command(compat, "schemas", "--against", "latest-tag:v*").code == 0
    assert run_command(compat, "schemas", "--against", "git:HEAD").code == 1


def test_a_missing_ref_is_told_with_the_command_that_helps(project: Path, run_command: RunCommand) -> None:
    schema(project, KEY + PLACED)
    commit(project)
    done = run_command(compat, "schemas", "--against", "git:release-9")
    assert done.code == 2
    assert "there is no ref 'release-9' here" in done.err
    assert "git fetch origin release-9:refs/remotes/origin/release-9" in done.err


def shallow(project: Path, tmp_path: Path) -> Path:
    """Clone a repository with two commits on a branch, one deep; it knows no main."""
    schema(project, KEY + PLACED)
    commit(project)
    git(project, "checkout", "-q", "-b", "mine")
    schema(project, KEY + PLACED.replace("u64", "u8"))
    commit(project)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", "--single-branch", "--branch=mine", f"file://{project}", str(clone))
    return clone


def test_a_shallow_clone_is_told_with_the_command_that_helps(
    project: Path, tmp_path_factory: pytest.TempPathFactory, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And after that command, or with --fetch, it is compared."""
    clone = shallow(project, tmp_path_factory.mktemp("clones"))
    monkeypatch.chdir(clone)

    done = run_command(compat, "schemas", "--against", "main")
    assert done.code == 2
    assert "this clone is shallow" in done.err
    assert "git fetch --depth=1 origin main:refs/remotes/origin/main" in done.err

    git(clone, "fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    done = run_command(compat, "schemas", "--against", "main")
    assert done.code == 2
    assert "git fetch --unshallow origin" in done.err

    assert run_command(compat, "schemas", "--against", "main", "--tip").code == 1
    assert run_command(compat, "schemas", "--against", "main", "--fetch").code == 1


def test_origin_is_tried_where_a_branch_is_missing(
    project: Path, tmp_path_factory: pytest.TempPathFactory, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a checkout of a CI server."""
    schema(project, KEY + PLACED)
    commit(project)
    clone = tmp_path_factory.mktemp("clones") / "clone"
    git(project, "clone", "-q", str(project), str(clone))
    git(clone, "checkout", "-q", "--detach")
    git(clone, "branch", "-q", "-D", "main")
    monkeypatch.chdir(clone)
    assert run_command(compat, "schemas", "--against", "main").code == 0


def test_a_baseline_without_schemas_is_a_first_release(project: Path, run_command: RunCommand) -> None:
    (project / "README").write_text("hello", encoding="utf-8")
    commit(project)
    schema(project, KEY + PLACED)
    done = run_command(compat, "schemas", "--against", "main")
    assert done.code == 0
    assert "this is the first release" in done.out


def test_broken_toml_in_the_past_is_no_answer(project: Path, run_command: RunCommand) -> None:
    """The place in the past is named, and how to look at it."""
    schema(project, KEY + PLACED + "oops = \n")
    commit(project)
    schema(project, KEY + PLACED)
    done = run_command(compat, "schemas", "--against", "main")
    assert done.code == 2
    assert "main:schemas/shop.toml:11:" in done.err
    assert "git show main:schemas/shop.toml" in done.err


def test_a_schema_with_an_error_is_no_answer(project: Path, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    schema(project, KEY + PLACED + 'note = "strr"\n')
    done = run_command(compat, "schemas")
    assert done.code == 2
    assert "WK102" in done.err


def test_no_repository_and_no_such_file(
    project: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema(project, KEY + PLACED)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    for against, message in {
        "git:main": "in no git repository",
        "there/is.lock": "there is nothing at there/is.lock",
        "latest-tag:v*": "in no git repository",
    }.items():
        done = run_command(compat, "schemas", "--against", against)
        assert done.code == 2
        assert message in done.err


# Approvals


def approve(project: Path, **entry: str) -> None:
    lines = "".join(
        f'{name} = "{value}"\n' if name != "expires" else f"{name} = {value}\n" for name, value in entry.items()
    )
    (project / "schemas/wakuwaku.approvals").write_text(f"[[approve]]\n{lines}", encoding="utf-8")


def test_an_approval_beside_the_thing_lets_it_pass(project: Path, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    allowed = 'total = { type = "u8", allow = { INT_NARROWED = "no total was ever larger" } }\n'
    schema(project, KEY + PLACED.replace('total = "u64"\n', allowed))

    done = run_command(compat, "schemas", "--hints")

    assert done.code == 0
    assert "approved: no total was ever larger" in done.out
    assert "0 errors and 0 warnings, 1 approved" in done.out


def test_an_approval_in_a_file_works_for_what_is_gone(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    """By rule and place; a message may be worded anew without it ceasing to match."""
    released(KEY + PLACED + '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\n')
    schema(project, KEY + PLACED)
    assert run_command(compat, "schemas").code == 1
    approve(project, rule="EVENT_REMOVED", at="orders/2", reason="it was never sent")
    assert run_command(compat, "schemas").code == 0


def test_an_approval_may_be_for_one_finding_only(project: Path, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    done = run_command(compat, "schemas", "--format", "json")
    (found,) = [one for one in json.loads(done.out)["findings"] if one["severity"] == "error"]
    approve(project, rule="INT_NARROWED", at="orders/1.total", reason="fine", fingerprint=found["fingerprint"])
    assert run_command(compat, "schemas").code == 0
    schema(project, KEY + PLACED.replace("u64", "u16"))
    assert run_command(compat, "schemas").code == 1


def test_approvals_that_are_over_unknown_or_of_no_use_are_told(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    approve(project, rule="INT_NARROWED", at="orders/1.total", reason="for now", expires="2020-01-01")
    done = run_command(compat, "schemas")
    assert done.code == 1
    assert "APPROVAL_EXPIRED" in done.out
    approve(project, rule="INT_NAROWED", at="orders/1.total", reason="for now")
    done = run_command(compat, "schemas")
    assert done.code == 1
    assert "did you mean 'INT_NARROWED'?" in done.out
    schema(project, KEY + PLACED)
    approve(project, rule="INT_NARROWED", at="orders/1.total", reason="for now")
    done = run_command(compat, "schemas")
    assert done.code == 0
    assert "APPROVAL_UNUSED" in done.out


@pytest.mark.parametrize(
    "text", ["[[approve]]\nrule = 1\n", "oops", '[[approve]]\nrule = "A"\nat = "b"\nreason = " "\n']
)
def test_a_broken_file_of_approvals_is_no_answer(
    text: str, project: Path, run_command: RunCommand, released: Released
) -> None:
    released(KEY + PLACED)
    (project / "schemas/wakuwaku.approvals").write_text(text, encoding="utf-8")
    done = run_command(compat, "schemas")
    assert done.code == 2
    assert "wakuwaku.approvals" in done.err


def test_a_release_takes_approvals_into_the_lock(project: Path, run_command: RunCommand, released: Released) -> None:
    """After it the approval is of no use, and the break is no news any more."""
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    approve(project, rule="INT_NARROWED", at="orders/1.total", reason="no total was ever larger")
    assert run_command(release, "schemas", "--version", "2.0.0").code == 0
    assert "APPROVAL_UNUSED" in run_command(compat, "schemas").out
    (project / "schemas/wakuwaku.approvals").unlink()
    done = run_command(compat, "schemas")
    assert done.code == 0
    assert "0 errors and 0 warnings in 1 event against 2 versions" in done.out


def test_an_approval_is_good_until_its_day(project: Path, released: Released) -> None:
    """That day included."""
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    approve(project, rule="INT_NARROWED", at="orders/1", reason="for now", expires="2030-05-01")
    for day, code in ((1, 0), (2, 1)):
        assert check_compat(Options(Path("schemas"), today=dt.date(2030, 5, day))).status.exit_code == code


# Repairs


def test_fix_keeps_the_name_on_the_wire(project: Path, run_command: RunCommand, released: Released) -> None:
    """Comments stay, and the check that follows finds nothing."""
    released(KEY + PLACED.replace("total", "name"))
    schema(project, KEY + PLACED.replace('total = "u64"\n', 'full_name = "u64"  # of the order\n'))

    done = run_command(compat, "schemas", "--fix")

    assert done.code == 0
    assert "fixed schemas/shop.toml: OrderPlaced.full_name keeps the name 'name' on the wire" in done.out
    text = (project / "schemas/shop.toml").read_text(encoding="utf-8")
    assert 'full_name = {type = "u64", wire = "name"}  # of the order\n' in text


def test_fix_reserves_what_is_gone_and_what_was_reserved(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    released(KEY + PLACED + NOTE + '[reserved.OrderKey]\nnames = ["old"]\ntags = [9]\n')
    schema(project, KEY + PLACED)

    assert run_command(compat, "schemas").code == 1
    done = run_command(compat, "schemas", "--fix")

    assert done.code == 0, done.out
    text = (project / "schemas/shop.toml").read_text(encoding="utf-8")
    reserved = tomllib.loads(text)["reserved"]["OrderKey"]
    assert (sorted(reserved["names"]), reserved["tags"]) == (["note", "old"], [9])


def test_fix_changes_nothing_where_nothing_is_on_offer(
    project: Path, run_command: RunCommand, released: Released
) -> None:
    released(KEY + PLACED)
    folder = schema(project, KEY + PLACED.replace("u64", "u8"))
    before = (folder / "shop.toml").read_bytes()
    assert run_command(compat, "schemas", "--fix").code == 1
    assert (folder / "shop.toml").read_bytes() == before


# Evidence


def exported(project: Path, *totals: int) -> Path:
    path = project / "events.jsonl"
    lines: list[dict[str, object]] = [{"kind": "log", "format": 1}]
    for total in totals:
        body = base64.b64encode(msgspec.msgpack.encode({"order_id": 1, "total": total})).decode()
        headers = {"wakuwaku-tag": base64.b64encode((1).to_bytes(4, "little")).decode()}
        lines.append({"kind": "record", "topic": "orders", "headers": headers, "body": body})
    lines.append({"kind": "end", "records": len(totals)})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def test_evidence_counts_the_records_of_an_export(project: Path, run_command: RunCommand, released: Released) -> None:
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    exported(project, 5, 300, 7)
    done = run_command(compat, "schemas", "--evidence", "events.jsonl")
    assert done.code == 1
    assert "in the given logs this version does not read 1 of 3 records" in done.out


async def test_evidence_reads_an_embedded_log(project: Path, released: Released) -> None:
    """Through the runtime, where that is installed."""
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    head = (1).to_bytes(4, "little") + bytes(8) + b"\x01\x01\x01"
    async with await connect("sqlite:///events.db", stream="shop") as log:
        await log.create_topic("orders", 1)
        await log.append("orders", 0, [Record(head, msgspec.msgpack.encode({"order_id": 1, "total": 999}))])

    outcome = check_compat(Options(Path("schemas"), evidence=("events.db#shop",)))

    (finding,) = [one for one in outcome.findings if one.rule == "INT_NARROWED"]
    assert finding.evidence is not None
    assert (finding.evidence.records, finding.evidence.unread) == (1, 1)


@pytest.mark.parametrize(
    ("text", "message"), [("x\n", "no line"), ('{"kind": "log"}\n', "cut short"), (None, "no such file")]
)
def test_evidence_that_can_not_be_read_is_no_answer(
    text: str | None, message: str, project: Path, run_command: RunCommand, released: Released
) -> None:
    released(KEY + PLACED)
    schema(project, KEY + PLACED.replace("u64", "u8"))
    if text is not None:
        (project / "events.jsonl").write_text(text, encoding="utf-8")
    done = run_command(compat, "schemas", "--evidence", "events.jsonl")
    assert done.code == 2
    assert message in done.err


# Beside


def test_rules_of_compatibility_are_explained(run_command: RunCommand) -> None:
    done = run_command(explain, "enum_value_added")
    assert done.code == 0
    assert "backward: ok, forward: error" in done.out
    assert "Before:" in done.out
    assert "FENCE_WEAKENED" in run_command(explain).out


def test_versions_are_in_order() -> None:
    """As Semantic Versioning has it."""
    ordered = [
        "0.9",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.10",
    ]
    assert sorted(ordered, key=lambda one: (parse_version(one), one)) == ordered
    assert parse_version("v1.2") == parse_version("1.2.0+build")
