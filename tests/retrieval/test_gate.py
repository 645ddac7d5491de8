"""The architecture is a hard boundary: no card goes where it cannot run, and a fallback is labelled."""

import pytest

from kbgen.hardware_specs.spec import DeviceSpec, all_specs, find_spec
from kbgen.kb import shipped
from kbgen.kb.page import Page
from kbgen.kb.search import OF_ONE_TARGET, Query
from kbgen.kb.standing import Standing
from kbgen.retrieval.gate import fit, lineage, suits


def page(**fields: object) -> Page:
    return Page(id="p", kind="technique", title="P", body="x", origin="library", **fields)


@pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: spec.id)
def test_no_shipped_card_reaches_a_device_that_lacks_what_it_requires(spec: DeviceSpec) -> None:
    for card in shipped.pages():
        verdict = fit(card, spec)
        if verdict.allowed:
            assert set(card.requires) <= spec.features
            assert card.vendor in ("any", spec.vendor)
            assert not card.archs or {spec.arch, *lineage(spec.arch)} & {*card.archs}


@pytest.mark.parametrize(
    ("device", "fields", "said"),
    [
        ("rtx5090", {"archs": ("sm_100",)}, "holds on sm_100; GeForce RTX 5090 is sm_120"),
        ("rtx5090", {"archs": ("sm_90",)}, "is sm_120"),
        ("b200", {"archs": ("sm_90",)}, "is sm_100"),
        ("h100", {"archs": ("sm_100",)}, "is sm_90"),
        ("rtx5090", {"requires": ("tcgen05",)}, "requires tcgen05"),
        ("h100", {"requires": ("tcgen05",)}, "requires tcgen05"),
        ("b200", {"requires": ("wgmma",)}, "requires wgmma"),
        ("mi300x", {"vendor": "nvidia"}, "holds on nvidia only"),
        ("mi300x", {"archs": ("gfx950",)}, "is gfx942"),
        ("rx7900xtx", {"archs": ("gfx942",)}, "is gfx1100"),
    ],
)
def test_what_a_device_cannot_run_is_refused_with_the_reason(
    device: str, fields: dict[str, object], said: str
) -> None:
    verdict = fit(page(**fields), find_spec(device))
    assert not verdict.allowed
    assert said in verdict.refusal


@pytest.mark.parametrize(
    ("device", "archs", "parent"),
    [
        ("rtx4090", ("sm_80",), "sm_80"),
        ("rtx4090", ("sm_80", "sm_86"), "sm_86"),
        ("b300", ("sm_100",), "sm_100"),
        ("mi355x", ("gfx90a", "gfx942"), "gfx942"),
        ("h100", ("sm_90",), ""),
        ("h100", (), ""),
    ],
)
def test_a_parents_card_is_allowed_and_labelled_with_the_nearest_parent(
    device: str, archs: tuple[str, ...], parent: str
) -> None:
    verdict = fit(page(archs=archs), find_spec(device))
    assert verdict.allowed
    assert verdict.parent == parent


@pytest.mark.parametrize("kind", OF_ONE_TARGET)
@pytest.mark.parametrize(("device", "parent"), [("h100", "sm_80"), ("mi355x", "gfx942")])
def test_no_parent_stands_in_for_limits_and_encodings(kind: str, device: str, parent: str) -> None:
    spec = find_spec(device)
    older = Page(id="p", kind=kind, title="P", body="x", origin="library", archs=(parent,))
    asked = Query("limits", archs=(spec.arch, *lineage(spec.arch)))
    assert not fit(older, spec).allowed
    assert not asked.admits(Standing(kind=kind, vendor="any", archs=(parent,)))
    assert asked.admits(Standing(kind="technique", vendor="any", archs=(parent,)))


def test_no_target_is_its_own_parent_and_parents_are_older_ones_of_their_vendor() -> None:
    arch_specific = {"sm_90", "sm_100", "sm_103", "sm_120"}
    for spec in all_specs():
        parents = lineage(spec.arch)
        assert spec.arch not in parents
        assert all(parent.startswith(spec.arch[:3]) for parent in parents)
        assert arch_specific & {*parents} <= ({"sm_100"} if spec.arch == "sm_103" else set())


@pytest.mark.parametrize(
    ("families", "family", "expected"),
    [
        (("softmax",), "norm", False),
        (("softmax", "norm"), "norm", True),
        (("softmax", "any"), "norm", True),
        ((), "norm", True),
        (("softmax",), "mixed", True),
    ],
)
def test_a_card_suits_the_families_it_names(families: tuple[str, ...], family: str, expected: bool) -> None:
    assert suits(page(families=families), family) is expected
