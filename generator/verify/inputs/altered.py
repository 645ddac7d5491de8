"""What becomes of a call's inputs, where an op has such: masks, integers, places, ends and idle places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ....profiling.build import Input
from .beside import nan_alone, nan_beside
from .camps import BEHIND, LATE, scores_rise_late, values_behind
from .chosen import chosen_ahead
from .close_codes import close_codes
from .counters import BEYOND, counters_beyond, counters_run_over
from .deviations import far_deviations
from .ends import either_end, opposed_ends
from .epsilons import beside_an_epsilon
from .exponents import far_off_alone, spread_exponents
from .extremes import (
    lone_masks,
    masks_off,
    masks_on,
    padded_masks,
    whole_masks,
    zeros_alone,
    zeros_in,
)
from .faint_shares import faint_shares
from .families import HALVES, NAN_ALONE, NAN_BESIDE, NAN_IN_A_PART
from .far_integers import far_integers
from .fresh import fresh_state
from .half_range import half_alone, half_range, opposed_halves_in
from .idle import idle_behind_lengths, idle_from_zero, idle_nan, idle_places, idle_spike
from .ignored import ALL_IGNORED, all_ignored, ignored_classes, ignored_nan
from .integers import (
    extreme_integers,
    extreme_integers_in,
    lowest_places,
    one_place,
    single_others,
)
from .large_integers import IN_32_BITS, alike_in_32_bits, large_integers
from .lasting_memory import ENDS_APART, LINGERING, ends_apart, lingering
from .left_out_late import left_out_late
from .lengths import full_lengths, short_lengths
from .level_integers import zero_integers_in
from .links import chained, chains, far_steps, high_words
from .lone_changes import ALIKE, alike_but_once, rising_but_once, turned_once
from .minus_infinite import minus_infinite_but_first, minus_infinite_in, minus_infinite_together
from .neutral import NEUTRAL, neutral
from .offsets import nan_in_a_part, one_part, uneven_offsets
from .one_number import as_their_weights, one_number
from .past_places import past_the_last
from .powers import beside_powers, on_one_side
from .recurring import each_once, largest_last, lone_integers, runs_of_integers
from .repeated import NEARLY_TWICE, nearly_twice, one_nearly_twice, rows_twice
from .running_over import RUNNING_OVER, running_over
from .shifted import shifted_apart, shifted_keys, shifted_together, spread_keys
from .sizes import of_any_size
from .thresholds import met_integers, met_results, met_thresholds, rounded_inputs
from .unlike import ORDERS, one_vanishing
from .unsorted import nearly_sorted, unsorted
from .wide_integers import close_integers, hashed_integers, wide_integers

_INPUTS = 3
"""So many of the first, one after the other."""

LARGEST_LAST, OPPOSED_IN = "largest last", tuple(f"{HALVES} in {turn}" for turn in range(_INPUTS))

ALTERED: Mapping[str, Callable[..., list[Input] | None]] = {
    "idle spikes": idle_spike, "idle NaN": idle_nan,
    "idle NaN from zero": idle_from_zero, "idle NaN behind lengths": idle_behind_lengths,
    NAN_BESIDE: nan_beside, **{name: partial(nan_alone, turn) for turn, name in enumerate(NAN_ALONE)},
    NEUTRAL: neutral, "counters run over": counters_run_over,
    BEYOND: counters_beyond,
    "ignored classes": ignored_classes, "chosen far ahead": chosen_ahead,
    BEHIND: values_behind, LATE: scores_rise_late,
    "extreme integers": extreme_integers, "lowest places": lowest_places,
    "whole masks": whole_masks, "padded masks": padded_masks, "masks off": masks_off, "masks on": masks_on,
    "all but one": partial(lone_masks, 1), "one alone": partial(lone_masks, 0),
    "zeros alone": zeros_alone,
    "met thresholds": met_thresholds, "met results": met_results,
    "rounded inputs": rounded_inputs,
    "met integers": met_integers, "full lengths": full_lengths, "short lengths": short_lengths,
    "unsorted places": unsorted,
    "far integers": far_integers,
    "wide integers": wide_integers, "close integers": close_integers,
    "close codes": close_codes, "hashed integers": hashed_integers, "one place": one_place,
    "one number": partial(one_number, False), "half range": half_range, "as their weights": as_their_weights,
    "other single numbers": single_others,
    "idle places": idle_places, "uneven offsets": uneven_offsets, "one part": one_part,
    NAN_IN_A_PART: nan_in_a_part,
    "high words": high_words, "one branch": chained, "rows twice": rows_twice,
    NEARLY_TWICE: nearly_twice,
    **{f"{NEARLY_TWICE} in {turn} of two": partial(one_nearly_twice, turn) for turn in range(2)},
    "fresh state": fresh_state, "beside an epsilon": beside_an_epsilon, "left out late": left_out_late,
    "minus infinity together": minus_infinite_together,
    "minus infinity but for the first": minus_infinite_but_first,
    "far deviations": far_deviations, "past the last": past_the_last, "nearly sorted": nearly_sorted,
    **{f"extreme integers in {turn}": partial(extreme_integers_in, turn) for turn in range(_INPUTS)},
    ALL_IGNORED: all_ignored, "NaN ignored": ignored_nan,
    **{f"minus infinity in {turn}": partial(minus_infinite_in, turn) for turn in range(_INPUTS)},
    **ORDERS,
    **{f"next to nothing in {turn}": partial(one_vanishing, turn) for turn in range(2)},
    **{f"any size in {turn}": partial(of_any_size, turn) for turn in range(_INPUTS)},
    **{f"spread exponents in {turn}": partial(spread_exponents, turn) for turn in range(_INPUTS)},
    **{f"far off alone in {turn}": partial(far_off_alone, turn) for turn in range(_INPUTS)},
    **{f"half range in {turn}": partial(half_alone, turn) for turn in range(_INPUTS)},
    **{name: partial(opposed_halves_in, turn) for turn, name in enumerate(OPPOSED_IN)},
    **{f"zeros in {turn}": partial(zeros_in, turn) for turn in range(_INPUTS)},
    **{f"integers of zero in {turn}": partial(zero_integers_in, turn) for turn in range(_INPUTS)},
    "lone integers": lone_integers, LARGEST_LAST: largest_last, "runs of integers": runs_of_integers,
    "rising but once": rising_but_once, "turned once": turned_once, ALIKE: alike_but_once,
    "each number once": each_once, "steps far apart": far_steps, "chains": chains,
    "shifted together": shifted_together, "shifted apart": shifted_apart, "shifted keys": shifted_keys,
    "spread keys": spread_keys,
    "opposed ends": opposed_ends, "either end": either_end, "beside powers": beside_powers,
    "faint shares": faint_shares,
    **{f"integers of one side, {side}": partial(on_one_side, side) for side in range(2)},
    "largest number": partial(one_number, True),
    RUNNING_OVER: running_over, "large integers": large_integers,
    IN_32_BITS: alike_in_32_bits,
    **{f"{LINGERING}{turn}": partial(lingering, turn) for turn in range(_INPUTS)},
    **{name: partial(ends_apart, late) for late, name in enumerate(ENDS_APART)},
}  # fmt: skip
"""What becomes of a call's inputs, where an op has such."""

_LONG_TOO = ("rows twice", "one number", "as their weights", "left out late")

AT_LENGTH = tuple(
    name for name in ALTERED if name.startswith(("extreme integers", "half range")) or name in _LONG_TOO
)
"""Likewise where rows, and the sums of them, are longest."""

AT_LONGEST = (
    *("padded masks", "all but one", "one alone", "one branch"),
    *("lone integers", "opposed ends", "extreme integers"),
    *("rising but once", "turned once", ALIKE, "each number once", "chains"),
)
"""Those without floating numbers where rows are longest."""
