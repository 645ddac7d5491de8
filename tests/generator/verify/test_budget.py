"""Properties of the one comparison on which every verdict rests."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kbgen.generator.verify.comparison.right import right_answer
from kbgen.generator.verify.reference import budget, measures
from kbgen.generator.verify.reference.budget import (
    FLOORS,
    Target,
    compare,
    too_ill_conditioned,
)
from kbgen.generator.verify.reference.growth import CHAIN
from kbgen.generator.verify.reference.measures import difference
from kbgen.generator.verify.reference.on_a_card import added, added_at_places, equal_addends, terms
from kbgen.generator.verify.reference.operators import masks_rows
from kbgen.generator.verify.reference.precisions import precision_class
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings as shapes_of
from kbgen.profiling.op import load_op


def target(oracle: torch.Tensor, eager: torch.Tensor | None = None) -> Target:
    return Target(oracle, oracle.float() if eager is None else eager, oracle)


@given(st.integers(0, 2**31), st.sampled_from(sorted(FLOORS)), st.floats(1.5, 1e3))
@settings(max_examples=50, deadline=None)
def test_errors_beyond_the_floor_are_refused_and_errors_below_accepted(
    seed: int, name: str, factor: float
) -> None:
    generator = torch.Generator().manual_seed(seed)
    oracle = torch.randn(64, generator=generator, dtype=torch.float64)
    noise = torch.randn(64, generator=generator, dtype=torch.float64)
    noise = noise / max(noise.norm() / oracle.norm(), noise.abs().max() / oracle.abs().max())
    exact = Target(oracle, oracle, oracle)
    assert not compare(oracle + factor * FLOORS[name] * noise, exact, name).accepted
    assert compare(oracle + FLOORS[name] / factor * noise, exact, name).accepted


def test_eager_that_is_wrong_itself_widens_the_budget_fourfold() -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    eager = (oracle * 1.001).float()
    assert compare(oracle * 1.0039, target(oracle, eager), "fp32").accepted
    assert not compare(oracle * 1.0041, target(oracle, eager), "fp32").accepted


def test_a_long_sum_of_products_may_be_off_by_the_root_of_its_length() -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    for count, name, most in (
        (1, "fp32", 1e-6),
        (128, "fp32", 1e-6),
        (512, "fp32", 2e-6),
        (512, "tf32", 2e-3),
    ):
        case = Target(oracle, oracle.float(), oracle, terms=count)
        assert compare(oracle * (1 + 0.99 * most), case, name).accepted
        assert not compare(oracle * (1 + 1.01 * most), case, name).accepted


@pytest.mark.parametrize(
    ("steps", "name", "most"),
    [(1, "fp32", 1e-6), (8, "fp32", 1e-6), (32, "fp32", 2e-6), (32, "bf16", 8e-3)],
)
def test_a_network_may_be_off_by_the_root_of_its_depth(steps: int, name: str, most: float) -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    case = Target(oracle, oracle.float(), oracle, steps=steps)
    assert compare(oracle * (1 + 0.99 * most), case, name).accepted
    assert not compare(oracle * (1 + 1.01 * most), case, name).accepted


def test_where_nan_may_spread_only_a_number_in_its_place_is_refused() -> None:
    oracle = torch.tensor([1.0, float("nan"), 2.0], dtype=torch.float64)
    case = Target(oracle, oracle.float(), oracle, spreads=torch.tensor(True))
    assert compare(torch.full((3,), float("nan")), case, "fp32").accepted
    assert compare(torch.tensor([1.0, 0.0, 2.0]), case, "fp32").kind == "non-finite"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_non_finite_is_wanted_only_where_the_oracle_has_it(bad: float) -> None:
    oracle = torch.tensor([1.0, bad, 2.0], dtype=torch.float64)
    assert compare(oracle.float(), target(oracle), "fp32").accepted
    assert compare(torch.tensor([bad, bad, 2.0]), target(oracle), "fp32").kind == "non-finite"
    assert compare(torch.tensor([1.0, 0.0, 2.0]), target(oracle), "fp32").kind == "non-finite"


def test_infinity_of_the_wrong_sign_is_refused() -> None:
    oracle = torch.tensor([float("inf"), 1.0], dtype=torch.float64)
    assert compare(torch.tensor([-float("inf"), 1.0]), target(oracle), "fp32").kind == "non-finite"


def test_overflow_of_the_op_s_own_dtype_is_allowed() -> None:
    oracle = torch.tensor([1e6, 1.0], dtype=torch.float64)
    eager = oracle.half()
    assert compare(eager.clone(), target(oracle, eager), "fp16").accepted


def test_a_zero_oracle_accepts_zeros_alone() -> None:
    oracle = torch.zeros(4, dtype=torch.float64)
    assert compare(torch.zeros(4), target(oracle), "fp32").accepted
    assert not compare(torch.full((4,), 1e-30), target(oracle), "fp32").accepted


def test_integers_agree_exactly() -> None:
    oracle = torch.tensor([1, 2, 3])
    assert compare(oracle.clone(), Target(oracle, oracle, oracle), "fp32").accepted
    assert not compare(oracle + 1, Target(oracle, oracle, oracle), "fp32").accepted


@pytest.mark.parametrize(
    ("dtypes", "declared", "expected"),
    [
        ([torch.float32], "fp32", "fp32"),
        ([torch.float32], "tf32", "tf32"),
        ([torch.bfloat16, torch.float32], "fp32", "bf16"),
        ([torch.bfloat16], "fp16", "bf16"),
        ([torch.float16], "bf16", "bf16"),
        ([torch.float64], "fp32", "fp64"),
        ([torch.int64], "fp32", "fp32"),
    ],
)
def test_precision_class(dtypes: list[torch.dtype], declared: str, expected: str) -> None:
    assert precision_class(dtypes, declared) == expected


def test_difference_of_nothing_is_nothing() -> None:
    assert difference(torch.zeros(0), torch.zeros(0, dtype=torch.float64)).worst == 0.0


def test_a_declared_lower_class_gets_room_where_the_op_is_ill_conditioned_and_never_more_than_its_cap() -> (
    None
):
    oracle = torch.ones(100, dtype=torch.float64)

    def judged(answer: float, error: float, precision: str) -> bool:
        """Whether `error` passes for an op that answers operands off by 2^-24 with a change of `answer`."""
        case = Target(oracle, oracle.float(), oracle * (1 + answer))
        return compare(oracle * (1 + error), case, precision).accepted

    assert judged(1e-6, 0.040, "tf32")
    assert not judged(1e-6, 0.042, "tf32")
    assert not judged(1e-8, 0.003, "tf32")
    assert not judged(1.0e-4, 0.0017, "fp32")
    assert judged(1e-5, 0.145, "tf32")
    assert not judged(1e-5, 0.155, "tf32")


@pytest.mark.parametrize(
    ("answer", "precision", "expected"), [(1e-5, "tf32", False), (1e-4, "tf32", True), (1e-2, "fp32", False)]
)
def test_a_case_that_rounding_alone_changes_is_not_compared(
    answer: float, precision: str, expected: bool
) -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    case = Target(oracle, oracle.float(), oracle * (1 + answer))
    assert too_ill_conditioned(case, precision) is expected


def test_large_tensors_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    oracle = torch.randn(37, 11, dtype=torch.float64, generator=generator)
    found = (oracle + 1e-6 * torch.randn(37, 11, dtype=torch.float64, generator=generator)).float()
    for place, value in ((5, float("inf")), (300, float("nan"))):
        whole = difference(found, oracle)
        with monkeypatch.context() as patched:
            patched.setattr(measures, "BLOCK", 64)  # most of which hold numbers alone
            blocks = difference(found, oracle)
        assert blocks.relative_l2 == pytest.approx(whole.relative_l2, rel=1e-12)
        assert blocks.scaled_max == whole.scaled_max
        found.reshape(-1)[place] = value


@pytest.mark.parametrize(("right", "accepted"), [(torch.inf, True), (3.0, True), (-torch.inf, False)])
def test_nan_may_spread_but_not_to_minus_infinity(right: float, accepted: bool) -> None:
    oracle = torch.tensor([right, 2.0], dtype=torch.float64)
    target = Target(oracle, oracle.float(), oracle, spreads=torch.tensor([True, False]))
    assert compare(torch.tensor([torch.nan, 2.0]), target, "fp32").accepted is accepted


@pytest.mark.parametrize(("found", "accepted"), [(1.0, True), (torch.nan, True), (0.0, False), (0.9, False)])
def test_a_number_may_stand_for_nan_at_the_limit_alone(found: float, accepted: bool) -> None:
    oracle = torch.tensor([torch.nan, 2.0], dtype=torch.float64)
    limit = torch.tensor([1.0, 2.0], dtype=torch.float64)
    target = Target(oracle, oracle.float(), oracle, limit=limit)
    assert compare(torch.tensor([found, 2.0]), target, "fp32").accepted is accepted


def test_a_float32_output_of_a_half_op_is_held_to_float32() -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    off = (oracle * 1.001).float()
    assert compare(off, target(oracle), "bf16").accepted
    assert not compare(off, replace(target(oracle), strict=True), "bf16").accepted
    half = Target(oracle, oracle.bfloat16(), oracle, strict=True)
    assert compare(off.bfloat16(), half, "bf16").accepted


def test_of_a_number_that_its_dtype_cannot_hold_anything_infinite_will_do() -> None:
    oracle = torch.tensor([1.0, -1e113], dtype=torch.float64)
    case = Target(oracle, torch.tensor([1.0, -torch.inf]), oracle)
    assert compare(torch.tensor([1.0, torch.nan]), case, "fp32").accepted
    assert not compare(torch.tensor([torch.nan, -torch.inf]), case, "fp32").accepted


def test_minus_infinity_is_asked_for_where_rows_are_reduced() -> None:
    oracle = torch.tensor([1.0, -torch.inf], dtype=torch.float64)
    found, spreads = torch.tensor([1.0, torch.nan]), torch.tensor([False, True])
    case = Target(oracle, oracle.float(), oracle, spreads=spreads)
    assert not compare(found, case, "fp32").accepted
    assert compare(found, replace(case, by_rows=False), "fp32").accepted


def test_minus_infinity_behind_a_square_is_no_masked_row() -> None:
    assert masks_rows({"mul", "logsumexp"}, 1)
    assert masks_rows({"mul", "add"}, 64)
    assert not masks_rows({"pow", "sum", "logsumexp"}, 64)
    assert not masks_rows({"mul", "add"}, 1)


def test_infinity_of_either_sign_will_do_where_zeros_are_divided_by() -> None:
    oracle = torch.tensor([float("inf"), 1.0], dtype=torch.float64)
    case = replace(target(oracle), either_sign=True)
    assert compare(torch.tensor([-float("inf"), 1.0]), case, "fp32").accepted
    assert compare(torch.tensor([3.0, 1.0]), case, "fp32").kind == "non-finite"
    assert compare(torch.tensor([float("inf"), float("inf")]), case, "fp32").kind == "non-finite"


def test_where_the_last_bits_decide_any_number_will_do_and_nothing_else() -> None:
    oracle = torch.full((3,), 5e-17, dtype=torch.float64)
    case = replace(target(oracle, torch.zeros(3)), shaken=torch.full((3,), -2e-9, dtype=torch.float64))
    assert compare(torch.full((3,), 6e-8), case, "fp32").accepted
    assert compare(torch.full((3,), float("nan")), case, "fp32").kind == "non-finite"


def test_beside_zero_the_square_of_a_rounding_error_is_allowed_and_no_more() -> None:
    """The variance of equal values: a mean that is off by a rounding makes the square of that of it."""
    zero, off = torch.zeros(8, dtype=torch.float64), torch.full((8,), 1e-14, dtype=torch.float64)
    exact = Target(zero, zero.float(), off)
    assert compare(100 * off, exact, "fp32").accepted
    assert compare(zero, exact, "fp32").accepted
    refused = compare(1e8 * off, exact, "fp32")
    assert (refused.accepted, refused.kind) == (False, "wrong-values")


@pytest.mark.parametrize("count", [64, 96, 512])
def test_equal_numbers_added_one_by_one_are_within_what_their_sum_is_given(count: int) -> None:
    """Every addition rounds away the same sign: the error grows with their number, not with its root."""
    drawn = 7 + torch.rand(2000, generator=torch.Generator().manual_seed(0))
    total = torch.zeros_like(drawn)
    for _ in range(count):
        total += drawn
    each = drawn.expand(count, -1)
    longest = added(torch.ops.aten.sum.dim_IntList, (each.double(), [0]))
    right = count * drawn.double()
    far = ((total.double() - right) / right).abs().argmax()[None]
    assert compare(total[far], replace(target(right[far], each.sum(0)[far]), terms=longest), "fp32").accepted
    plain = replace(target(right[far], each.sum(0)[far]), terms=count // 8)
    assert (count < 96) == compare(total[far], plain, "fp32").accepted


@pytest.mark.parametrize("count", [16, 512, 2048])
def test_equal_products_err_as_equal_numbers_do(count: int) -> None:
    """Values of one page of a cache that is named again and again, each as likely as the others."""
    shares, values = torch.full((3, 2, count), 1 / 3), torch.randn(3, 1, 5).expand(-1, count, -1)
    mixed = torch.randn(3, count, 5, generator=torch.Generator().manual_seed(0))
    bmm, mm = torch.ops.aten.bmm.default, torch.ops.aten.mm.default
    more = CHAIN * (count / 16) ** 2 if count > 16 else count
    assert terms(bmm, (shares.double(), values.double())) == more
    assert terms(mm, (shares[0].double(), values[0].double())) == more
    assert terms(bmm, (shares.double(), mixed.double())) == count
    late = shares.clone()
    late[1:, :, 7:] = 0  # all of it for the first alone
    assert terms(bmm, (late.double(), values.double())) == more


def test_numbers_that_differ_are_no_equal_ones() -> None:
    drawn = torch.randn(96, 5, generator=torch.Generator().manual_seed(0)).double()
    assert equal_addends(drawn, (0,)) == 0
    assert equal_addends(drawn.abs(), (0,)) == 0
    equal = torch.full((96, 5), 1.1)
    assert equal_addends(equal, (0,)) == 96
    assert equal_addends(equal.tril(), (0,)) == 96
    assert equal_addends(-equal.triu(), (0,)) == 5
    assert equal_addends(equal * torch.tensor([1.0, -1.0]).repeat(48)[:, None], (0,)) == 0


def test_of_few_numbers_that_recur_the_most_of_one_count() -> None:
    """Rows of a small table, named again and again: each rounds the same way whenever it is added."""
    generator = torch.Generator().manual_seed(0)
    table, names = torch.randn(4, 6, generator=generator), torch.arange(1011) % 4
    table[0], table[1] = 0, table[1].abs() + 2  # so that sums do not cancel
    assert equal_addends(table[names].double(), (0,)) == 253
    assert equal_addends(table[names].double().T[None], (2,)) == 253
    assert equal_addends(torch.randn(1011, 6, generator=generator).double(), (0,)) == 0
    first_alike = torch.cat((torch.full((4096,), 1.1), 1 + torch.rand(40000, generator=generator)))
    assert equal_addends(first_alike.double(), (0,)) == 0


@pytest.mark.parametrize("number", [0.0, 1.0, -0.75, 3.0])
def test_sums_that_round_nothing_away_have_no_more_room(number: float) -> None:
    """What a mask of ones counts, say."""
    assert equal_addends(torch.full((512, 3), number).double(), (0,)) == 0


def test_what_a_loss_adds_up_counts_as_a_sum_does() -> None:
    logits, target = torch.zeros(96, 50).double().log_softmax(-1), torch.zeros(96, dtype=torch.int64)
    nll = torch.ops.aten.nll_loss_forward.default
    for reduction in (1, 2):
        terms = added(nll, (logits, target, None, reduction, -100))
        assert terms == added(torch.ops.aten.sum.dim_IntList, (logits[:, 0], [0]))
    assert added(nll, (logits, target, None, 0, -100)) == 1
    far = torch.rand(4096, generator=torch.Generator().manual_seed(0))
    assert added(torch.ops.aten.mse_loss.default, (far, torch.zeros(4096))) == 4096 // 2


def test_of_many_numbers_at_one_place_little_may_be_left() -> None:
    """16,384 of either sign, one after another: of some hundred sums one is a tenth of the others."""
    count, sums = 1 << 14, 200
    drawn = torch.randn(count, sums, generator=torch.Generator().manual_seed(0))
    found = torch.from_numpy(np.add.accumulate(drawn.numpy(), 0, dtype=np.float32)[-1].copy())
    right, draw = drawn.double().sum(0), torch.Generator().manual_seed(1)
    shaken = right
    for _ in range(8):  # the farthest of so many draws, as where there are few values
        signs = torch.randint(0, 2, drawn.shape, generator=draw) * 2 - 1
        more = right + budget.UNIT_ROUNDOFF * (drawn.double() * signs).sum(0)
        shaken = torch.where((more - right).abs() > (shaken - right).abs(), more, shaken)
    index = torch.zeros(count, dtype=torch.int64)
    in_turn = added_at_places(torch.ops.aten.index_add.default, (torch.zeros(1, sums), 0, index, drawn))
    assert in_turn == count
    whole = torch.zeros(1, sums, dtype=torch.int64)
    assert added_at_places(torch.ops.aten.index_add.default, (whole, 0, index, drawn.long())) == 1

    def refused(one: int, in_turn: int) -> bool:
        alone = slice(one, one + 1)
        given = Target(right[alone], right[alone].float(), shaken[alone], terms=count, in_turn=in_turn)
        return not compare(found[alone], given, "fp32").accepted

    assert not any(refused(one, in_turn) for one in range(sums))
    assert any(refused(one, 1) for one in range(sums))


@pytest.mark.parametrize("count", [4, 16, 64, 200])
def test_halves_may_be_rounded_at_each_sum_at_a_place_and_nowhere_else(count: int) -> None:
    drawn = torch.randn(count, 150, generator=torch.Generator().manual_seed(0)).bfloat16()
    found = torch.zeros(150).bfloat16()
    for row in drawn:
        found += row
    oracle = drawn.double().sum(0)
    given = Target(oracle, oracle.bfloat16(), oracle, terms=count, in_turn=count)
    assert compare(found, given, "bf16").accepted
    assert count < 64 or not compare(found, replace(given, in_turn=1), "bf16").accepted


def test_halves_beside_one_that_towers_are_rounded_at_its_size_and_none_is_left_out() -> None:
    """A row of 64, the least of its binade, and eight usual ones, 200 times."""
    generator, refused = torch.Generator().manual_seed(0), 0
    for _ in range(200):
        drawn = torch.cat((torch.full((1, 60), 64.0), torch.randn(8, 60, generator=generator))).bfloat16()
        found = torch.zeros(60).bfloat16()
        for row in drawn:
            found += row
        oracle = drawn.double().sum(0)
        given = Target(oracle, oracle.bfloat16(), oracle, terms=9, in_turn=9)
        assert compare(found, given, "bf16").accepted
        refused += not compare(found, replace(given, in_turn=3), "bf16").accepted
        assert not compare(drawn[1:].double().sum(0).bfloat16(), given, "bf16").accepted
    assert refused


def test_the_mean_of_two_rows_that_are_near_each_other_may_be_rounded(tmp_path: Path) -> None:
    """Their normalisation is one and minus one whatever they are: no shaken input says how far off it is."""
    path = tmp_path / "op.py"
    path.write_text(
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.nn.functional.batch_norm(x, None, None, training=True)\n\n\n"
        "def get_inputs():\n    return [torch.randn(2, 64)]\n"
    )
    case = plan(shapes_of(load_op(path), "as-is", 5), 5)[0]
    first = (1 << 20) + torch.arange(64.0)
    x = torch.stack([first, first + 2])  # of which eager's mean is exact
    case = replace(case, step=replace(case.step, inputs=[x]), inputs=[x])
    right = right_answer(case, {})
    off = (x[0] + x[1]) / 2 * 2.0**-24  # half a unit in the last place of the mean
    deviation = (x.double().var(0, correction=0) + 1e-5).sqrt()
    rounded = (x.double() - x.double().mean(0) - off) / deviation
    (one,) = right.targets()
    assert compare(rounded.float(), one, "fp32").accepted
    assert not compare((rounded - 9 * off / deviation).float(), one, "fp32").accepted


def test_which_of_infinity_and_nan_numbers_lead_to_is_left_open() -> None:
    oracle = torch.tensor([1.0, -torch.inf], dtype=torch.float64)
    case = Target(oracle, oracle.float(), oracle, of_numbers=True)
    assert compare(torch.tensor([1.0, torch.nan]), case, "fp32").accepted
    assert not compare(torch.tensor([1.0, torch.inf]), case, "fp32").accepted
    assert not compare(torch.tensor([1.0, 3.0]), case, "fp32").accepted
    assert not compare(torch.tensor([torch.nan, -torch.inf]), case, "fp32").accepted


def test_sums_may_overflow_beside_the_end_of_what_they_are_made_in() -> None:
    far = torch.tensor([1.0, -2.8e38], dtype=torch.float64)
    assert compare(torch.tensor([1.0, -torch.inf]), target(far), "fp32").accepted
    near = torch.tensor([1.0, -(2.0**110)], dtype=torch.float64)
    assert not compare(torch.tensor([1.0, -torch.inf]), target(near), "fp32").accepted
    half = torch.tensor([1.0, 60000.0], dtype=torch.float64)
    found = torch.tensor([1.0, torch.inf]).half()
    assert not compare(found, target(half, half.half()), "fp16").accepted


def test_a_product_with_zero_is_nan_unless_it_may_be_left_out() -> None:
    oracle = torch.tensor([1.0, torch.nan], dtype=torch.float64)
    found, untouched = torch.tensor([1.0, 0.0]), torch.zeros(2, dtype=torch.bool)
    for leaves_out in (True, False):
        case = Target(oracle, oracle.float(), oracle, spreads=untouched, leaves_out=leaves_out)
        assert compare(found, case, "fp32").accepted is leaves_out


def test_what_stands_for_nothing_is_no_scale_for_the_rest() -> None:
    oracle = torch.tensor([[0.5, -1e9], [0.25, -2.0]], dtype=torch.float64)
    shaken = oracle * (1 + 1e-8 * torch.tensor([[1.0, 0.0], [-1.0, 1.0]]))
    target = Target(oracle, oracle.float(), shaken)
    for off, accepted in ((1.0, True), (1.005, False)):
        found = torch.where(oracle > -1e6, oracle * off, oracle).float()
        assert compare(found, target, "fp32").accepted is accepted
    assert not compare(oracle.float().clamp(min=-1e8), target, "fp32").accepted
