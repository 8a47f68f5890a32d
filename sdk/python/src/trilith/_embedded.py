"""A server for this program alone."""

from __future__ import annotations

import collections
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import weakref
from typing import IO, Any

from ._core import VERSION
from ._errors import NotFound, Unavailable, Unsupported

log = logging.getLogger("trilith.server")

STOP_TIMEOUT = 10.0  # seconds for finishing what is being answered


class Child:
    """A running server. It ends when its standard input does, so also when this process is killed."""

    def __init__(self, process: subprocess.Popen[bytes], ready: dict[str, Any]) -> None:
        self.url: str = ready["url"]
        self.key: str = ready["key"]
        self.pid: int = ready["pid"]
        self.version: str = ready["version"]
        self.stop = weakref.finalize(self, _stop, process)  # also when nobody holds it, and at the end of the program


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    process.stdin.close()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def spawn(
    store: str | os.PathLike[str] | None = None, binary: str | None = None, settings: dict[str, str] | None = None
) -> Child:
    """Starts a server and waits until it answers."""
    command = [binary or find_binary(), "serve", "--embedded"]
    env = {**os.environ, **{"TRILITH_" + name.upper().replace("-", "_"): value for name, value in (settings or {}).items()}}
    if store is not None:  # it may hold a password, and others see command lines
        env["TRILITH_STORE"] = store_url(os.fspath(store))
    # A session of its own: what interrupts this program, as notebooks do to stop a cell, does not end the server.
    apart: dict[str, Any]
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    else:
        apart = {"start_new_session": True}
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, **apart
        )
    except OSError as error:
        raise NotFound(f"binary: {command[0]} cannot be started: {error}") from error
    assert process.stdout and process.stderr
    said: collections.deque[str] = collections.deque(maxlen=20)
    listener = threading.Thread(target=_listen, args=(process.stderr, said), name="trilith-server-log", daemon=True)
    listener.start()
    line = process.stdout.readline()
    if not line.startswith(b"{"):
        _stop(process)
        listener.join(1)
        raise Unavailable("the server did not start: " + ("\n".join(said) or f"it ended with {process.returncode}"))
    child = Child(process, json.loads(line))
    ours, theirs = VERSION.split(".")[0], re.match(r"v?(\d+)\.", child.version)
    if theirs and theirs[1] != ours:
        child.stop()
        raise Unsupported(f"binary: is version {child.version}, this client needs version {ours}")
    return child


def _listen(stderr: IO[bytes], said: collections.deque[str]) -> None:
    with stderr:
        for line in stderr:
            text = line.decode(errors="replace").rstrip()
            said.append(text)
            log.warning("%s", text)


def store_url(store: str) -> str:
    if store == ":memory:":
        return "mem:"
    if re.match(r"[a-z]{2,}:", store):  # one letter is a drive of Windows
        return store
    return "sqlite:" + os.path.abspath(os.path.expanduser(store))


def find_binary() -> str:
    """The program trilith: of the package trilith-bin, of this environment, or on PATH."""
    try:
        from trilith_bin import path  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        return str(path())
    name = "trilith.exe" if sys.platform == "win32" else "trilith"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    found = beside if os.path.isfile(beside) else shutil.which("trilith")
    if not found:
        raise NotFound("binary: there is no trilith here; install trilith-bin, or say where it is")
    return found
