"""A question in one vendor's words gets the other's beside them, and only on the other's devices."""

import pytest

from kbgen.retrieval.vocabulary import counterparts


@pytest.mark.parametrize(
    ("text", "vendor", "expected"),
    [
        ("warp shuffle in shared memory", "amd", ["wave wavefront", "LDS", "DPP ds_bpermute"]),
        ("nvtx ranges", "amd", ["roctx"]),
        ("LDS of a workgroup", "nvidia", ["shared memory", "thread block"]),
        ("warp stalls", "nvidia", []),
        ("warp stalls", None, []),
        ("smsp__warps_active", "amd", []),
    ],
)
def test_counterparts(text: str, vendor: str | None, expected: list[str]) -> None:
    assert counterparts(text, vendor) == " ".join(expected)
