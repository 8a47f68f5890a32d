"""A server of one's own: fast, small, safe, shared, and gone when its program is."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import trilith

FIRST_WRITE = 0.5  # seconds
RESIDENT = 60  # MB of an idle server, pages of the program's file included
LOADED = 4  # how much slower a machine may be that does other things too

HOLDER = """
import sys, time, trilith
memory = trilith.Trilith.embedded(store=sys.argv[1], user="ana")
memory.remember(f"Crate {sys.argv[2]} is here.", extract="none")
print(memory._child.pid, flush=True)
time.sleep(600)
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # one that its new parent has not fetched yet is none
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return os.path.isdir("/proc/self") is False


def hold(store, name):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(store), name], stdout=subprocess.PIPE, text=True)
    return holder, int(holder.stdout.readline())


def test_first_write(tmp_path):
    store = tmp_path / "trilith.db"
    with trilith.Trilith.embedded(store=store) as memory:
        memory.remember("The disk is warm now.")
    took = []
    for n in range(5):
        start = time.perf_counter()
        with trilith.Trilith.embedded(store=store) as memory:
            memory.remember(f"I moved to house number {n}.")
            took.append(time.perf_counter() - start)
    print(f"\nembedded, Python: first write after {min(took) * 1000:.0f} to {max(took) * 1000:.0f} ms")
    assert min(took) < FIRST_WRITE * LOADED


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc says how much memory a process has")
def test_resident(tmp_path):
    with trilith.Trilith.embedded(store=tmp_path / "trilith.db", user="ana") as memory:
        for n in range(20):
            memory.remember(f"I have {n} kettles.")
        memory.recall("How many kettles?")
        smallest, until = 1e9, time.monotonic() + 10
        while smallest > RESIDENT and time.monotonic() < until:
            time.sleep(0.2)
            status = pathlib.Path(f"/proc/{memory._child.pid}/status").read_text()
            smallest = min(smallest, int(status.split("VmRSS:")[1].split()[0]) / 1000)
    print(f"\nembedded: {smallest:.0f} MB resident")
    assert smallest <= RESIDENT


def test_killed_programs_leave_no_server(tmp_path, pytestconfig):
    kills = pytestconfig.getoption("kills")
    for n in range(kills):
        holder, server = hold(tmp_path / "trilith.db", str(n))
        assert alive(server)
        holder.kill()
        holder.wait()
        holder.stdout.close()
        until = time.monotonic() + 20
        while alive(server) and time.monotonic() < until:
            time.sleep(0.01)
        assert not alive(server), f"kill {n + 1} of {kills}: the server goes on"
    with trilith.Trilith.embedded(store=tmp_path / "trilith.db", user="ana") as memory:
        assert [m.text for m in memory.memories()] == [f"Crate {n} is here." for n in range(kills)]


def test_two_programs_on_one_file(tmp_path):
    store = tmp_path / "trilith.db"
    holder, server = hold(store, "of another program")
    with trilith.Trilith.embedded(store=store, user="ana") as memory:
        assert memory._child.pid != server
        assert [m.text for m in memory.memories()] == ["Crate of another program is here."]
        holder.kill()
        holder.wait()
        holder.stdout.close()
        memory.remember("It goes on.", extract="none")
        assert [h.text for h in memory.recall("Who goes on?", k=1)] == ["It goes on."]


def test_two_in_one_program(tmp_path):
    store = tmp_path / "trilith.db"
    with trilith.Trilith.embedded(store=store) as one, trilith.Trilith.embedded(store=store) as two:

        def write(memory, name):
            for n in range(20):
                memory.remember(f"Parcel {name}{n}.", extract="none")

        writers = [threading.Thread(target=write, args=(memory, name)) for memory, name in ((one, "a"), (two, "b"))]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert len(list(one.memories())) == len(list(two.memories())) == 40


@pytest.mark.skipif(sys.platform == "win32", reason="signals of terminals")
def test_an_interrupt_of_the_program_does_not_end_the_server(tmp_path):
    """Notebooks stop a cell by a signal to the whole group of processes."""
    script = """
import os, signal, sys, trilith
os.setpgrp()
with trilith.Trilith.embedded(store=":memory:") as memory:
    try:
        os.killpg(0, signal.SIGINT)
        import time; time.sleep(10)
    except KeyboardInterrupt:
        pass
    memory.remember("It goes on.", extract="none")
    print([m.text for m in memory.memories()])
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert out.stdout == "['It goes on.']\n", out.stderr


def test_nobody_else_may_ask():
    with trilith.Trilith.embedded(store=":memory:") as memory, trilith.Trilith(memory.url, "another key") as other:
        with pytest.raises(trilith.Unauthenticated):
            other.recall("x")


def test_what_does_not_start(tmp_path):
    with pytest.raises(trilith.Unavailable, match="(?s)did not start.*is not a store|did not start"):
        trilith.Trilith.embedded(store="nonsense://x")
    with pytest.raises(trilith.NotFound, match="cannot be started"):
        trilith.Trilith.embedded(binary=str(tmp_path / "nothing"))
    with pytest.raises(trilith.Unavailable, match="did not start: .*extract"):
        trilith.Trilith.embedded(store=":memory:", settings={"EXTRACT": "magic"})


def test_settings():
    with trilith.Trilith.embedded(store=":memory:", settings={"extract": "none"}, user="ana") as memory:
        assert memory.remember("I moved to Bergen.", wait="extracted").memories
        assert not memory.facts().items


def test_forgotten_ones_are_stopped():
    memory = trilith.Trilith.embedded(store=":memory:")
    pid = memory._child.pid
    del memory
    until = time.monotonic() + 20
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not alive(pid)


def test_close_ends_it():
    memory = trilith.Trilith.embedded(store=":memory:")
    memory.close()
    assert not alive(memory._child.pid)
    with pytest.raises(trilith.Canceled):
        memory.recall("x")


if sys.platform != "win32":

    def test_stopped_by_signal_is_said():
        memory = trilith.Trilith.embedded(store=":memory:", retries=0)
        os.kill(memory._child.pid, signal.SIGKILL)
        with pytest.raises(trilith.Unavailable):
            for _ in range(100):
                memory.recall("x")
        memory.close()
