"""The shared door: formats are told by their contents, what is no profile is refused in one sentence."""

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kbgen.profiling.counters import read as door
from kbgen.profiling.counters import textfile
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.textfile import UnreadableProfileError, head, lines

PAGE = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
    '"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    '"0","1","app","h","copy","1","7","(32, 1, 1)","(2, 1, 1)",'
    '"0","8.0","Occupancy","Block Limit SM","block","16",""\n'
)
TEXT = (
    "  copy() (2, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.0\n    Section: Occupancy\n"
    "    -------------- ----------- ------------\n    Metric Name    Metric Unit Metric Value\n"
    "    -------------- ----------- ------------\n    Block Limit SM       block           16\n"
    "    -------------- ----------- ------------\n"
)


def refused(path: Path) -> str:
    with pytest.raises(UnreadableProfileError) as caught:
        read_profile(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def zipped(data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("raw.csv", data)
    return held.getvalue()


@pytest.mark.parametrize("text", [PAGE, TEXT])
def test_the_contents_tell_the_format_whatever_the_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "profile.dat"
    path.write_text("some words of the application\n" + text, encoding="utf-8")
    assert read_profile(path).launches[0].value("limit_blocks") == 16


@pytest.mark.parametrize("text", [PAGE, TEXT])
def test_a_page_behind_a_megabyte_of_other_output_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.log"
    path.write_text("step 1 loss 0.25\n" * 60_000 + text, encoding="utf-8")
    assert read_profile(path).launches[0].value("limit_blocks") == 16
    rows = "".join(PAGE.splitlines(keepends=True)[1:]) * 4000
    path.write_text("step 1 loss 0.25\n" * 20_000 + PAGE + rows, encoding="utf-8")
    assert read_profile(path).launches[0].value("limit_blocks") == 16


def test_a_folder_with_one_profile_is_that_profile(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing", encoding="utf-8")
    (tmp_path / "page.csv").write_text(PAGE, encoding="utf-8")
    assert read_profile(tmp_path).launches[0].kernel == "copy"
    (tmp_path / "other.txt").write_text(TEXT, encoding="utf-8")
    assert "holds 2 profiles (other.txt, page.csv): name one of them" in refused(tmp_path)


def test_what_is_no_profile_is_told_what_is(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert "does not exist: name an Nsight Compute report" in refused(path)
    path.write_bytes(b"")
    assert "is empty" in refused(path)
    path.write_text("just some words\n", encoding="utf-8")
    assert door.ACCEPTED in refused(path)
    path.write_bytes(bytes(range(256)) * 40)
    assert door.ACCEPTED in refused(path)
    assert "holds no profile" in refused(Path(os.fspath(tmp_path)))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is neither a file nor a folder" in refused(tmp_path / "pipe")


@pytest.mark.parametrize(
    "text",
    [
        "==4711== NVPROF is profiling process 4711, command: ./app\n",
        "==4711== Profiling result:\n            Type  Time(%)      Time     Calls\n",
    ],
)
def test_nvprof_is_named_with_the_way_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "out.txt"
    path.write_text(text, encoding="utf-8")
    assert "output of nvprof" in refused(path)
    assert "ncu --set full -o OUT" in refused(path)


def test_nsight_systems_is_named_with_the_way_on(tmp_path: Path) -> None:
    report = tmp_path / "run.nsys-rep"
    report.write_bytes(b"\x00\x01\x02")
    assert "is a report of Nsight Systems" in refused(report)
    statistics = tmp_path / "stats.csv"
    statistics.write_text("Time (%),Total Time (ns),Instances,Name\n99.0,12,1,k\n", encoding="utf-8")
    assert "statistics of Nsight Systems" in refused(statistics)
    assert "ncu --set full -o OUT" in refused(statistics)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_a_compressed_profile_is_to_be_unpacked(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    packed = tmp_path / "raw.csv"
    packed.write_bytes(pack(b'"ID","Kernel Name"\n' * 400))
    assert f"{packed} is compressed: unpack it and name what is in it" in refused(packed)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (("CUPTI_ACTIVITY_KIND_KERNEL", "TARGET_INFO_GPU", "StringIds"), "an export of Nsight Systems"),
        (("CUPTI_ACTIVITY_KIND_KERNEL",), "output of nvprof"),
        (("numbers",), "is no profile"),
    ],
)
def test_databases_are_told_apart_by_their_tables(tmp_path: Path, tables: tuple[str, ...], said: str) -> None:
    path = tmp_path / "some.sqlite"
    with closing(sqlite3.connect(path)) as base:
        for table in tables:
            base.execute(f"create table {table} (x)")
        base.commit()
    assert said in refused(path)


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    assert "is no profile" in refused(path)


def test_a_file_beyond_the_limit_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(PAGE.encode())
        file.truncate(3 << 30)  # sparse: nothing is written
    assert len(head(path)) < 1 << 20
    assert "has 3072 MB and kbgen reads profiles of up to 512 MB" in refused(path)
    monkeypatch.setattr(textfile, "MAX_LINE", 10)
    (tmp_path / "long").write_text("a" * 25, encoding="utf-8")
    assert [len(line) for line in lines(tmp_path / "long")] == [10, 10, 5]


def test_a_file_that_may_not_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.csv"
    path.write_text(PAGE, encoding="utf-8")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert "cannot be read: Permission denied" in refused(path)
