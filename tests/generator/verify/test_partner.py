"""The second process of a judgement's calls: what it gives, how it may fail, and who makes which calls."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from kbgen.generator.verify.process.loading import NotLoadableError
from kbgen.generator.verify.process.partner import _HEADER, Partner


def unheard() -> None:
    raise AssertionError("it did not end by itself")


def test_its_bytes_come_however_many() -> None:
    content = os.urandom(3 << 20)
    partner = Partner(lambda: content)
    assert partner.gave(unheard) == content
    partner.end()
    partner.end()
    with pytest.raises(ChildProcessError):
        os.waitpid(partner.pid, os.WNOHANG)


def refused() -> bytes:
    raise NotLoadableError("the file raises ValueError")


def test_what_it_raises_is_raised() -> None:
    partner = Partner(refused)
    with pytest.raises(NotLoadableError, match="the file raises ValueError"):
        partner.gave(unheard)
    partner.end()


def own_kind() -> bytes:
    class OwnError(Exception):
        pass

    raise OwnError("of a class that nobody else has")


def test_what_cannot_be_sent_is_told_in_words() -> None:
    partner = Partner(own_kind)
    with pytest.raises(RuntimeError, match="OwnError: of a class that nobody else has"):
        partner.gave(unheard)
    partner.end()


def test_it_is_gone_after_the_end_whatever_it_does() -> None:
    began = time.monotonic()
    partner = Partner(lambda: bytes(time.sleep(60) or 0))
    partner.end()
    assert time.monotonic() - began < 10
    with pytest.raises(ChildProcessError):
        os.waitpid(partner.pid, os.WNOHANG)


def ended(tmp_path: Path, work: str) -> subprocess.CompletedProcess[bytes]:
    """How a process ends whose partner does `work`."""
    script = f"""
        import os, signal, sys, time
        from kbgen.generator.verify.process.partner import _HEADER, Partner
        def work():
            {work}
        partner = Partner(work)
        partner.gave(lambda: print("told", flush=True))
        print("went on", flush=True)
    """
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    return subprocess.run([sys.executable, path], capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGXCPU"])
def test_as_it_dies_so_does_the_first(tmp_path: Path, name: str) -> None:
    found = ended(tmp_path, f"os.kill(os.getpid(), signal.{name})")
    assert found.returncode == -getattr(signal, name)
    assert found.stdout == b"told\n"


def test_as_it_leaves_so_does_the_first(tmp_path: Path) -> None:
    found = ended(tmp_path, "os._exit(5)")
    assert found.returncode == 5
    assert found.stdout == b"told\n"


def test_what_it_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    """The process that it leaves holds the pipe's other end."""
    began = time.monotonic()
    found = ended(tmp_path, "os.fork() or (os.close(1), os.close(2), time.sleep(20)); os._exit(7)")
    assert found.returncode == 7
    assert time.monotonic() - began < 15


OWN_FORM = _HEADER.pack(True, 3, bytes(32)) + b"abc"


def test_what_another_writes_in_its_form_is_told(tmp_path: Path) -> None:
    """As a candidate writes to whatever it finds open."""
    found = ended(tmp_path, f"os.write(4, {OWN_FORM!r}); return b''")
    assert found.returncode == 1
    assert b"BrokenPartnerError" in found.stderr


def test_what_has_no_form_ends_both(tmp_path: Path) -> None:
    found = ended(tmp_path, "os.write(4, b'more is told than ever comes' * 8); return b''")
    assert found.stdout == b"told\n"
