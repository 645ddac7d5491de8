"""What a document does not say is inferred from its words, and never against them."""

import pytest

from kbgen.kb import infer
from kbgen.kb.library import Library
from kbgen.kb.page import Page

TMA = {"sm_90", "sm_100", "sm_103", "sm_120"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Issue tcgen05.mma with cta_group::2.", {"sm_100", "sm_103"}),
        ("wgmma.mma_async reads what cp.async.bulk.tensor wrote.", {"sm_90"}),
        ("cp.async.bulk.tensor moves a box.", TMA),
        ("The tensor memory accelerator moves a box.", set()),
        ("Accumulators live in tensor memory.", {"sm_100", "sm_103"}),
        ("cp.async.cg copies 16 bytes.", {"sm_80", "sm_86", "sm_89", *TMA}),
        ("v_mfma_f32_16x16x128_f8f6f4 takes fp4.", {"gfx950"}),
        ("v_mfma_f32_32x32x8_f16 has 16 passes.", {"gfx90a", "gfx942", "gfx950"}),
        ("wgmma is Hopper's; on sm_120 use mma.sync.", {"sm_90", "sm_120"}),
        ("mma.sync.aligned.m16n8k16", set()),
    ],
)
def test_targets_follow_the_instructions(text: str, expected: set[str]) -> None:
    assert set(infer.targets(text)) == expected


@pytest.mark.parametrize("arch", ["sm_90", "sm_120", "gfx942"])
def test_an_instruction_of_one_target_is_not_offered_to_another(arch: str, library: Library) -> None:
    body = (
        "## Loads\n\nMatrix operands come through wide loads.\n\n## Products\n\nMatrix products: tcgen05.mma."
    )
    library.add(Page(id="guide", kind="document", title="Guide", body=body, origin="library"))
    texts = " ".join(hit.text for hit in library.search("matrix products", arch=arch).hits)
    assert "wide loads" in texts
    assert "tcgen05" not in texts


def test_archs_that_the_user_states_win(library: Library) -> None:
    page = Page(
        id="guide", kind="document", title="G", body="On tcgen05.", origin="library", archs=("sm_120",)
    )
    library.add(page)
    assert library.search("tcgen05", arch="sm_120").hits
    assert library.search("tcgen05", arch="sm_100").hits == ()


@pytest.mark.parametrize(
    ("title", "source", "text", "expected"),
    [
        ("PTX ISA 9.1", "", "", "9.1"),
        ("Guide", "https://docs.example.org/cuda/archive/13.1.0/guide.html", "", "13.1.0"),
        ("Notes", "/home/me/notes.md", "Release 3.4 brings", "3.4"),
        ("a.py", "/src/a.py", "# Licensed under the Apache License, Version 2.0", ""),
    ],
)
def test_versions(title: str, source: str, text: str, expected: str) -> None:
    assert infer.version(title, source, text) == expected


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("https://docs.nvidia.com/x", "", "nvidia"),
        ("https://rocm.docs.amd.com/x", "", "amd"),
        ("/a.md", "CUDA and PTX on sm_90", "nvidia"),
        ("/a.md", "ROCm, HIP and gfx942", "amd"),
        ("/a.md", "CUDA and PTX beside ROCm and HIP", "any"),
        ("/a.md", "plain words", "any"),
    ],
)
def test_vendors(source: str, text: str, expected: str) -> None:
    assert infer.vendor(source, text) == expected


def test_licences_dates_and_titles() -> None:
    assert infer.licence("// SPDX-License-Identifier: BSD-3-Clause") == "BSD-3-Clause"
    assert infer.licence("under the Apache License, Version 2.0") == "Apache-2.0"
    assert infer.licence("nothing of it") == ""
    assert infer.date("Nov 3, 2026") == "2026-11-03"
    assert infer.date("2026-01-31T10:00:00Z") == "2026-01-31"
    assert infer.date("soon") == ""
    assert infer.targets_of_title("NVIDIA Hopper Tuning Guide") == ("sm_90",)
    assert infer.targets_of_title("My Hopper notes") == ()
