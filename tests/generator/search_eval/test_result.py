"""What is said of searches: medians that know "never", and no claim that the interval does not hold."""

from __future__ import annotations

from dataclasses import replace

from kbgen.generator.search_eval.held_out import TUNED_ON, TUNED_SEEDS, held_out
from kbgen.generator.search_eval.result import BY_ESTIMATE, Cell, SearchEval
from kbgen.generator.search_eval.trial import Walk


def cells(on: int | None, off: int | None, *, plain: float = 0.5, ops: int = 6, seeds: int = 3) -> list[Cell]:
    """Searches of one strategy over several operators, alike but for the knowledge."""
    return [
        Cell(f"op{op}", "h100", seed, 20, plain, "advised", knows, Walk(at, 9, 0.97, 0))
        for op in range(ops)
        for seed in range(seeds)
        for knows, at in ((True, on), (False, off))
    ]


def found(made: list[Cell]) -> SearchEval:
    return SearchEval(tuple(made), {}, "simulated", 1.0)


def test_medians_stand_beside_their_intervals() -> None:
    on, off = found(cells(2, 5)).to_json()["strategies"]
    assert (on["knowledge"], on["candidates_to_near"], on["reached"]) == (True, [2.0, 2.0, 2.0], 1.0)
    assert (off["knowledge"], off["candidates_to_near"]) == (False, [5.0, 5.0, 5.0])
    assert on["chosen"] == [0.97, 0.97, 0.97]


def test_a_search_that_never_gets_there_has_no_median_and_counts_as_the_whole_space() -> None:
    result = found(cells(2, None))
    assert result.to_json()["strategies"][1]["candidates_to_near"] == [None, None, None]
    assert result.to_json()["strategies"][1]["reached"] == 0.0
    assert result.knowledge("advised")["fewer_candidates"] == [18.0, 18.0, 18.0]


def test_help_and_harm_are_said_alike() -> None:
    assert "knowledge helps advised (3.0 candidates fewer, 3.0 to 3.0)" in found(cells(2, 5)).verdict()
    assert "knowledge harms advised (3.0 candidates more, 3.0 to 3.0)" in found(cells(5, 2)).verdict()


def test_what_was_tuned_on_is_no_part_of_what_is_held_out() -> None:
    """Knowledge helps where it was tuned, and harms elsewhere: the two are told apart."""
    tuned = [replace(cell, op=op) for op in sorted(TUNED_ON) for cell in cells(2, 5, ops=1)]
    unseen = [replace(cell, seed=cell.seed + TUNED_SEEDS) for cell in cells(5, 2)]
    looked_at = cells(2, 5)  # other operators, on devices that were tuned on
    result = found([*tuned, *unseen, *looked_at])
    assert result.knowledge("advised", held_out=True)["fewer_candidates"] == [-3.0, -3.0, -3.0]
    assert result.knowledge("advised")["fewer_candidates"][0] > 0
    assert "Held out of all tuning: over 6 operators on devices, knowledge harms" in result.verdict()
    assert "Held out of all tuning: nothing." in found(tuned).verdict()


def test_by_the_clock_of_a_card_the_operator_alone_is_held_out() -> None:
    assert held_out("unseen", 0, "card")
    assert not held_out(min(TUNED_ON), TUNED_SEEDS, "card")
    assert not held_out("unseen", 0, "simulated")


def test_what_differs_from_operator_to_operator_is_not_shown() -> None:
    mixed = [
        c
        for n, cell in enumerate(zip(cells(2, 5), cells(5, 2), strict=True))
        for c in cell[(n // 6) % 2 :][:1]
    ]
    assert "knowledge is not shown to help advised" in found(mixed).verdict()


def test_where_the_plain_kernel_is_near_there_is_nothing_to_say() -> None:
    result = found(cells(1, 1, plain=0.99))
    assert result.verdict().startswith("The plain kernel is near the best everywhere")
    assert result.to_json()["where_the_plain_kernel_is_not_near"] == []


def test_simulated_times_say_so_in_every_document() -> None:
    document = found(cells(2, 5)).to_json()
    assert document["clock"] == "simulated"
    assert "none was measured" in document["note"]


def test_searches_by_the_estimate_are_no_part_of_the_comparison() -> None:
    by_estimate = Cell("op0", "h100", 0, 20, 0.5, "advised" + BY_ESTIMATE, True, Walk(3, 9, 0.9, 0))
    assert BY_ESTIMATE not in found([*cells(2, 5), by_estimate]).verdict()
