"""SARIF 2.1.0: what code scanning services and editors read."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from jsonschema import Draft4Validator

from tests.codegen.cli.test_cli import ARGUMENTS, PACKED, SHOP, SOLD, Run, run, schema
from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span
from wakuwaku_gen.report import print_outcome

__all__ = ["run", "schema"]

TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
NUMBER = {"type": "integer", "minimum": 1}


def strict(required: dict[str, object], **optional: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


PLACE = strict(
    {"artifactLocation": strict({"uri": {"type": "string", "pattern": "^[^ ]+$"}})},
    region=strict(dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), NUMBER)),
)
LOCATION = strict({"physicalLocation": PLACE}, message=TEXT)
#: The part of the standard that is used here, with no key beside those.
STANDARD = strict(
    {
        "$schema": {"type": "string"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": strict(
                {
                    "tool": strict(
                        {
                            "driver": strict(
                                {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": strict(
                                            {
                                                "id": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                                "defaultConfiguration": strict({"level": LEVEL}),
                                            }
                                        ),
                                    },
                                }
                            )
                        }
                    ),
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": strict(
                            {
                                "executionSuccessful": {"type": "boolean"},
                                "exitCode": {"type": "integer"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": strict(
                                        {"level": LEVEL, "message": TEXT},
                                        locations={"type": "array", "minItems": 1, "items": LOCATION},
                                    ),
                                },
                            }
                        ),
                    },
                    "results": {
                        "type": "array",
                        "items": strict(
                            {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "message": TEXT,
                                "locations": {"type": "array", "minItems": 1, "items": LOCATION},
                            },
                            relatedLocations={"type": "array", "minItems": 1, "items": LOCATION},
                        ),
                    },
                }
            ),
        },
    }
)


def the_run(printed: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(printed)
    Draft4Validator(STANDARD).validate(log)
    found: dict[str, Any] = log["runs"][0]
    return found


def test_an_error_is_a_result_with_its_place_its_rule_and_the_second_place(run: Run, schema: Path) -> None:
    """The rule is explained in the log itself."""
    schema.write_text(SHOP + SOLD + PACKED.replace("2", "1"), encoding="utf-8")

    failed = run(*ARGUMENTS, "--format", "sarif")

    assert (failed.code, failed.err) == (1, "")
    found = the_run(failed.out)
    (result,) = found["results"]
    assert (result["ruleId"], result["level"]) == ("WK201", "error")
    assert result["message"]["text"].endswith("\nthe next free tag is 2")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "schemas/shop.toml"}
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 15, "startColumn": 7, "endLine": 15, "endColumn": 8}
    assert result["relatedLocations"][0]["message"] == {"text": "the first one"}
    assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "WK201"
    assert found["invocations"][0]["exitCode"] == 1


def test_a_clean_run_has_no_results(run: Run, schema: Path) -> None:
    """An empty list, which tells services that all is well."""
    done = run(*ARGUMENTS, "--format", "sarif")

    assert done.code == 0
    assert the_run(done.out)["results"] == []


def test_files_that_differ_or_are_in_the_way_are_notifications(run: Run, schema: Path) -> None:
    """They are no findings in the schemas."""
    run(*ARGUMENTS)
    schema.write_text(SHOP + SOLD, encoding="utf-8")
    Path("out/shop/codecs.py").write_text("edited")

    checked = the_run(run(*ARGUMENTS, "--check", "--format", "sarif").out)["invocations"][0]
    refused = the_run(run(*ARGUMENTS, "--format", "sarif").out)["invocations"][0]

    told = [one["message"]["text"] for one in checked["toolExecutionNotifications"]]
    assert "changed: not as the schema makes it" in told
    assert checked["executionSuccessful"]
    assert not refused["executionSuccessful"]
    assert [one["level"] for one in refused["toolExecutionNotifications"]] == ["error", "warning"]


def test_a_failure_is_a_notification(run: Run, schema: Path) -> None:
    """With its help."""
    found = the_run(run("schemas", "-o", ".", "--format", "sarif").out)
    (told,) = found["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("the output folder . holds the schemas\nname a folder")


@pytest.mark.parametrize(("file", "uri"), [("a b/ü.toml", "a%20b/%C3%BC.toml"), ("/abs/a.toml", "file:///abs/a.toml")])
def test_paths_are_uris(file: str, uri: str) -> None:
    """Also with spaces, other letters, and from the root."""
    outcome = Outcome(Status.DONE, [Diagnostic(Span(PurePosixPath(file)), "WK150", "m", severity=Severity.HINT)])
    (result,) = the_run(print_outcome(outcome, "sarif", lambda _: None, version="1").out)["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
    assert result["level"] == "note"
