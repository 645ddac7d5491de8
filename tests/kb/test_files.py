"""The library's files: written whole or not at all, and every acknowledged one is accounted for."""

import errno
import os
from pathlib import Path

import pytest

from kbgen.kb.files import LibraryError, Manifest, write_durably


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("records", "documents"):
        (tmp_path / folder).mkdir()
    return tmp_path


def test_what_was_put_is_there_and_accounted_for(root: Path) -> None:
    manifest = Manifest(root)
    manifest.put("records/a.json", b"{}")
    assert (root / "records/a.json").read_bytes() == b"{}"
    assert list(Manifest(root).entries()) == ["records/a.json"]
    assert manifest.verify() == {}


def test_what_was_removed_is_gone_and_not_missed(root: Path) -> None:
    manifest = Manifest(root)
    manifest.put("records/a.json", b"{}")
    manifest.remove("records/a.json")
    assert manifest.entries() == {}
    assert manifest.verify() == {}


def test_verify_names_missing_changed_and_unacknowledged_files(root: Path) -> None:
    manifest = Manifest(root)
    for name in ("gone", "changed", "kept"):
        manifest.put(f"records/{name}.json", b"{}")
    (root / "records/gone.json").unlink()
    (root / "records/changed.json").write_bytes(b"[]")
    (root / "documents/stranger.md").write_bytes(b"")
    assert manifest.verify() == {
        "records/gone.json": "missing",
        "records/changed.json": "changed since it was written",
        "documents/stranger.md": "not in the manifest",
    }


@pytest.mark.parametrize("torn", [b'{"op": "put", "na', b"\xff\xfe", b"[1]", b"{}"])
def test_a_torn_last_line_loses_nothing_before_or_after_it(root: Path, torn: bytes) -> None:
    manifest = Manifest(root)
    manifest.put("records/a.json", b"{}")
    with (root / "manifest.jsonl").open("ab") as file:
        file.write(torn)
    manifest.put("records/b.json", b"{}")
    assert sorted(manifest.entries()) == ["records/a.json", "records/b.json"]


def test_a_full_disk_leaves_the_old_file_and_no_debris(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "records/a.json"
    write_durably(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LibraryError, match="No space left on device"):
        write_durably(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["a.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_manifest_on_a_full_disk_acknowledges_nothing(root: Path) -> None:
    manifest = Manifest(root)
    manifest.put("records/a.json", b"{}")
    path = root / "manifest.jsonl"
    kept = path.rename(root / "kept.jsonl")
    path.symlink_to("/dev/full")
    with pytest.raises(LibraryError, match=r"manifest\.jsonl cannot be written \(No space left.*free space"):
        manifest.put("records/b.json", b"{}")
    path.unlink()
    kept.rename(path)
    assert set(manifest.entries()) == {"records/a.json"}
    manifest.put("records/b.json", b"{}")
    assert manifest.verify() == {}
