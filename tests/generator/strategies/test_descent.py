"""One parameter after another goes to its best value, until a round changes nothing."""

from collections.abc import Mapping

from kbgen.generator.strategies.descent import VALUES, descent
from kbgen.generator.strategies.strategy import Knowledge, Move, Moves, Result

Gains = Mapping[tuple[str, str], Mapping[int, float]]


def test_the_best_value_of_each_parameter_is_gone_on_with_until_nothing_changes() -> None:
    gains = {("root", "BLOCK"): {0: 1.1, 1: 1.4}, ("root/1", "num_warps"): {2: 1.2}}
    assert played(descent("root", Knowledge(("BLOCK", "num_warps"))), gains) == [
        ("root", "BLOCK"), ("root/1", "num_warps"),
        ("root/1/2", "BLOCK"), ("root/1/2", "num_warps"),
    ]  # fmt: skip


def played(moves: Moves, gains: Gains) -> list[tuple[str, str]]:
    """Which parameter was asked for on which kernel, where the variants named in `gains` help."""
    asked, batch = list[tuple[str, str]](), next(moves)
    while True:
        assert [move.variant for move in batch] == list(range(VALUES))
        asked.append((batch[0].parent, batch[0].transform))
        try:
            batch = moves.send([came_out(move, gains.get(asked[-1], {})) for move in batch])
        except StopIteration:
            return asked


def came_out(move: Move, gains: Mapping[int, float]) -> Result:
    gain = gains.get(move.variant)
    if gain is None:
        return Result(move, None, "declined")
    return Result(move, f"{move.parent}/{move.variant}", "helped", gain, True)
