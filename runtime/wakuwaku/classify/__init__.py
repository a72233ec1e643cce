"""Which class an error of a library has: PostgreSQL, MySQL, SQLite, Redis, HTTP, the operating system.

A classifier is a value. Put it on a handler (``classify = postgres()``) or give it to the consumer
(``Consumer(…, classifier=postgres())``); join several with ``|``, the first that knows an error decides. None of them
imports the library it knows: errors are told by their codes, attributes and class names.
"""

from wakuwaku.classify.classifier import Classifier, Classify, Rule, by_type, describe
from wakuwaku.classify.http import by_status, http, retry_after
from wakuwaku.classify.mysql import by_errno, mysql
from wakuwaku.classify.operating_system import operating_system
from wakuwaku.classify.postgres import by_sqlstate, postgres
from wakuwaku.classify.redis import redis
from wakuwaku.classify.sqlite import sqlite

__all__ = [
    "Classifier",
    "Classify",
    "Rule",
    "by_errno",
    "by_sqlstate",
    "by_status",
    "by_type",
    "describe",
    "http",
    "mysql",
    "operating_system",
    "postgres",
    "redis",
    "retry_after",
    "sqlite",
]
