"""What calls take in the interpreter, counted instead of timed.

Which calls there is time for is part of what a verdict rests on. By a clock that would hang on the machine,
and on what else it does, and two judgements of one candidate would see different calls. So a budget in
seconds is one of what the interpreter does, at what it takes on one machine; a slower one takes longer and
judges the same.
"""

from __future__ import annotations

import time

_VALUE_S, _LANE_S, _TOUCHED_S, _PROGRAM_S = 17e-6, 5e-9, 37e-9, 0.35e-3
"""For a value that an operation makes, each of its lanes, each address loaded or stored, and a program."""

_FORWARD_S, _CALL_S = 0.25e-3, 7e-3
"""For a run of the wrapper, and for what surrounds a call.

Fitted by least squares to the CPU time of 740 calls of thirteen kernels of tests/honest (R² 0.986; 0.8 to
1.2 of each kernel's), and brought to three fifths, the pace of a current server's core."""

_SLOWEST = 4.0
"""From so many times what is counted the clock counts: loops of plain Python, and torch's own work, say."""


class Effort:
    """Counts of one process, which judges one candidate."""

    def __init__(self) -> None:
        self.values = self.lanes = self.touched = self.programs = self.forwards = self.calls = 0
        self._began_s = 0.0

    def begin(self) -> None:
        """The clock begins here: what was imported before is no effort of the candidate's."""
        self._began_s = time.process_time()

    def seconds(self) -> float:
        """Since it began; never less than a fourth of the CPU time since."""
        counted = _VALUE_S * self.values + _LANE_S * self.lanes + _TOUCHED_S * self.touched
        counted += _PROGRAM_S * self.programs + _FORWARD_S * self.forwards + _CALL_S * self.calls
        return max(counted, (time.process_time() - self._began_s) / _SLOWEST)


effort = Effort()
