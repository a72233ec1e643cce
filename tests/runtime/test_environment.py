"""Settings of a consumer from the environment."""

from __future__ import annotations

import typing

import pytest

from wakuwaku import ConfigError, ConsumerConfig, DeliveryMode, GiveUp, UnknownEvents
from wakuwaku.config import ConsumerSettings
from wakuwaku.environment import kind_of


def problems(**environ: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as error:
        ConsumerConfig.from_env("ORDER", environ)
    return error.value.problems


def test_every_setting_has_its_variable() -> None:
    """One of each kind; `none` turns off what may be off; a range stands for its numbers."""
    made = ConsumerConfig.from_env(
        "ORDER_",
        {
            "ORDER_CONSUMER": "order-projection",
            "ORDER_PARTITIONS": "0-2, 5",
            "ORDER_MODE": "no-double-consume",
            "ORDER_RETRY_DELAYS": "1, 500ms,2m",
            "ORDER_POLL_COUNT": "500",
            "ORDER_POLL_INTERVAL": "0.25",
            "ORDER_ON_GIVE_UP": "PARK",
            "ORDER_UNKNOWN_EVENTS": "skip",
            "ORDER_HANDLER_TIMEOUT": "30s",
            "ORDER_LAG_WARNING": "None",
            "ORDER_SHARE_RETRY_TOPIC": "True",
            "ORDER_DATABASE": "postgresql://localhost",
            "UNRELATED": "x",
        },
    )

    assert made == ConsumerConfig(
        consumer="order-projection",
        partitions=(0, 1, 2, 5),
        mode=DeliveryMode.NO_DOUBLE_CONSUME,
        retry_delays=(1.0, 0.5, 120.0),
        poll_count=500,
        poll_interval=0.25,
        on_give_up=GiveUp.PARK,
        unknown_events=UnknownEvents.SKIP,
        handler_timeout=30.0,
        lag_warning=None,
        share_retry_topic=True,
    )


def test_no_setting_was_forgotten() -> None:
    """A new setting can be read from the environment, and be given to `from_env` by a program."""
    hints = typing.get_type_hints(ConsumerConfig)

    assert all(kind_of(hint) for hint in hints.values())
    assert typing.get_type_hints(ConsumerSettings) == hints


def test_the_environment_wins_over_the_program_and_the_program_over_the_defaults() -> None:
    made = ConsumerConfig.from_env("A", {"A_PARTITIONS": "1"}, consumer="c", partitions=[0], poll_count=7)

    assert (made.partitions, made.poll_count, made.concurrency) == ((1,), 7, 100)


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKUWAKU_TEST_PARTITIONS", "3")

    assert ConsumerConfig.from_env("wakuwaku_test", consumer="c").partitions == (3,)


def test_everything_wrong_is_told_at_once_by_the_names_of_the_variables() -> None:
    assert problems(
        ORDER_PARTITIONS="0,x",
        ORDER_POLL_COUNT="0",
        ORDER_CONSUMER="a b",
        ORDER_POLL_INTERVALL="2",
        ORDER_MODE="",
        ORDER_RETRY_DELAYS="-1",
        ORDER_CONCURRENCY="1e3",
        ORDER_HANDLER_TIMEOUT="0",
        ORDER_SHARE_RETRY_TOPIC="yes",
    ) == (
        "ORDER_PARTITIONS: '0,x' is not whole numbers with commas between them, such as 0,2 or 0-3",
        "ORDER_MODE: empty; it should be one of NO_EVENT_LOSE, NO_DOUBLE_CONSUME",
        "ORDER_RETRY_DELAYS: '-1' is not durations with commas between them, such as 2,4,500ms",
        "ORDER_CONCURRENCY: '1e3' is not a whole number",
        "ORDER_SHARE_RETRY_TOPIC: 'yes' is not true or false",
        "ORDER_POLL_INTERVALL: there is no such setting; did you mean ORDER_POLL_INTERVAL?",
        "ORDER_POLL_COUNT: 0; at least 1 is needed",
        "ORDER_HANDLER_TIMEOUT: 0.0 is neither None nor a duration of more than 0 seconds",
        "ORDER_CONSUMER: 'a b' is not a name; use letters, digits, '.', '_' and '-', 100 at most",
    )


def test_what_is_missing_is_told_with_an_example() -> None:
    assert problems() == (
        "ORDER_CONSUMER: not set; set it, such as ORDER_CONSUMER=order-projection, or give consumer= in the program",
        "ORDER_PARTITIONS: not set; set it, such as ORDER_PARTITIONS=0,2, or give partitions= in the program",
    )


@pytest.mark.parametrize("text", ["3-1", "0,", ",", "0 1", "٣", "1.5", "-1", "0x1", "99999999999999999999"])
def test_numbers_of_partitions_are_plain_numbers(text: str) -> None:
    (problem,) = problems(ORDER_PARTITIONS=text, ORDER_CONSUMER="c")

    assert problem.startswith(f"ORDER_PARTITIONS: {text!r} is not whole numbers")


def test_a_partition_named_twice_is_told() -> None:
    assert problems(ORDER_PARTITIONS="0,0", ORDER_CONSUMER="c") == ("ORDER_PARTITIONS: [0, 0] names one twice",)
