"""Values of a region as Triton source: loads, arithmetic and stores, each computed once per scope."""

from __future__ import annotations

import keyword
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from ..builder import Builder
from ..dtypes import EIGHT_BITS, SHORT_FLOATS, TRITON, is_float
from ..expr import Apply, Choose, Const, Load, Position, Reduce, SizeOf
from ..extent import Extent
from ..loops import Loops
from ..lowering.region import Store
from ..math import FUNCTIONS, HELPERS
from ..space import Affine, Axis
from .index import Group, Indexer
from .kernel import Kernel
from .names import LOCALS, RESERVED
from .taps import Instance, gathered_terms, join_masks, place_taps
from .text import Text, call, index_text, repeats

_WIDENED = SHORT_FLOATS | EIGHT_BITS
LONGEST_INLINE = 60
LONGEST_ADDRESS = 34
LONGEST_STORE = 88


@dataclass
class Values:
    """Emits nodes into a kernel. Scopes nest: what a loop computes is forgotten when it ends."""

    kernel: Kernel
    loops: Loops
    indexer: Indexer
    reduced: Group | None
    tensors: Mapping[str, str]
    mask_of: Mapping[frozenset[str], str]
    hints: Mapping[str, str] = field(default_factory=dict)
    scopes: list[dict[tuple[int, Instance], Text]] = field(default_factory=lambda: [{}])
    masked: dict[int, str] = field(default_factory=dict)
    inside: dict[int, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {*HELPERS, *RESERVED - {"out"}, *LOCALS})
    prefix: str = ""

    def __post_init__(self) -> None:
        self.builder: Builder = self.loops.region.builder
        self._loaded: list[dict[str, Text]] = [{}]
        roots = [s.value for s in self.loops.region.stores]
        self.uses: dict[int, int] = {}
        for number in self.builder.walk(roots):
            for child in self.builder.children(number):
                self.uses[child] = self.uses.get(child, 0) + 1
        for root in roots:
            self.uses[root] = self.uses.get(root, 0) + 1
        self.unrolled = frozenset(self.loops.region.unrolled_axes)
        stores = self.loops.region.stores
        self._stored = {s.value: self.tensors[f"store:{s.name}"] for s in stores if s.into is None}

    @property
    def reduced_group(self) -> Group:
        """The index group of the reduced direction, in kernels that have one."""
        if self.reduced is None:
            raise ValueError("a flat kernel has no reduced direction")
        return self.reduced

    @contextmanager
    def scope(self) -> Iterator[None]:
        """The body of a loop: its values and names end with it."""
        names = set(self.taken)
        self.scopes.append({})
        self._loaded.append({})
        yield
        self.scopes.pop()
        self._loaded.pop()
        self.taken = names

    def varies(self, number: int) -> bool:
        """Whether the value differs along the reduced direction."""
        return self.reduced is not None and bool(self.builder.free_axes(number) & self.reduced.leaves)

    def instance(self, number: int, at: Instance) -> Instance:
        """Only the unrolled axes a node depends on, so that equal halves share one load."""
        axes = self.builder.free_axes(number)
        return tuple((axis, i) for axis, i in at if axis in axes)

    def known(self, number: int, at: Instance) -> Text | None:
        key = (number, self.instance(number, at))
        return next((scope[key] for scope in reversed(self.scopes) if key in scope), None)

    def define(self, number: int, text: Text, at: Instance = ()) -> None:
        self.scopes[-1][(number, self.instance(number, at))] = text

    def fresh(self, base: str) -> str:
        base = self.prefix + base
        name, count = base, 1
        others = (self.taken, self.indexer.places)
        while any(name in one for one in others) or self.kernel.is_parameter(name) or keyword.iskeyword(name):
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        return name

    def hoist(self, roots: list[int], walked: frozenset[Axis] | None = None) -> None:
        """Compute what a loop over the `walked` axes (all reduced ones) needs and does not change."""
        if walked is None:
            walked = self.reduced.leaves if self.reduced else frozenset()
        fixed: dict[int, bool] = {}
        needed = set(roots)
        for number in self.builder.walk(roots):
            children = self.builder.children(number)
            below = all(fixed[c] for c in children) and not isinstance(self.builder.nodes[number], Reduce)
            still = not self.builder.free_axes(number) & (walked | self.unrolled)
            fixed[number] = self.known(number, ()) is not None or (below and still)
            needed |= set() if fixed[number] else set(children)
        for number in sorted(needed):
            node = self.builder.nodes[number]
            short_load = isinstance(node, Load) and node.dtype in _WIDENED  # its cast is the load
            if fixed[number] and not short_load and not isinstance(node, Const | SizeOf):
                self.named(number, ())

    def named(self, number: int, at: Instance) -> Text:
        """The value as a variable."""
        text = self.value(number, at)
        if text.source.isidentifier() or isinstance(self.builder.nodes[number], Const | SizeOf):
            return text
        name = self.fresh(self._base_name(number))
        self.kernel.line(f"{name} = {text.source}")
        self.define(number, Text(name), at)
        return Text(name)

    def value(self, number: int, at: Instance) -> Text:
        found = self.known(number, at)
        if found is not None:
            return found
        node = self.builder.nodes[number]
        if isinstance(node, Choose):
            position = dict(at)[self.builder.space.leaves((node.axis,))[0]]
            return self.value(node.options[position], at)
        if isinstance(node, Load):
            return self._load(number, node, node.dtype, at, self.masked.get(number))
        if isinstance(node, Apply):
            return self._apply(number, node, at)
        if isinstance(node, Const):
            return Text(node.text)
        if isinstance(node, SizeOf):
            return index_text(self.kernel.scalar(node.size, "count"))
        if isinstance(node, Position):
            return index_text(self.indexer.text(node.index, dict(at)))
        raise LookupError(f"reduction {number} is read before its pass")

    def _apply(self, number: int, node: Apply, at: Instance) -> Text:
        child = self.builder.nodes[node.args[0]]
        if node.function == "cast" and isinstance(child, Load) and self.known(node.args[0], at) is None:
            return self._load(number, child, node.dtype, at, self.masked.get(node.args[0]))
        args = []
        for position, arg in enumerate(node.args):
            shared = self.uses.get(arg, 0) > 1 or repeats(node.function, position)
            args.append(self.named(arg, at) if shared else self.value(arg, at))
        helper = FUNCTIONS[node.function].helper
        if helper:
            self.kernel.helpers.add(helper)
        text = call(node.function, args, node.dtype)
        if self.uses.get(number, 0) > 1 or len(text.source) > LONGEST_INLINE:
            name = self.fresh(self._base_name(number))
            self.kernel.line(f"{name} = {text.source}")
            text = Text(name)
            self.define(number, text, at)
        return text

    def _load(self, number: int, node: Load, dtype: str, at: Instance, padding: str | None) -> Text:
        """One tl.load, masked where its index can leave the tensor, widened to the type it is computed in.

        `padding` is what lanes beyond the row hold where a reduction needs other than 0.
        """
        pointer = self.kernel.pointer(self.tensors[node.buffer])
        mask, taps = self.mask_for(self.indexer.along(self.builder.free_axes(number))), ""
        if node.taps or node.gathered:
            terms, inside, padded = (place_taps if node.taps else gathered_terms)(self, node, at)
            mask, taps = join_masks(mask, inside), "".join(f" + {t}" for t in terms)
            self.inside[number] = padded
        other = padding or ("0.0" if is_float(node.dtype) else "0")
        tail = f", mask={mask}, other={other}" if mask else ""
        if policy := self.hints.get(node.buffer):
            tail += f', eviction_policy="{policy}"'
        widen = f".to({TRITON[dtype]})" if dtype != node.dtype else ""
        source = (
            f"tl.load({pointer}{self.address(node.index, at, self.tensors[node.buffer])}{taps}{tail}){widen}"
        )
        text = self.remembered(source)
        if text is None:
            text = self.remember(source, Text(self.fresh(self.tensors[node.buffer])))
            self.kernel.line(f"{text.source} = {source}")
        self.define(number, text, at)
        return text

    def address(self, index: Affine, at: Instance, tensor: str) -> str:
        """` + offset` behind a pointer; what several tensors share, or is too long to read, gets a name."""
        moving, constant = self.indexer.parts(index, dict(at))
        key = f"address {moving}"
        name = self.remembered(key)
        if name is None and " " in moving and (self._sharers(index) > 1 or len(moving) > LONGEST_ADDRESS):
            most = self._moving_terms(index) == self._moving_terms(self.loops.reference)
            name = self.remember(key, Text(self.fresh("offset" if most else f"{tensor}_offset")))
            self.kernel.line(f"{name.source} = {moving}")
        return "".join(f" + {part}" for part in (name.source if name else moving, constant) if part)

    def remembered(self, key: str) -> Text | None:
        """What stands for a piece of source in this scope or one around it."""
        return next((scope[key] for scope in reversed(self._loaded) if key in scope), None)

    def remember(self, key: str, text: Text) -> Text:
        self._loaded[-1][key] = text
        return text

    def know_address(self, index: Affine, name: str) -> None:
        """In this scope a variable holds an index already."""
        moving, _ = self.indexer.parts(index, {})
        self._loaded[-1][f"address {moving}"] = Text(name)

    def _sharers(self, index: Affine) -> int:
        """Tensors of the region that are walked alike."""
        return len(self._walked_alike[self._moving_terms(index)])

    @cached_property
    def _walked_alike(self) -> dict[frozenset[tuple[Axis, Extent]], set[str]]:
        region, found = self.loops.region, defaultdict(set)
        for number in self.builder.walk(s.value for s in region.stores):
            node = self.builder.nodes[number]
            if isinstance(node, Load):
                found[self._moving_terms(node.index)].add(node.buffer)
        for store in region.stores:
            found[self._moving_terms(store.index)].add(f"store:{store.name}")
        return found

    def _moving_terms(self, index: Affine) -> frozenset[tuple[Axis, Extent]]:
        return frozenset(t for t in self.builder.space.resolve(index).terms if t[0] not in self.unrolled)

    def mask_for(self, groups: list[Group]) -> str:
        return self.mask_of.get(frozenset(g.variable for g in groups if g.mask), "")

    def store(self, store: Store, at: Instance) -> None:
        tensor = self.tensors[f"store:{store.name}"]
        mask = self.mask_for(self.indexer.bounded(store.index))
        value = self.value(store.value, at).source
        tail = f", mask={mask}" if mask else ""
        if policy := self.hints.get(f"store:{store.name}"):
            tail += f', eviction_policy="{policy}"'
        target = f"{self.kernel.pointer(tensor)}{self.address(store.index, at, tensor)}"
        if len(value) > LONGEST_INLINE or len(target) + len(value) + len(tail) > LONGEST_STORE:
            value = self._called(store.value, tensor, value, at)
        self.kernel.line(f"tl.store({target}, {value}{tail})")

    def _called(self, number: int, name: str, source: str, at: Instance) -> str:
        """A result under the name of the tensor it goes to."""
        if not source.isidentifier():
            name = self.fresh(name)
            self.kernel.line(f"{name} = {source}")
            self.define(number, Text(name), at)
            return name
        return source

    def instances(self, store: Store) -> list[Instance]:
        """Every position on the unrolled axes that the store writes."""
        axes = {a for a, _ in self.builder.space.resolve(store.index).terms} & self.unrolled
        found: list[Instance] = [()]
        for axis in sorted(axes):
            count = self.builder.space.sizes[axis].full
            found = [(*at, (axis, i)) for at in found for i in range(count)]
        return found

    def _base_name(self, number: int) -> str:
        stored, hint = self._stored.get(number, "out"), self.builder.hints.get(number)
        if hint or not stored.startswith("out"):
            return hint if hint and stored.startswith("out") else stored
        node = self.builder.nodes[number]
        if isinstance(node, Apply):
            child = node.args[0]
            if node.function == "cast":
                return self._base_name(child)
            return _NAMES.get(node.function, node.function)
        return "value"


_NAMES = {
    "mul": "scaled", "add": "summed", "sub": "shifted", "div": "quotient", "where": "chosen",
    "neg": "negated", "exp": "weights", "abs": "magnitude", "maximum": "bounded", "minimum": "bounded",
    "not": "absent",
    "invert": "inverted", "eq": "equal", "ne": "differs", "gt": "above", "lt": "below", "ge": "at_least",
    "le": "at_most", "and": "both", "or": "either", "xor": "one_of", "isnan": "is_nan",
}  # fmt: skip
