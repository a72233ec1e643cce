"""Rates on an Apache Iggy server, beside the published Rust crate in the same run: `python benchmarks/iggy.py`.

Needs WAKUWAKU_IGGY_URL, and in WAKUWAKU_IGGY_PEER the program that `cargo build --release` makes in tests/interop/peer.

Method. Both sides use the same events (no fields but a key and a number, no law, so nothing is folded), the same topic
and the same server, one after another, and the median of the rounds is shown. Publishing is one call with all events,
each of another key; the Rust crate sends one request per key, this package one per partition. Consuming is from the
first event until a handler that does nothing was given the last one, all partitions in one process; the time from the
start of the consumer counts. Stages are measured on the same records after the fact, for each event: the bare requests
for all pages; making records of the replies, as it is done and message by message; planning; decoding; calling
handlers. What is left of a consumer's time is the engine, less what goes on at once with a request.

Rates on a shared machine vary, and server and client share its cores here; compare the ratios of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.interop.trace_events import TOPIC, Plain
from wakuwaku import Batch, Codec, Consumer, ConsumerConfig, Handler, HandlerBundle, Ordering, Publisher, Topic
from wakuwaku._core.commands import QueueKeys, RunKey
from wakuwaku._core.inputs import KeyFinished, KeyTaken, Polled, Started
from wakuwaku._core.partition import Partition
from wakuwaku._core.settings import Settings
from wakuwaku.log import Page
from wakuwaku.log.iggy import IggyLog
from wakuwaku.log.iggy_address import Address, address_of
from wakuwaku.log.iggy_wire import POLL, Place

PARTITIONS = range(4)
CODEC = Codec(Plain)


class Nothing(Handler[Plain]):
    """Do nothing but tell when everything has come."""

    event = Plain
    max_batch = 1_000_000

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.done = asyncio.Event()

    async def handle(self, events: Batch[Plain]) -> None:
        """Count."""
        self.expected -= len(events)
        if not self.expected:
            self.done.set()


@dataclass(frozen=True, kw_only=True, slots=True)
class Handlers(HandlerBundle):
    """Handle the one type."""

    __wakuwaku__ = Topic(name=TOPIC, codecs={1: CODEC}, fields={1: "plain"})

    plain: Handler[Plain]


class Bench:
    """Measure on one server."""

    def __init__(self, address: Address, peer: str, rounds: int) -> None:
        self.address = address
        self.peer = peer
        self.rounds = rounds

    async def rust(self, stream: str, *arguments: object) -> float:
        """Run the program in Rust, and return the seconds it prints."""
        url = f"iggy://{self.address.username}:{self.address.secret}@{self.address.server}"
        process = await asyncio.create_subprocess_exec(
            self.peer, url, stream, *map(str, arguments), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        assert process.returncode == 0
        return float(out)

    async def on_stream(self, durability: str, measure: Callable[[IggyLog, str], Awaitable[Any]]) -> Any:
        """Measure on a stream of its own, which is deleted afterwards."""
        stream = f"bench-{secrets.token_hex(4)}"
        address = replace(self.address, durability="persisted" if durability == "persisted" else "replicated")
        async with await IggyLog.open(address, stream=stream) as log:
            for topic in (TOPIC, f"retry_{TOPIC}"):
                await log.create_topic(topic, len(PARTITIONS))
            try:
                return await measure(log, stream)
            finally:
                await log._connection.call(lambda client: client.delete_stream(stream))

    async def publish(self, count: int, durability: str) -> None:
        """Compare publishing events that each have another key."""
        events = [plain(number, number) for number in range(count)]
        pairs: list[tuple[float, float]] = []

        async def measure(log: IggyLog, stream: str) -> None:
            rust = await self.rust(stream, "measure-publish", count)
            start = perf_counter()
            await Publisher(log).publish_many(events, ordering=Ordering.RELAXED)
            pairs.append((rust, perf_counter() - start))

        for _ in range(self.rounds):
            await self.on_stream(durability, measure)
        show(f"publish {count:,} events over {count:,} keys, {durability}", count, pairs)

    async def consume(self, count: int, keys: int, poll_count: int) -> None:
        """Compare consuming with a handler that does nothing, and show what the stages take."""
        events = [plain(number % keys, number) for number in range(count)]
        pairs: list[tuple[float, float]] = []
        stages: list[dict[str, float]] = []

        async def measure(log: IggyLog, stream: str) -> None:
            for first in range(0, count, 10_000):
                await Publisher(log).publish_many(events[first : first + 10_000], ordering=Ordering.RELAXED)
            for number in range(self.rounds):
                rust = await self.rust(stream, "measure-consume", f"rust-{number}", "0,1,2,3", count, poll_count)
                handler = Nothing(count)
                start = perf_counter()
                config = ConsumerConfig(consumer=f"python-{number}", partitions=PARTITIONS, poll_count=poll_count)
                async with Consumer(log, Handlers(plain=handler), config):
                    await handler.done.wait()
                    pairs.append((rust, perf_counter() - start))
                stages.append(await stages_of(log, stream))

        await self.on_stream("replicated", measure)
        show(f"consume {count:,} events of {keys:,} keys, {poll_count:,} a poll", count, pairs)
        taken = {name: statistics.median(one[name] for one in stages) for name in stages[0]}
        if poll_count > 1_000:
            return  # the stages are those of above
        print("    " + ", ".join(f"{name} {seconds / count * 1e6:.2f} µs" for name, seconds in taken.items()))

    async def idle(self, seconds: float) -> None:
        """Show what a consumer takes that has nothing to do."""

        async def measure(log: IggyLog, _: str) -> float:
            config = ConsumerConfig(consumer="idle", partitions=PARTITIONS)
            async with Consumer(log, Handlers(plain=Nothing(1)), config):
                await asyncio.sleep(3)  # the pauses between polls have grown
                before = time.process_time()
                await asyncio.sleep(seconds)
                return (time.process_time() - before) / seconds

        share = await self.on_stream("persisted", measure)
        print(f"an idle consumer of {len(PARTITIONS)} partitions takes {share:.2%} of a core, over {seconds:g} s")


def plain(number: int, value: int) -> Plain:
    """Return an event."""
    return Plain(customer="Ada", number=number, values=(value,))


def show(what: str, count: int, pairs: Sequence[tuple[float, float]]) -> None:
    """Print both rates and the ratio of ours to the Rust crate's, round by round."""
    rust, ours = (statistics.median(count / one[side] for one in pairs) for side in (0, 1))
    ratios = sorted(theirs / mine for theirs, mine in pairs)
    print(
        f"{what}: Rust {rust:,.0f} a second, Python {ours:,.0f}, ratio {statistics.median(ratios):.2f}"
        f" ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


async def stages_of(log: IggyLog, stream: str) -> dict[str, float]:
    """Return the seconds that each stage takes for all records of the topic."""
    starts: list[float] = [perf_counter()]
    for partition in PARTITIONS:
        offset, end = 0, (await log.bounds(TOPIC, partition)).end
        while offset < end:
            payload = Place("bench", stream, TOPIC, partition).poll(offset, 1_000)
            await log._connection.call(lambda client, payload=payload: client.send_binary_request(POLL, payload))  # type: ignore[misc]
            offset += 1_000
    starts.append(perf_counter())
    pages = await read_all(log)
    starts.append(perf_counter())
    log._raw = False
    await read_all(log)
    log._raw = True
    starts.append(perf_counter())
    runs = plan_all(pages)
    starts.append(perf_counter())
    decoded = [[CODEC.decode(entry.record.body) for entry in run] for run in runs]
    starts.append(perf_counter())
    handler = Nothing(-1)
    for events in decoded:
        await handler.handle(Batch(events, topic=TOPIC, partition=0, offsets=(0,)))
    starts.append(perf_counter())
    request, raw, typed, plan, decode, call = (later - earlier for earlier, later in pairwise(starts))
    return {
        "request": request,
        "records": raw - request,
        "records message by message": typed - request,
        "plan": plan,
        "decode": decode,
        "call": call,
    }


async def read_all(log: IggyLog) -> list[Page]:
    """Return all pages of the topic."""
    pages: list[Page] = []
    for partition in PARTITIONS:
        offset = 0
        while page := await log.read(TOPIC, partition, offset, 1_000):
            pages.append(page)
            offset = page.offsets[-1] + 1
    return pages


def plan_all(pages: Sequence[Page]) -> list[Any]:
    """Drive the machine alone over all pages, a partition for each, and return the runs it plans."""
    runs: list[Any] = []
    settings = Settings(algebras={1: Plain.__wakuwaku__.algebra}, max_in_flight=10_000)
    machine = Partition(settings, stored=None)
    for page in pages:
        if page.offsets[0] == 0:
            machine = Partition(settings, stored=None)
            machine.step(Started(), 0.0)
        for command in machine.step(Polled(page.offsets, page.records), 0.0):
            if isinstance(command, QueueKeys):
                for key in command.keys:
                    run = machine.step(KeyTaken(key), 0.0)[0]
                    assert isinstance(run, RunKey)
                    runs += [one for segment in run.segments for one in segment.runs()]
                    machine.step(KeyFinished(key), 0.0)
    return runs


async def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publish", type=int, default=20_000)
    parser.add_argument("--consume", type=int, default=200_000)
    parser.add_argument("--keys", type=int, nargs="*", default=(100, 1_000, 20_000))
    parser.add_argument("--poll-count", type=int, nargs="*", default=(1_000, 5_000), help="1000 is the default of both")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=float, default=30)
    options = parser.parse_args()
    try:
        address, peer = address_of(os.environ["WAKUWAKU_IGGY_URL"]), os.environ["WAKUWAKU_IGGY_PEER"]
    except KeyError as missing:
        parser.error(f"{missing.args[0]} is not set; see --help")
    bench = Bench(address, peer, options.rounds)
    for durability in ("persisted", "replicated"):
        await bench.publish(options.publish, durability)
    for keys in options.keys:
        for poll_count in options.poll_count:
            await bench.consume(options.consume, keys, poll_count)
    await bench.idle(options.idle)


if __name__ == "__main__":
    asyncio.run(main())
