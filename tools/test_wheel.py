# SPDX-License-Identifier: Apache-2.0
"""The Python package as users get it: a wheel, a clean environment, the lines of its README."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import venv
import zipfile
from pathlib import Path

import pytest
from common import BUILD, ROOT
from seed import seed

PACKAGE = ROOT / "crates" / "python"
FOLDER = BUILD / "wheel_test"
# Each a name and its lines.
BLOCKS = re.findall(
    r"^(?:## )(.*?)$(.*?)(?=^## |\Z)", (PACKAGE / "README.md").read_text(), re.MULTILINE | re.DOTALL
)
LINES = {
    f"{title} {number}": lines
    for title, text in BLOCKS
    for number, lines in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL), 1)
}
# Those that need two interfaces and a cable.
HTSP = ["An end of an HTSP link 1", "A receiver for data takers 1"]
# For scripts that check what is refused, and with which words.
FAILS = """
def fails(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{text} was accepted")
"""


def build() -> None:
    """The wheel, and an environment that has it.

    Its libraries have other features than those of the tests, so they are compiled anew in any
    profile: in the one that takes the compiler the least time and checks as much.
    """
    shutil.rmtree(FOLDER, ignore_errors=True)
    command = [ROOT / "tools/wheel.sh", "--profile", "dev", FOLDER]
    quick = os.environ | {"CARGO_PROFILE_DEV_DEBUG": "0"}
    done = subprocess.run(command, env=quick, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = FOLDER.glob("*.whl")
    venv.create(FOLDER / "venv", with_pip=True)
    command = [FOLDER / "venv/bin/python", "-m", "pip", "install", "--disable-pip-version-check"]
    done = subprocess.run(
        [*command, f"{wheel}[sweep]"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def python() -> Path:
    """Python in that environment; it is made once in a run, however many processes share that."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"process {os.getpid()}")
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "wheel_test.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = FOLDER / "run"
        said = stamp.read_text() if stamp.exists() else ""
        if said == f"{run} failed":
            pytest.fail("the wheel could not be built: the first test that wanted it says why")
        if said != run:
            done = "failed"
            try:
                build()
                done = ""
            finally:
                FOLDER.mkdir(exist_ok=True)
                stamp.write_text(f"{run} {done}".strip())
    return FOLDER / "venv/bin/python"


def ran(command: list[str | Path], folder: Path, **environment: str) -> str:
    """What a program prints that ends well, with nothing of this environment but its programs."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_readme_has_lines() -> None:
    assert len(LINES) == 8 and set(HTSP) < set(LINES)


@pytest.mark.parametrize("name", [name for name in LINES if name not in HTSP])
def test_the_lines_of_the_readme(python: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "lines.py").write_text(LINES[name])
    ran([python, "lines.py"], tmp_path)


def over_a_cable(python: Path, folder: Path, lines: str, *arguments: str) -> str:
    """What lines print that run between two interfaces, in a network of its own."""
    inside = ["unshare", "--map-root-user", "--net"]
    cable = (
        "ip link add rope0 mtu 9000 type veth peer name rope1 mtu 9000"
        " && ip link set rope0 up && ip link set rope1 up"
    )
    made = subprocess.run([*inside, "sh", "-c", cable], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"no network of its own: {made.stderr.decode().strip()}")
    (folder / "lines.py").write_text(lines)
    command = f"{cable} && exec {python} lines.py {' '.join(arguments)}"
    return ran([*inside, "sh", "-c", command], folder)


@pytest.mark.parametrize("name", HTSP)
def test_the_lines_about_htsp(python: Path, tmp_path: Path, name: str) -> None:
    over_a_cable(python, tmp_path, LINES[name])


def test_htsp_pieces_are_not_copied_and_waits_end(python: Path, tmp_path: Path) -> None:
    """The array is the memory that was received, and keeps it."""
    lines = """
import gc, threading, time
import ropewalk

with ropewalk.Htsp("rope0") as left, ropewalk.Htsp("rope1") as right:
    assert left.send(15, b"abc", last=False, timeout=30) == 3
    assert left.send(15, b"de", tuser=(1, 2), timeout=30) == 2
    came = b""
    while not came.endswith(b"e"):
        piece = right.recv(15, timeout=30)
        assert piece.start == (came == b"") and not piece.error and piece.first_tuser == 0
        assert piece.last_tuser in (0, 2 * piece.end)
        assert piece.bytes.flags.writeable and not piece.bytes.flags.owndata
        array = piece.bytes
        came += array.tobytes()
    del piece
    gc.collect()
    assert array[-1] == ord("e") and came == b"abcde"
    assert right.recv(0, timeout=0) is None and right.frame(0, timeout=0.01) is None
    for channel in (-1, 16):
        try:
            right.recv(channel)
        except ValueError as error:
            assert str(error) == f"channel {channel}: accepted are 0 to 15"
    try:
        left.send(0, b"")
    except ValueError as error:
        assert str(error) == "0 bytes: accepted are 1 byte or more"
    waits = []
    def wait():
        try:
            right.recv(3)
        except ropewalk.Closed as error:
            waits.append(error)
    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    right.close()
    thread.join(30)
    assert len(waits) == 1
    right.close()
"""
    over_a_cable(python, tmp_path, lines)


def restarts(python: Path, folder: Path, count: int) -> None:
    """A receiver is killed so often under load: no word is missing without a report."""
    lines = (ROOT / "tools/htsp_restarts.py").read_text()
    said = over_a_cable(python, folder, lines, f"--restarts {count}", f"--seed {seed()}")
    print(said)
    found = json.loads(said.splitlines()[-1])
    assert found["restarts"] == count and found["unreported"] == 0, said
    # Most of them had words of all three channels, and lost some.
    assert found["channels_restarted"] > 1.5 * count and found["gaps_with_loss"] > count, said
    assert found["words_delivered"] > 1000 * count, said


def test_a_receiver_that_is_killed_and_begins_again(python: Path, tmp_path: Path) -> None:
    restarts(python, tmp_path, 20)


@pytest.mark.long
def test_a_receiver_that_is_killed_a_thousand_times(python: Path, tmp_path: Path) -> None:
    restarts(python, tmp_path, 1000)


def test_the_scoreboard_of_that_finds_what_is_wrong(python: Path, tmp_path: Path) -> None:
    """A gap that is not reported, words that come twice, positions that are not theirs."""
    (tmp_path / "htsp_restarts.py").write_text((ROOT / "tools/htsp_restarts.py").read_text())
    script = (
        FAILS
        + """
import contextlib, copy, io
from htsp_restarts import Scoreboard

def line(run, offset, first, count, *missing):
    places = [(place, None, reason, 0) for place, reason in missing]
    parts = {"run": run, "channel": 5, "offset": offset, "first": first, "count": count}
    return {**parts, "missing": places}

def judged(lines):
    board = Scoreboard()
    with contextlib.redirect_stdout(io.StringIO()):
        for item in lines:
            board.check(item)
    return board

good = [
    line(1, 0, 0, 10, (0, "started")),
    line(1, 80, 10, 5),
    line(1, 120, 20, 5, (120, "frames_lost")),
    line(2, 240, None, 0, (120, "restarted")),
    line(2, 240, 40, 5, (240, "no_start")),
]
board = judged(good)
assert (board.unreported, board.lost, board.gaps, board.delivered) == (0, 20, 2, 25)

def changed(index, **parts):
    lines = copy.deepcopy(good)
    lines[index].update(parts)
    return lines

assert judged(changed(2, missing=[])).unreported == 1
assert judged(changed(1, first=11)).unreported == 1
fails(AssertionError, "delivered twice", lambda: judged(changed(1, first=9)))
fails(AssertionError, "delivered twice", lambda: judged(changed(4, first=24)))
fails(AssertionError, "", lambda: judged(changed(1, offset=88)))
fails(AssertionError, "", lambda: judged(changed(3, missing=[(120, None, "frames_lost", 0)])))
fails(AssertionError, "", lambda: judged(changed(3, missing=[(168, None, "restarted", 0)])))
fails(AssertionError, "", lambda: judged(changed(3, offset=152)))
fails(AssertionError, "neither noted nor missing", lambda: judged(changed(4, first=30)))
"""
    )
    ran([python, "-c", script], tmp_path)


def test_a_receiver_of_htsp(python: Path, tmp_path: Path) -> None:
    """Arrays that keep their memory and cannot be written, user frames, positions, what is refused."""
    lines = (
        FAILS
        + """
import gc
import numpy as np
import ropewalk
from ropewalk import htsp

receiver = lambda **how: htsp.Receiver("rope1", **how)
fails(ValueError, "channel 16: accepted are 0 to 15, each once", lambda: receiver(channels=[16]))
fails(ValueError, "channel -1: accepted are 0 to 15", lambda: receiver(channels=[-1]))
fails(ValueError, "channel 3: accepted are 0 to 15, each once", lambda: receiver(channels=[3, 3]))
fails(ValueError, "0 channels: accepted is 1", lambda: receiver(channels=[]))
fails(ValueError, "batch 0: accepted are 1 to 1073741824", lambda: receiver(batch=0))
fails(ValueError, "delay -1", lambda: receiver(delay=-1))
fails(ValueError, "timeout -1", lambda: receiver(timeout=-1))
fails(ropewalk.RopewalkError, "rope7", lambda: htsp.Receiver("rope7"))
open("other", "w").write("no positions")
fails(ropewalk.RopewalkError, "other holds no positions", lambda: receiver(state="other"))
assert open("other").read() == "no positions"
fails(ropewalk.RopewalkError, "none/state: ", lambda: receiver(state="none/state"))

with ropewalk.Htsp("rope0") as far, receiver(channels=[2], batch=1000, state="s", timeout=30) as near:
    fails(ropewalk.RopewalkError, "s: another receiver writes", lambda: receiver(state="s"))
    first = next(near)
    assert (first.channel, first.offset, first.data.size) == (2, 0, 0)
    (gap,) = first.missing
    assert (gap.reason, gap.offset, gap.length) == (htsp.Reason.STARTED, 0, None)
    assert near.recv(timeout=0.05) is None
    sent = np.arange(3000, dtype=np.uint32).view(np.uint8)
    while not far.stats()["peer_ready"]:
        pass
    assert far.send(2, sent[:4500], tuser=(0xA5, 0x5A), timeout=30) == 4500
    assert far.send(2, sent[4500:], tuser=(7, 127), timeout=30) == 7500
    fails(ValueError, "tuser 128: accepted are 0 to 127", lambda: far.send(2, sent, tuser=(0, 128)))
    arrays, offset, ends, tusers = [], 0, [], []
    while offset < sent.size:
        batch = next(near)
        assert batch.offset == offset and batch.missing == []
        assert batch.begins == (offset in (0, 4500))
        assert not batch.data.flags.writeable and not batch.data.flags.owndata
        fails(ValueError, "read-only", lambda: batch.data.__setitem__(0, 1))
        arrays.append(batch.data[:])
        ends += (batch.ends + np.uint64(offset)).tolist()
        tusers += batch.tusers.tolist()
        offset += batch.data.size
    assert ends == [4500, 12000] and tusers == [[0xA5, 0x5A], [7, 127]]
    del batch
    gc.collect()
    assert np.array_equal(np.concatenate(arrays), sent)
    assert near.missing() == [gap] and near.forgotten == 0 and near.run == 1
    assert near.stats()["lost"] == 0
    near._timeout = 0.05
    fails(TimeoutError, "nothing has come within 0.05 s", lambda: next(near))
    near.close()
    near.close()
    fails(ropewalk.Closed, "has stopped", lambda: next(near))

# What was handed over and not taken is in doubt.
for auto, taken in ((True, 12000), (False, 12008), (True, 12008)):
    with ropewalk.Htsp("rope0") as far:
        try:
            with receiver(channels=[2], state="s", timeout=30, auto_commit=auto) as near:
                first = next(near)
                assert first.missing[0].reason == "restarted" and first.missing[0].offset == taken
                if not auto:
                    near.commit()
                far.send(2, bytes(8), timeout=30)
                while not next(near).data.size:
                    pass
                if auto:
                    near.commit()
                raise InterruptedError
        except InterruptedError:
            pass
"""
    )
    over_a_cable(python, tmp_path, lines)


def test_the_rate_into_numpy(python: Path, tmp_path: Path) -> None:
    """The script that measures it works; what it says of a build for debugging means little."""
    lines = (ROOT / "tools/htsp_rate.py").read_text()
    said = over_a_cable(python, tmp_path, lines, "--bytes 50000000", "--rounds 1")
    found = json.loads(said)
    assert found["numpy_gbps"] > 0 and found["ring_gbps"] > 0, said


def test_what_is_in_the_wheel(python: Path) -> None:
    (wheel,) = FOLDER.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("__init__.py", "_native.pyi", "htsp.py", "py.typed", "sweep.py"):
        assert f"ropewalk/{name}" in names


def test_the_stub_is_that_of_the_library(python: Path, tmp_path: Path) -> None:
    """Names of everything, and of all arguments."""
    stub: dict[str, list[str]] = {}

    def arguments(function: ast.FunctionDef) -> list[str]:
        every = [*function.args.posonlyargs, *function.args.args]
        return [a.arg for a in every if a.arg not in ("self", "cls")]

    for item in ast.parse((PACKAGE / "ropewalk/_native.pyi").read_text()).body:
        if isinstance(item, ast.FunctionDef):
            stub[item.name] = arguments(item)
        elif isinstance(item, ast.ClassDef):
            stub[item.name] = []
            for method in item.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("__"):
                    stub[f"{item.name}.{method.name}"] = arguments(method)
                elif isinstance(method, ast.FunctionDef) and method.name == "__new__":
                    stub[item.name] = arguments(method)
    script = """
import inspect, json
import ropewalk._native as native

def arguments(thing):
    try:
        names = inspect.signature(thing).parameters
    except ValueError:
        return []
    return [name for name in names if name != "self"]

found = {}
for name, thing in vars(native).items():
    if name.startswith("__"):
        continue
    error = isinstance(thing, type) and issubclass(thing, Exception)
    found[name] = [] if error else arguments(thing)
    for inner, method in {} if error or not isinstance(thing, type) else vars(thing).items():
        if not inner.startswith("__"):
            found[f"{name}.{inner}"] = arguments(getattr(thing, inner))
print(json.dumps(found))
"""
    assert json.loads(ran([python, "-c", script], tmp_path)) == stub


def test_errors_name_the_value(python: Path, tmp_path: Path) -> None:
    script = (
        FAILS
        + """
import numpy as np
import ropewalk

send = lambda **how: ropewalk.send("x", "127.0.0.1:9", **how)
fails(ValueError, "0 ways to know the other end", lambda: send())
fails(ValueError, "2 ways", lambda: send(trusted=True, code="1234-5678"))
fails(ValueError, "a code has 8 digits", lambda: send(code="1"))
fails(ValueError, "one of key and peer_key", lambda: send(key="1"))
fails(ValueError, "0 lanes: accepted are 1 to 16", lambda: send(trusted=True, lanes=[]))
fails(ValueError, "'lo': accepted are ADDRESS", lambda: send(trusted=True, lanes=[("lo", "x")]))
fails(ValueError, "mend 1, erasure 1 + 2", lambda: send(trusted=True, mend=1, erasure=(1, 2)))
fails(ValueError, "timeout nan", lambda: send(trusted=True, timeout=float("nan")))
fails(ValueError, "rate -1: accepted are 1 to 1e15 bit/s", lambda: send(trusted=True, rate=-1))
fails(ValueError, "rate NaN", lambda: send(trusted=True, rate=float("nan")))
fails(ValueError, "patience -1", lambda: send(trusted=True, patience=-1))
fails(OverflowError, "", lambda: send(trusted=True, mend=256))
fails(ropewalk.RopewalkError, "cannot read x", lambda: send(trusted=True))
fails(ValueError, "'nowhere'", lambda: ropewalk.Receiver("out", "nowhere"))
fails(ropewalk.RopewalkError, "192.0.2.1", lambda: ropewalk.Receiver("out", "192.0.2.1:1"))
fails(ValueError, "name 'a/b'", lambda: ropewalk.send_array(np.zeros(1), "a/b", "x"))
fails(ropewalk.RopewalkError, "rope7", lambda: ropewalk.Htsp("rope7"))
fails(ValueError, "lanes: 3 is not 1, 2, 4 or 8", lambda: ropewalk.simulate_rifl(lanes=3))
fails(ValueError, "delay_ns -1", lambda: ropewalk.simulate_rifl(delay_ns=-1))
key, public = ropewalk.make_key()
assert len(key) == len(public) == 64 and key != public
fails(ValueError, "0 keys of senders", lambda: ropewalk.Receiver("out", key=key, allow=[]))
"""
    )
    ran([python, "-c", script], tmp_path)


def test_a_peer_that_never_answers(python: Path, tmp_path: Path) -> None:
    """A limit of time, another thread and an interrupt of the keyboard each end the wait."""
    (tmp_path / "file").write_bytes(b"any")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        peer = f"127.0.0.1:{nobody.getsockname()[1]}"
        script = f"""
import signal
import threading
import ropewalk

# A shell's background processes inherit that it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    ropewalk.send("file", {peer!r}, trusted=True, timeout=0.3)
except TimeoutError as error:
    assert "within 0.3 s" in str(error)
try:
    ropewalk.send("file", {peer!r}, trusted=True, patience=0.5)
except ropewalk.RopewalkError as error:
    assert "has not answered" in str(error), error
with ropewalk.Receiver("out", "127.0.0.1:0", trusted=True) as receiver:
    try:
        receiver.wait(timeout=0.3)
    except TimeoutError as error:
        assert "within 0.3 s" in str(error)
    ropewalk.send("file", receiver.address, trusted=True, timeout=60)
    receiver.wait(timeout=60)
with ropewalk.Receiver("out", "127.0.0.1:0", trusted=True) as receiver:
    threading.Timer(0.2, receiver.cancel).start()
    try:
        receiver.wait()
    except ropewalk.Cancelled:
        pass
calls = []
def tell(status):
    calls.append(status)
    if len(calls) == 5:
        print("waiting", flush=True)
try:
    ropewalk.send("file", {peer!r}, trusted=True, patience=float("inf"), progress=tell)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        with subprocess.Popen(
            [python, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout.readline() == "waiting\n"
            program.send_signal(signal.SIGINT)
            assert program.stdout.read() == "interrupted\n"
            assert program.wait(timeout=60) == 0


def test_chunks_of_memory(python: Path, tmp_path: Path) -> None:
    """Arrays are the memory that arrived and keep it; who is alone or cancelled hears so."""
    script = (
        FAILS
        + """
import gc
import numpy as np
import ropewalk
from ropewalk import chunks

with chunks.Receiver("127.0.0.1:0", trusted=True) as receiver:
    fails(TimeoutError, "nothing has arrived within 0.01 s", lambda: receiver.recv(timeout=0.01))
    fails(TimeoutError, "there is no code", lambda: receiver.code(timeout=0))
    sender = chunks.Sender(receiver.address, trusted=True)
    long = bytes(chunks.LONGEST + 1)
    fails(ValueError, "4194305 bytes: accepted are 0 to 4194304", lambda: sender.send(long))
    sender.send(b"", timeout=60)
    sender.send(long[1:], timeout=60)
    sender.send(np.arange(6).reshape(2, 3), timeout=60)
    assert receiver.recv(timeout=60).size == 0 and receiver.recv(timeout=60).size == chunks.LONGEST
    array = receiver.recv(timeout=60)
    assert array.flags.writeable and not array.flags.owndata
    gc.collect()
    assert array.view(np.int64).tolist() == list(range(6))
    sender.cancel()
    fails(ropewalk.RopewalkError, "the sender: it was cancelled", lambda: receiver.recv(timeout=60))
    fails(ropewalk.Cancelled, "cancelled", lambda: sender.finish(timeout=60))
fails(ValueError, "0 ways", lambda: chunks.Sender("x"))
fails(ValueError, "0 lanes", lambda: chunks.Sender(trusted=True, lanes=[]))
fails(ValueError, "'x': accepted", lambda: chunks.Receiver("x"))
lonely = chunks.Sender("127.0.0.1:9", trusted=True)
fails(TimeoutError, "there is no room within 0.01 s", lambda: lonely.send(b"x", timeout=0.01))
fails(TimeoutError, "not all has arrived within 0 s", lambda: lonely.finish(timeout=0))
"""
    )
    ran([python, "-c", script], tmp_path)


def test_remote_memory(python: Path, tmp_path: Path) -> None:
    """Buffers that a transfer has, ends that stay known, what fails."""
    script = (
        FAILS
        + """
import numpy as np
import ropewalk
from ropewalk import rdma

here, there = rdma.models(1 << 16)
assert (here.node, there.node, here.pages) == (0, 1, 16)
page, far = here.page(0), there.page(0)
fails(ropewalk.RopewalkError, "page 0: accepted is a page that is not open", lambda: here.page(0))
fails(ropewalk.RopewalkError, "page 16: accepted are 0 to 15", lambda: here.page(16))
none = lambda: page.window(64, read=False, write=False)
fails(ropewalk.RopewalkError, "window without rights", none)
window, there_window = page.window(4096), far.window(4096)
fails(ValueError, "align 3: accepted are powers of two", lambda: window.buffer(64, 3))
source, into, target = window.buffer(64), window.buffer(64), there_window.buffer(4096)
assert here.weights is None
here.weights = 16, 3, 1
assert here.weights == (16, 3, 1)
wrong = lambda: setattr(here, "weights", (1, 0, 1))
fails(ropewalk.RopewalkError, "weight 0 of class one path: accepted are 1 to 16", wrong)
page.set_rate("four paths", 40)
assert [page.rate(flow) for flow in ("small", "one path", "four paths")] == [0, 0, 40]
small = lambda: page.set_rate("small", 40)
fails(ropewalk.RopewalkError, "rate of class small: accepted are one path and four paths", small)
fails(ValueError, "flow 'x': accepted are small", lambda: page.rate("x"))
source.put(bytes(range(64)))
fails(ropewalk.RopewalkError, "64 bytes from byte 1 on", lambda: source.put(bytes(64), 1))
fails(ValueError, "flow 'x': accepted are small", lambda: page.write(source, 0, how=rdma.How("x")))
note = target.address(4088)
sent = page.write(source, target.address(), how=rdma.How("four paths", 1, 0, note, 77))
fails(ropewalk.RopewalkError, "a transfer sends this buffer", lambda: source.put(b"x"))
fails(ropewalk.RopewalkError, "a transfer sends this buffer", lambda: page.read(note, source))
sent.wait(timeout=10)
sent.wait()
assert target.get(4088).view(np.uint64) == 77 and target.get(0, 64).tobytes() == bytes(range(64))
read = page.read(target.address(1), into, size=10, at=2)
fails(ropewalk.RopewalkError, "a read fills this buffer", into.get)
read.wait(timeout=10)
assert into.get(2, 10).tolist() == list(range(1, 11))
said = page.inline(np.array([1, 2], np.uint8), target.address(100))
while not page.collect() >> said.channel & 1:
    pass
assert said.poll() and target.get(100, 2).tolist() == [1, 2]
long = lambda: page.inline(bytes(33), note)
fails(ropewalk.RopewalkError, "33 bytes: accepted are 1 to 32", long)
fails(ropewalk.RopewalkError, "65 bytes: accepted are 0 to 64", lambda: into.get(0, 65))
gone = target.address()
del target, there_window
lost = page.read(gone, into)
fails(ropewalk.RopewalkError, "the transfer failed", lambda: lost.wait(timeout=10))
fails(ropewalk.RopewalkError, "the transfer failed", lambda: lost.wait(timeout=10))
fails(ropewalk.RopewalkError, "the read into this buffer has failed", into.get)
area = rdma.Area("nowhere/uio0")
fails(ropewalk.RopewalkError, "nowhere/uio0: open it", lambda: rdma.Engine(area, area, pages=2))
"""
    )
    ran([python, "-c", script], tmp_path)


def test_tables_with_and_without_pandas(python: Path, tmp_path: Path) -> None:
    """What pandas is given stands for it."""
    script = """
import sys, types
import numpy as np
import ropewalk

columns = {"a": [1, 2], "b": ["x", "y"]}
sys.modules["pandas"] = None
table = ropewalk._table(columns)
assert table["a"].dtype == np.int64 and list(table) == ["a", "b"]
pandas = sys.modules["pandas"] = types.ModuleType("pandas")
pandas.DataFrame = lambda arrays: ("frame", arrays["a"].sum())
assert ropewalk._table(columns) == ("frame", 3)
"""
    ran([python, "-c", script], tmp_path)


GRID = """
core = "rifl"
seed = 3
[fixed]
packets = 10
[each]
ber = [1e-6, 1e-5]
seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
"""


def test_a_sweep_on_a_cluster(python: Path, tmp_path: Path) -> None:
    """Four workers, one of them killed in the midst: the same bytes as here, and nothing twice."""
    (tmp_path / "grid.toml").write_text(GRID)
    script = (
        FAILS
        + """
import json
import os
import signal
import sys
from distributed import Client, LocalCluster
import ropewalk
from ropewalk import sweep

def main():
    here = sweep.run("grid.toml", "here.parquet", jobs=2)
    assert here.ok and (here.cases, here.resumed) == (24, 0), here
    workers = {"n_workers": 4, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        processes = list(client.run(os.getpid).values())
        assert len(set(processes)) == 4 and os.getpid() not in processes
        def progress(done, total):
            assert total == 24
            if done == 4:
                os.kill(processes[0], signal.SIGKILL)
        there = sweep.run("grid.toml", "there.parquet", scheduler=client, progress=progress)
        assert there.ok and (there.cases, there.resumed) == (24, 0), there
        again = sweep.run("grid.toml", "there.parquet", scheduler=client)
        assert again.resumed == 24 and again.line.endswith("every result is good"), again
        open("odd.toml", "w").write('core = "slink"\\n[fixed]\\nops = 1\\n')
        arguments = ["odd.toml", "--scheduler", cluster.scheduler_address, "--json"]
        sys.argv[1:] = arguments
        assert sweep._main() == 0
    assert open("here.parquet", "rb").read() == open("there.parquet", "rb").read()
    lines = open("there.parquet.journal").read().splitlines()
    assert len(lines) == 25 and len({json.loads(line)["process"] for line in lines[1:]}) >= 3
    fails(ValueError, "jobs 0: accepted", lambda: sweep.run("grid.toml", jobs=0))
    fails(ropewalk.RopewalkError, "none.toml", lambda: sweep.run("none.toml"))
    sys.modules["distributed"] = None
    lost = lambda: sweep.run("grid.toml", "lost.parquet", scheduler="tcp://127.0.0.1:9")
    fails(ropewalk.RopewalkError, "pip install 'ropewalk[sweep]'", lost)

if __name__ == "__main__":
    main()
"""
    )
    (tmp_path / "lines.py").write_text(script)
    said = ran([python, "lines.py"], tmp_path)
    assert json.loads(said)["command"] == "sweep", said


def test_an_interrupt_ends_a_sweep(python: Path, tmp_path: Path) -> None:
    """What is done is kept, and no further case is begun."""
    (tmp_path / "grid.toml").write_text(GRID.replace("packets = 100", "packets = 1000"))
    script = """
import signal
from ropewalk import sweep

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    sweep.run("grid.toml", jobs=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    journal = tmp_path / "grid.parquet.journal"
    with subprocess.Popen(
        [python, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as program:
        while not journal.exists() or journal.read_text().count("\n") < 2:
            assert program.poll() is None
            time.sleep(0.05)
        program.send_signal(signal.SIGINT)
        assert program.stdout.read() == "interrupted\n"
        assert program.wait(timeout=300) == 0
    assert 2 <= journal.read_text().count("\n") < 25
    assert not (tmp_path / "grid.parquet").exists()
