"""A tuner tries its configurations as on a card: of whatever kind they are, and for each key anew."""

from types import SimpleNamespace
from typing import Any

import triton

from kbgen.generator.verify.interpreter.configurations import MOST, Configurations

WARPS = [triton.Config({"BLOCK": 64}, num_warps=warps) for warps in (2, 4)]


def tuner(rows: int, configs: list[Any]) -> SimpleNamespace:
    return SimpleNamespace(configs=configs, keys=["rows"], nargs={"rows": rows}, arg_names=["rows", "BLOCK"])


def test_warps_alone_are_tuned_too_and_a_new_key_again() -> None:
    tuning = Configurations()
    calls = [tuning.trials(tuner(rows, WARPS), "kernel", {}) for rows in (8, 8, 9, 9, 8)]
    assert calls == [MOST, 0, 1, 0, 0]
    assert len(tuning.in_turn("kernel", WARPS, ["rows", "BLOCK"])) == 1


def test_nothing_is_tuned_where_there_is_no_choice_or_full_size_is_walked_through() -> None:
    tuning = Configurations()
    assert tuning.trials(tuner(8, WARPS[:1]), "kernel", {}) == 0
    with tuning.aside():
        assert tuning.trials(tuner(8, WARPS), "kernel", {}) == 0
    assert tuning.trials(tuner(8, WARPS), "kernel", {}) == MOST
