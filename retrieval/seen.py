"""What measured trials of a technique let one expect of it: how much they count for, and the gain."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """What measured trials let one expect: `gain` is the mean logarithm of time before over time after, and
    `weight` how many trials under these very conditions they count as."""

    weight: float = 0.0
    gain: float = 0.0


UNSEEN = Seen()
