"""Runs an autotuned kernel in every one of its configurations: call after call another one.

On a card the tuner keeps whichever is fastest, so each of them has to be right. A call runs one, the next
call one that has not run yet, and what no call has run by then gets calls of its own (see `child.py`).
Configurations that differ in warps or stages alone are one to the interpreter, though there is tuning.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from triton.runtime.errors import InterpreterError

MOST = 64
"""Calls that may be made for the sake of configurations alone."""

_MOST_AT_FULL = 16
"""Configurations that full size alone may choose, and that are made to run."""


class Configurations:
    """Which configurations ran; `turn` is the number of the call, the same for a call and its repetition, and
    `forced` leaves a kernel no choice."""

    def __init__(self) -> None:
        self.turn = 0
        self.known: dict[str, set[str]] = {}
        self.ran: dict[str, set[str]] = {}
        self._order: dict[tuple[int, str, tuple[str, ...]], list[Any]] = {}
        self._names: dict[str, Sequence[str]] = {}
        self._tuned: dict[str, set[tuple[str, ...]]] = {}  # the keys that a kernel was tuned for
        self.at_full: dict[str, list[Any]] = {}
        self._survivors: dict[tuple[str, ...], set[str]] | None = {}
        self.forced: dict[str, Any] = {}

    def trials(self, tuner: Any, kernel: str, kwargs: Mapping[str, Any]) -> int:
        """How many configurations a call tries before it runs: as in `Autotuner.run`, where the tuner has
        several of whatever kind (warps alone, say) and the key is new. All of them the first time; of another
        key one shows what its trials leave behind."""
        if len(tuner.configs) < 2 or kernel in self.forced or self._survivors is None:
            return 0
        first, key = kernel not in self._tuned, _tuned_for(tuner, kwargs)
        keys = self._tuned.setdefault(kernel, set())
        if key in keys:
            return 0
        keys.add(key)
        return MOST if first else 1

    @property
    def missing(self) -> bool:
        return any(known - self.ran[kernel] for kernel, known in self.known.items())

    def counts(self) -> dict[str, tuple[int, int]]:
        """Per autotuned kernel: how many configurations ran, and of how many."""
        return {kernel: (len(self.ran[kernel]), len(known)) for kernel, known in self.known.items()}

    def survivors(self, tuner: Any, kwargs: dict[str, Any]) -> list[Any]:
        """The configurations that pruning leaves. On a card the tuner prunes and chooses once for each key,
        so what the first call with a key left serves all later ones, whatever their sizes."""
        pruned, names = tuner.prune_configs(kwargs), tuner.arg_names
        if self._survivors is None:
            return list(pruned)
        every = sorted(_key(config, names) for config in tuner.configs)
        key = (tuner.base_fn.__name__, *every, *_tuned_for(tuner, kwargs))
        left = self._survivors.setdefault(key, {_key(config, names) for config in pruned})
        return [config for config in tuner.configs if _key(config, names) in left]

    def in_turn(self, kernel: str, configs: Sequence[Any], names: Sequence[str]) -> list[Any]:
        """`configs` in the order to try them: what has not run yet stands first."""
        if kernel in self.forced:
            return [self.forced[kernel]]
        self._names[kernel] = names
        distinct = {_key(config, names): config for config in reversed(configs)}
        key = (self.turn, kernel, tuple(distinct))
        if key not in self._order:
            self.known.setdefault(kernel, set()).update(distinct)
            ran = self.ran.setdefault(kernel, set())
            in_order = list(distinct.values())[::-1]
            self._order[key] = sorted(in_order, key=lambda one: _key(one, names) in ran)
        return self._order[key]

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """What is asked for in the block does not count; `at_full` holds what of it no call has run."""
        known = {kernel: set(names) for kernel, names in self.known.items()}
        ran, order = {kernel: set(names) for kernel, names in self.ran.items()}, dict(self._order)
        survivors, self._survivors = self._survivors, None
        self._order.clear()
        try:
            yield
        finally:
            self._survivors = survivors
            for (_, kernel, _), configs in self._order.items():
                names, done = self._names[kernel], ran.get(kernel, set())
                self.at_full[kernel] = [one for one in configs if _key(one, names) not in done]
            self.known, self.ran, self._order = known, ran, order

    def note(self, kernel: str, config: Any, names: Sequence[str]) -> None:
        self.ran[kernel].add(_key(config, names))


def _tuned_for(tuner: Any, kwargs: Mapping[str, Any]) -> tuple[str, ...]:
    """What the tuner keeps its choice under: arguments that its key names, and the types of tensors."""
    given = {**tuner.nargs, **kwargs}
    kinds = [str(one.dtype) for one in given.values() if hasattr(one, "dtype")]
    return (*(repr(given.get(name)) for name in tuner.keys), *kinds)


def _key(config: Any, names: Sequence[str]) -> str:
    """What the interpreter can tell of a configuration; `names` are the kernel's own parameters."""
    told = {name: value for name, value in config.all_kwargs().items() if name in names}
    code = getattr(config.pre_hook, "__code__", None)
    return f"{told or config}{code.co_firstlineno if code else config.pre_hook or ''}"


def tuned_run(configurations: Configurations, tell: Callable[[str, str], None]) -> Any:
    """What takes the place of `Autotuner.run`; `tell` hears which kernel runs in which configuration.

    The first call tries them all on the caller's own tensors, with the tuner's hooks, and the first of each
    other key one, as tuning on a card does: a kernel that adds to its output and is not reset in between
    shows it.
    """

    def run(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(tuner._do_bench, "__module__", None) not in (None, tuner.__class__.__module__):
            raise ValueError("a tuner that times its configurations by means of its own is not followed")
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        kernel, names = tuner.base_fn.__name__, tuner.arg_names
        order = configurations.in_turn(kernel, configurations.survivors(tuner, kwargs), names)
        trials = configurations.trials(tuner, kernel, kwargs)
        if trials:
            tried = [config for config in order[:trials] if _fits(tuner, config, args, kwargs)]
            order = tried or order[trials:]
        if trials and order:
            tuner.pre_hook({**tuner.nargs, **kwargs, **order[0].all_kwargs()}, reset_only=True)
        for place, config in enumerate(order):
            if trials < 2:  # another configuration may have done this one's work
                configurations.note(kernel, config, names)
            tell(kernel, str(config))
            try:
                return _launched(tuner, config, args, kwargs)
            except InterpreterError as error:
                if place + 1 == len(order) or not _ruled_out(error):
                    raise
        raise ValueError(f"{kernel} has no configuration that its own assertions allow")

    return run


def _fits(tuner: Any, config: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """One run of the tuner's; False where a static assertion of the kernel rules the configuration out."""
    everything = {**tuner.nargs, **kwargs, **config.all_kwargs()}
    tuner.pre_hook(everything)
    try:
        _launched(tuner, config, args, kwargs)
    except InterpreterError as error:
        tuner.post_hook(everything, exception=error)
        if not _ruled_out(error):
            raise
        return False
    tuner.post_hook(everything, exception=None)
    return True


def _ruled_out(error: InterpreterError) -> bool:
    return isinstance(error.__cause__, AssertionError)


def _launched(tuner: Any, config: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if config.pre_hook:
        config.pre_hook({**tuner.nargs, **kwargs, **config.all_kwargs()})
    return tuner.fn.run(*args, **kwargs, **config.all_kwargs())


def turns_of(at_full: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """One choice of configurations for each call that it takes to run them all."""
    longest = max(map(len, at_full.values()), default=0)
    return [
        {kernel: configs[min(turn, len(configs) - 1)] for kernel, configs in at_full.items() if configs}
        for turn in range(min(longest, _MOST_AT_FULL))
    ]
