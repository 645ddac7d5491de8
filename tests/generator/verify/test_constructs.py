"""What compiles and Triton's own interpreter refuses runs here, or says that it cannot be interpreted."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from kbgen.generator.verify.interpreter.libdevice import _FUNCTIONS


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    script = Path(__file__).parent / "constructs.py"
    env = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=120, check=True
    )
    return json.loads(ran.stdout)


def test_constants_stand_left_of_blocks_and_blocks_have_methods(found: dict[str, Any]) -> None:
    assert found["constants"] == 0
    assert found["methods"] < 1e-6


def test_unsigned_numbers_are_flipped(found: dict[str, Any]) -> None:
    assert found["flipped"] == [-1, -2, 0, -7, 2**31 - 1, -(2**31), -0xF1, 255]


def test_bfloat16_is_rounded_at_each_atomic(found: dict[str, Any]) -> None:
    assert found["bf16 sums"] == [256, 3]
    assert found["descriptor"] == 0


def test_bits_are_counted(found: dict[str, Any]) -> None:
    assert found["popc"] == [0, 1, 32, 2, 1, 31, 4, 24]
    assert found["clz"] == [32, 31, 0, 29, 0, 1, 24, 0]
    assert found["ffs"] == [0, 1, 1, 2, 32, 1, 5, 9]
    assert found["brev"] == [0, -(2**31), -1, 0x60000000, 1, -2, 0x0F000000, 0x00FFFFFF]
    assert found["mulhi"] == [0, 0, -1, -3, -3, -1, 0, 0]


def test_casts_round_as_their_names_say(found: dict[str, Any]) -> None:
    assert found["float2int_rn"] == [0, 0, 2, -2, 3, 2**31 - 1, 0, -8]
    assert found["llround"][:5] == [0, 1, 2, -3, 3]
    assert found["float_as_int"][1] == 0x3F000000
    assert found["ilogb"] == [-(2**31), -1, 0, 1, 1, 2**31 - 1, -(2**31), 2]
    assert found["round"][:5] == [0, 1, 2, -3, 3]
    assert found["saturatef"] == [0, 0.5, 1, 0, 1, 1, 0, 0]
    assert found["sinpi"][:4] == [0, 1, -1, -1]


def test_what_cannot_be_interpreted_is_no_fault_of_the_kernel(found: dict[str, Any]) -> None:
    assert found["not emulated"] == found["not interpreted"] == "NotFollowedError"


@pytest.mark.parametrize(
    ("name", "of", "expected"),
    [
        ("remainder", (5.0, 2.0), 1.0),
        ("remainder", (7.0, 2.0), -1.0),
        ("remainder", (-5.5, 2.0), 0.5),
        ("tgamma", (5.0,), 24.0),
        ("tgamma", (-0.5,), -2 * math.sqrt(math.pi)),
        ("fdim", (1.0, 3.0), 0.0),
        ("exp10", (3.0,), 1000.0),
        ("rhypot", (3.0, 4.0), 0.2),
        ("rnorm3d", (2.0, 3.0, 6.0), 1 / 7),
        ("normcdf", (0.0,), 0.5),
        ("erfcinv", (0.5,), 0.4769362762044699),
        ("logb", (0.3,), -2.0),
        ("cospi", (1.5,), 0.0),
    ],
)
def test_functions_of_floating_numbers(name: str, of: tuple[float, ...], expected: float) -> None:
    values = (torch.tensor([one], dtype=torch.float64) for one in of)
    assert float(_FUNCTIONS[name](*values)) == pytest.approx(expected, rel=1e-12)
