"""What went wrong on an Iggy server or on the way there, in the words and classes of this package.

The client raises one class for everything, with the text of the protocol's error, so the text is what is gone by. What
is not known is taken for lasting: a partition that stops says why, one that tries for ever hides it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wakuwaku.errors import LogError, LogUnavailableError, OffsetOutOfRangeError, TopicNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wakuwaku.log.iggy_address import Address

__all__ = ["UNKNOWN_OPTION", "explained", "unreachable"]

#: How the text of the error begins that an option for topics gets which the server does not know.
UNKNOWN_OPTION: Final = "Unsupported option key"

#: How the texts begin of what may pass: the connection, the session, a cluster that chooses a leader.
_PASSING: Final = (
    "Cannot establish connection",
    "Cannot sed messages due to client disconnection",
    "Client shutdown",
    "Connection closed",
    "Disconnected",
    "Empty response",
    "IO error",
    "Not connected",
    "Request already applied; its reply is no longer available",
    "Request transiently not",
    "Shard communication error",
    "Stale client",
    "TCP error",
    "Task execution timeout",
    "Unauthenticated",
    "VSR session",
)

#: What lasting errors mean: how the text begins, the class, and the way out.
_LASTING: Final[Sequence[tuple[str, type[LogError], str]]] = (
    ("Invalid credentials", LogError, "the server knows no such user, or the password is another; look at the URL"),
    (
        "Invalid username",
        LogError,
        "the server knows no such user, or no user has such a name (3 to 50 bytes); look at the URL",
    ),
    ("Invalid password", LogError, "the password is another, or none at all (it has 3 to 100 bytes); look at the URL"),
    ("Invalid personal access token", LogError, "the server does not know the token; look at the URL"),
    ("Personal access token", LogError, "the token has expired; make a new one and put it into the URL"),
    ("User inactive", LogError, "the user is switched off; an administrator can switch it on"),
    (
        "Unauthorized",
        LogError,
        (
            "the user lacks the permission; reading needs poll_messages, writing send_messages, a look at a topic"
            " read_topic, and making one manage_topics"
        ),
    ),
    (
        "Topic with",
        TopicNotFoundError,
        "the topic does not exist, or not any more; nothing of it can be read or written",
    ),
    ("Partition with", TopicNotFoundError, "the topic has no such partition, or not any more"),
    ("Stream with", TopicNotFoundError, "the stream does not exist, or not any more; create it, or look at `stream`"),
    ("Resource with", TopicNotFoundError, "the stream or topic does not exist, or not any more"),
    (
        "Invalid offset",
        OffsetOutOfRangeError,
        "the partition holds no such offset; a server stores none beyond its end",
    ),
    ("Too big message payload", LogError, "a record is larger than the server takes; its limit is max_message_size"),
    ("Invalid TLS", LogError, "TLS can't be set up; look at tls_domain and tls_ca_file in the URL"),
    ("Failed to add certificate", LogError, "TLS can't be set up; look at tls_ca_file in the URL"),
    ("Incompatible protocol version", LogError, "client and server speak other versions; upgrade the older one"),
    ("Users limit reached", LogError, "the server takes no more users"),
)


def explained(error: Exception, server: object) -> LogError:
    """Return the error of this package that says what an error of the client on `server` means."""
    text = str(error)
    if text.startswith(_PASSING):
        return LogUnavailableError(f"{server}: the server does not answer ({text}); it is asked again")
    for beginning, kind, meaning in _LASTING:
        if text.startswith(beginning):
            return kind(f"{server}: {meaning} ({text})")
    return LogError(f"{server}: the server refused the call ({text})")


def unreachable(address: Address, text: str) -> LogUnavailableError:
    """Return the error for a server that does not take a connection."""
    if address.tls:
        return LogUnavailableError(
            f"{address}: no Iggy server answers there, or its certificate is not trusted ({text}); start it, or look at"
            " tls_ca_file and tls_domain in the URL, and whether the server speaks TLS"
        )
    return LogUnavailableError(
        f"{address}: no Iggy server answers there ({text}); start it, or look at the URL: one that speaks TLS needs"
        " tls=true"
    )
