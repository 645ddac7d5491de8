"""Whatever could count calls is named when it changes; caches, plans and workspaces are let be."""

import functools
import itertools
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from kbgen.generator.verify.interpreter.kept import Kept, unsettled_message
from kbgen.generator.verify.interpreter.memory import Memory

Make = Callable[[], tuple[dict[str, Any], nn.Module, Callable[[], object]]]


class Holder:
    """A class of the file, with an attribute on the class and one in a slot."""

    __slots__ = ("place",)
    shared = 0


class Plain(nn.Module):
    """What `kept.py` takes for the candidate, so that this file counts as its own."""


def changed(names: dict[str, Any], model: nn.Module, act: Callable[[], object]) -> tuple[str, ...]:
    memory, before = Memory(), Kept(names, model)
    for path, tensor in before.tensors.items():
        memory.register(path, tensor.data_ptr(), tensor.nbytes, tensor.element_size())
        memory.keep(tensor.data_ptr())
    for tensor in before.tensors.values():
        memory.by_torch(tensor, overwrites=False)
    act()
    return before.changed_by_a_call(Kept(names, model), memory)


def counting() -> dict[str, Make]:
    def grown_default(calls: list[int] = []) -> None:  # noqa: B006
        calls.append(1)

    def closure() -> Any:
        box = [0]
        return {"f": (add := lambda: box.append(1))}, Plain(), add

    def attribute() -> Any:
        model = Plain()
        vars(model)["calls"] = 0
        return {}, model, lambda: vars(model).update(calls=1)

    def grad() -> Any:
        model = Plain()
        model.weight = nn.Parameter(torch.ones(2))
        return {}, model, lambda: setattr(model.weight, "grad", torch.ones(2))

    def counter() -> Any:
        model, held = Plain(), torch.zeros(3)
        vars(model)["held"] = held
        return {}, model, lambda: held.add_(1)

    def view() -> Any:
        model = Plain()
        vars(model)["held"] = torch.zeros(9)
        return {}, model, lambda: vars(model).update(held=vars(model)["held"][1:])

    def slot() -> Any:
        one = Holder()
        one.place = 0  # type: ignore[attr-defined]
        return {"ONE": one}, Plain(), lambda: setattr(one, "place", 1)

    class Log(deque[int]):
        """A deque by another name."""

    class Tally:
        calls = 0

        def tick(self) -> None:
            vars(self).update(calls=self.calls + 1)

    def hidden() -> Any:
        calls: list[int] = []
        return {"TICK": calls.append}, Plain(), lambda: calls.append(1)

    class Silent(dict[str, int]):
        def items(self) -> Any:
            return ()

        def __len__(self) -> int:
            return 0

    class Number(int):
        """A number that holds more than its value."""

    def values_view() -> Any:
        calls: dict[int, int] = {}
        return {"CALLS": calls.values()}, Plain(), lambda: calls.update({len(calls): 1})

    silent, number = Silent(calls=0), Number(3)
    log, octets, tally, listed = Log(), bytearray(2), Tally(), functools.lru_cache(lambda: [0])
    listed()
    queue, seen, function = deque([1]), {1}, grown_default
    cached = functools.lru_cache(lambda number: number)
    return {
        "attribute": attribute,
        "grad": grad,
        "kept tensor": counter,
        "moving view": view,
        "slot": slot,
        "class": lambda: ({"Holder": Holder}, Plain(), lambda: setattr(Holder, "shared", Holder.shared + 1)),
        "default": lambda: ({"f": function}, Plain(), function),
        "function": lambda: ({"f": function}, Plain(), lambda: vars(function).update(calls=1)),
        "closure": closure,
        "queue": lambda: ({"Q": queue}, Plain(), lambda: queue.append(1)),
        "set": lambda: ({"S": seen}, Plain(), lambda: seen.add(2)),
        "cache": lambda: ({"f": cached}, Plain(), lambda: cached(7)),
        "list in a cache": lambda: ({"f": listed}, Plain(), lambda: listed().append(1)),
        "child of deque": lambda: ({"LOG": log}, Plain(), lambda: log.append(1)),
        "bytes": lambda: ({"B": octets}, Plain(), lambda: octets.__setitem__(0, 1)),
        "member of a set": lambda: ({"S": {tally}}, Plain(), tally.tick),
        "silent mapping": lambda: ({"D": silent}, Plain(), lambda: silent.update(calls=1)),
        "attribute of a number": lambda: ({"N": number}, Plain(), lambda: vars(number).update(calls=1)),
        "key": lambda: ({"D": {tally: 1}}, Plain(), tally.tick),
        "bound method": hidden,
        "view of values": values_view,
        "iterator": lambda: ({"C": itertools.count()}, Plain(), lambda: None),
    }


@pytest.mark.parametrize("way", counting())
def test_every_way_to_count_is_seen(way: str) -> None:
    assert changed(*counting()[way]()), way


def test_what_settles_is_let_be() -> None:
    model = Plain()
    plan = SimpleNamespace(grid=(4, 1), block=1024)
    cached = functools.lru_cache(lambda number: (number, 1024))
    cached(3), cached(5)
    vars(model).update(plans={(3, 4): plan}, workspace=torch.zeros(4), name="flat", limit=float("nan"))
    names = {"BLOCK": 1024, "f": len, "torch": torch, "cached": cached, "S": {Plain}, "run": plan.__repr__}
    assert changed(names, model, lambda: cached(3)) == ()


def test_a_workspace_may_hold_anything_that_was_not_relied_on() -> None:
    model, held = Plain(), torch.zeros(8)
    vars(model)["workspace"] = held
    memory, before = Memory(), Kept({}, model)
    memory.register("workspace", held.data_ptr(), held.nbytes, held.element_size())
    memory.keep(held.data_ptr())
    memory.by_torch(held[:4], overwrites=True)
    memory.by_torch(held[:4], overwrites=False)  # read, but of what this call has written
    held[:4] = 7.0
    assert before.changed_by_a_call(Kept({}, model), memory) == ()
    memory.by_torch(held[4:], overwrites=False)
    held[4:] = 7.0
    assert before.changed_by_a_call(Kept({}, model), memory) == ("self.workspace",)


def test_it_is_told_by_name() -> None:
    assert unsettled_message(("self.calls",)).startswith("every call changes self.calls, so")
    assert "changes LOG and 1 more," in unsettled_message(("LOG|len|", "LOG[1]"))
