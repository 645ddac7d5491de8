"""The numerics pages: their tables and their functions hold in the formats that torch implements."""

import math
import re

import numpy as np
import pytest
import torch

from kbgen.corpus.document import shipped

BODIES = {page.path: page.body for page in shipped() if page.path.startswith("numerics/")}


def function(page: str, name: str):
    """The function that a page defines, as a reader would copy it."""
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", BODIES[f"numerics/{page}.md"], re.DOTALL):
        exec(block, names)
    return names[name]


def tf32(value: np.ndarray) -> np.ndarray:
    bits = value.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000
    return rounded.astype(np.uint32).view(np.float32)


def bf16(value: np.ndarray) -> np.ndarray:
    return torch.from_numpy(value.astype(np.float32)).bfloat16().float().numpy()


@pytest.mark.parametrize(
    ("row", "dtype"),
    [
        ("bf16", torch.bfloat16),
        ("fp16", torch.float16),
        ("e5m2 (OCP)", torch.float8_e5m2),
        ('e4m3 (OCP, "fn")', torch.float8_e4m3fn),
        ("e4m3 FNUZ", torch.float8_e4m3fnuz),
        ("e5m2 FNUZ", torch.float8_e5m2fnuz),
    ],
)
def test_the_table_of_formats(row: str, dtype: torch.dtype) -> None:
    line = next(x for x in BODIES["numerics/number-formats.md"].splitlines() if x.startswith(f"| {row} |"))
    largest, normal, subnormal, eps = (cell.strip().replace(",", "") for cell in line.split("|")[3:7])
    size = {1: torch.uint8, 2: torch.uint16}[dtype.itemsize]
    smallest = torch.tensor([1], dtype=size).view(dtype).double().item()
    one = torch.tensor([1.0]).to(dtype)
    above = (one.view(size).to(torch.int32) + 1).to(size).view(dtype)
    assert power(largest) == pytest.approx(torch.finfo(dtype).max, rel=1e-2)
    assert power(normal) == torch.finfo(dtype).smallest_normal
    assert power(subnormal) == smallest
    assert power(eps) == above.double().item() - 1


def power(text: str) -> float:
    base, sep, exponent = text.partition("^")
    return float(base) ** int(exponent) if sep else float(text)


def test_ocp_bytes_mean_the_same_products_as_fnuz_with_the_scale_doubled() -> None:
    convert = function("fp8-encodings", "ocp_bytes_as_fnuz")
    finite = torch.tensor([byte for byte in range(256) if byte & 0x7F != 0x7F], dtype=torch.uint8)
    weights, scale = finite.view(torch.float8_e4m3fn), torch.tensor(0.5)
    converted, doubled = convert(weights, scale)
    assert torch.equal(converted.float() * doubled, weights.float() * scale)
    with pytest.raises(ValueError, match="NaN"):
        convert(torch.tensor([0xFF], dtype=torch.uint8).view(torch.float8_e4m3fn), scale)


def test_split_products_reach_the_errors_of_the_table() -> None:
    split = function("split-products", "split")
    random = np.random.default_rng(0)
    a, b = (1 + random.random((2, 200_000))).astype(np.float32)
    exact = a.astype(np.float64) * b

    def error(rounding, pieces: int, keep: int) -> float:
        """log2 of the largest relative error when products of pieces i and j with i + j <= keep are added."""
        x, y = split(a, rounding, pieces), split(b, rounding, pieces)
        pairs = [(i, j) for i in range(pieces) for j in range(pieces) if i + j <= keep]
        total = sum(x[i].astype(np.float64) * y[j] for i, j in pairs)
        worst = float(np.max(np.abs(total - exact) / exact))
        return math.log2(worst) if worst else -math.inf

    assert re.search(r"\| bf16x6 \| 6 \| 2\^-24 \|", BODIES["numerics/split-products.md"])
    assert error(tf32, 1, 0) == pytest.approx(-10, abs=0.5)
    assert error(tf32, 2, 1) == pytest.approx(-21, abs=0.5)
    assert error(bf16, 1, 0) == pytest.approx(-7, abs=0.5)
    assert error(bf16, 2, 1) == pytest.approx(-15, abs=0.5)
    assert error(bf16, 3, 2) == pytest.approx(-24, abs=0.5)
    assert error(bf16, 3, 4) == -math.inf


def test_compensated_sum_keeps_what_a_plain_sum_loses() -> None:
    values = [np.float32(value) for value in (1e8, 1.0, -1e8, 1.0)]
    assert function("accumulation", "neumaier")(values) == 2
    assert sum(values, np.float32(0)) == 1


def test_narrow_accumulators_stall_where_the_page_says() -> None:
    assert torch.tensor(2048, dtype=torch.float16) + 1 == 2048
    assert torch.tensor(256, dtype=torch.bfloat16) + 1 == 256


def test_merged_moments_survive_a_mean_at_which_the_plain_formula_has_nothing_left() -> None:
    merge = function("welford", "merge")
    values = np.random.default_rng(1).normal(4096, 1, 4096).astype(np.float32)
    parts = [(1, float(value), 0.0) for value in values]
    while len(parts) > 1:
        parts = [merge(left, right) for left, right in zip(parts[::2], parts[1::2], strict=True)]
    variance = parts[0][2] / parts[0][0]
    plain = np.mean(values * values, dtype=np.float32) - np.mean(values, dtype=np.float32) ** 2
    assert variance == pytest.approx(np.var(values.astype(np.float64)), rel=1e-9)
    assert abs(plain - variance) > 0.5
    assert merge((0, 0.0, 0.0), (0, 0.0, 0.0)) == (0, 0.0, 0.0)


def test_online_softmax_merges_in_any_grouping_and_bears_empty_parts() -> None:
    merge = function("online-softmax", "merge")
    scores = [3.0, -math.inf, 500.0, -2.0]
    parts = [(score, 1.0) if score > -math.inf else (-math.inf, 0.0) for score in scores]
    left = merge(merge(merge(parts[0], parts[1]), parts[2]), parts[3])
    assert left == pytest.approx(merge(merge(parts[0], parts[1]), merge(parts[2], parts[3])))
    assert left == pytest.approx((500.0, sum(math.exp(score - 500) for score in scores)))
    assert merge((-math.inf, 0.0), (-math.inf, 0.0)) == (-math.inf, 0.0)


def test_bf16_bits_round_as_torch_does() -> None:
    bits = function("rounding", "bf16_bits")
    words = np.random.default_rng(2).integers(0, 2**32, 5000, dtype=np.uint64).astype(np.uint32)
    values = torch.from_numpy(words.view(np.float32).copy())
    mine = torch.tensor([bits(int(word)) for word in words]).to(torch.uint16).view(torch.bfloat16)
    theirs = values.bfloat16()
    assert torch.equal(mine.isnan(), theirs.isnan())
    assert torch.equal(mine[~mine.isnan()].view(torch.int16), theirs[~theirs.isnan()].view(torch.int16))


def test_the_budget_admits_a_right_sum_and_refuses_impostors() -> None:
    allowed = function("error-budget", "allowed")
    values = torch.randn(64, 4096, generator=torch.Generator().manual_seed(0))
    oracle, magnitude = values.double().sum(1), values.double().abs().sum(1)
    budget = allowed(oracle, magnitude, terms=4096, unit=2.0**-24)
    assert ((values.sum(1).double() - oracle).abs() <= budget).all()
    for impostor in (torch.zeros(64), oracle.roll(1), values.bfloat16().double().sum(1)):
        assert ((impostor.double() - oracle).abs() > budget).any()


def test_mx_scale_follows_the_rule_and_its_saturation() -> None:
    scale = function("block-scaling", "mx_scale")
    assert scale(448.0, 8) == 1
    assert scale(7.9, 2) == 1  # 7.9 is above e2m1's 6 and saturates, as the page warns
    assert scale(0.0, 2) == 2.0**-127


def test_same_bits_tells_a_changing_result() -> None:
    same_bits = function("deterministic-reductions", "same_bits")
    ticks = iter(range(20))
    assert same_bits(lambda: torch.arange(5.0).sum(), runs=3)
    assert not same_bits(lambda: torch.tensor(float(next(ticks))), runs=3)


def test_the_absolute_floor_admits_what_flushing_hardware_loses() -> None:
    floor = function("denormals", "absolute_floor")(torch.float16, terms=8)
    lost = 8 * torch.tensor(2.0**-14, dtype=torch.float16).item() * 0.75
    assert lost <= floor < 2 * 8 * 2.0**-14
