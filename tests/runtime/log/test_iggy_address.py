"""The URL of an Iggy server: what it says, what is wrong with it, and that nobody ever reads the password."""

from __future__ import annotations

import pytest

from wakuwaku import ConfigError
from wakuwaku.log import connect
from wakuwaku.log.iggy_address import Address, address_of, without_secret


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("iggy://ada:pw@host", Address(host="host", username="ada", secret="pw")),
        ("iggy://ada:pw@host:8091/", Address(host="host", port=8091, username="ada", secret="pw")),
        ("iggy://a%40b:p%2F%3A%40%23@host", Address(host="host", username="a@b", secret="p/:@#")),
        ("iggy://iggypat-123@host", Address(host="host", secret="iggypat-123")),
        ("iggy://ada:pw@[::1]:9", Address(host="::1", port=9, username="ada", secret="pw")),
        (
            "iggy://ada:pw@host?durability=replicated&timeout=0.5",
            Address(host="host", username="ada", secret="pw", durability="replicated", timeout=0.5),
        ),
        (
            "iggy://ada:pw@host?tls=true&tls_domain=iggy.example&tls_ca_file=%2Fetc%2Fca.pem",
            Address(
                host="host",
                username="ada",
                secret="pw",
                tls=True,
                tls_domain="iggy.example",
                tls_ca_file="/etc/ca.pem",
            ),
        ),
    ],
)
def test_a_url_names_a_server_and_who_signs_in(url: str, address: Address) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("iggy://", "name the server, as in iggy://user:password@host:8090"),
        ("iggy://ada:hush@", "name the server"),
        ("iggy://host", "name who signs in, as in .*, or with a personal access token iggy://TOKEN@host"),
        ("iggy://:hush@host", "name who signs in"),
        ("iggy://ada:@host", "the password is empty"),
        ("iggy://ada:hush@host/shop", "no path follows the server; the stream is an argument of its own"),
        ("iggy://ada:hu/sh@host", "no URL; .* write / as %2F|no path follows the server"),
        ("iggy://ada:hu#sh@host", "no URL|write # .* as %23"),
        ("iggy://ada:hush@host:port", "no URL"),
        ("iggy://ada:hush@host:99999", "no URL"),
        ("iggy://ada:hush@host?ssl=true", "no option 'ssl'; there are durability, timeout, tls, tls_ca_file, tls_dom"),
        ("iggy://ada:hush@host?tls=true&tls=true", "the option tls is given twice"),
        ("iggy://ada:hush@host?tls=", "the option tls is empty"),
        ("iggy://ada:hush@host?tls=yes", "tls is true or false, not 'yes'"),
        ("iggy://ada:hush@host?tls_ca_file=ca.pem", "tls_ca_file means nothing without tls=true"),
        ("iggy://ada:hush@host?durability=fsync", "durability is persisted or replicated, not 'fsync'"),
        ("iggy://ada:hush@host?timeout=0", "timeout is a number of seconds, more than 0 and up to 3600, not '0'"),
        ("iggy://ada:hush@host?timeout=soon", "timeout is a number of seconds"),
    ],
)
async def test_a_wrong_url_says_what_is_right_and_keeps_the_password_to_itself(url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        await connect(url)

    for secret in ("hush", "hu/sh", "hu#sh", "/sh@", "#sh@"):
        assert secret not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_a_wrong_scheme_in_front_of_a_password_does_not_print_it() -> None:
    with pytest.raises(
        ConfigError, match=r"'igy://\*\*\*@host' names no log: .* sqlite:///, iggy:// or memory://"
    ) as caught:
        await connect("igy://ada:hush@host")

    assert "hush" not in str(caught.value)


def test_an_address_shows_where_and_not_who() -> None:
    address = address_of("iggy://ada:hush@host:8091")

    assert str(address) == "iggy://host:8091"
    assert "hush" not in repr(address)
    assert without_secret("sqlite:///events.db") == "sqlite:///events.db"


async def test_a_wrong_stream_name_is_told_before_anybody_is_asked() -> None:
    with pytest.raises(ConfigError, match="a stream name has 1 to 255 bytes"):
        await connect("iggy://ada:pw@host.invalid", stream="")
    with pytest.raises(ConfigError, match="stream '17': clients of Iggy take a name of digits alone for an id"):
        await connect("iggy://ada:pw@host.invalid", stream="17")
