"""The reasoning graph keeps every condition apart: family, bottleneck, architecture, toolchain."""

from collections.abc import Callable

import pytest

from kbgen.kb.graph import Graph
from kbgen.kb.records import Episode, EpisodeStep

MakeEpisode = Callable[..., Episode]
MakeStep = Callable[..., EpisodeStep]


@pytest.fixture
def graph(make_episode: MakeEpisode, make_step: MakeStep) -> Graph:
    return Graph(
        {
            "a": make_episode(make_step(effect=1.2), make_step("welford", "hurt", reason="two barriers")),
            "b": make_episode(make_step(effect=1.6), created="2026-03-01T00:00:00+00:00"),
            "c": make_episode(make_step(effect=9.0, evidence="estimated")),
            "d": make_episode(make_step(outcome="failed", reason="spills"), arch="sm_120"),
            "e": make_episode(make_step(), triton_version="3.9.0"),
            "f": make_episode(make_step(), bottlenecks=("spills", "tail_effect")),
        }
    )


def test_an_edge_counts_outcomes_and_takes_the_median_of_what_was_measured(graph: Graph) -> None:
    (edge,) = graph.edges(
        "row-program-fusion",
        family="norm",
        bottleneck="dram_bandwidth",
        arch="sm_90",
        toolchain="triton 3.7, torch 2.13",
    )
    assert edge.counts == {"helped": 3, "neutral": 0, "hurt": 0, "rejected": 0, "failed": 0}
    assert edge.median_effect == pytest.approx(1.4)
    assert edge.measured == 2
    assert edge.last_seen == "2026-03-01T00:00:00+00:00"
    assert edge.episodes == ("a", "b", "c")


def test_a_failure_stays_with_its_condition_and_reason(graph: Graph) -> None:
    (edge,) = graph.edges("row-program-fusion", arch="sm_120")
    assert edge.counts["failed"] == 1
    assert edge.reasons == ("spills",)
    assert all(other.counts["failed"] == 0 for other in graph.edges("row-program-fusion", arch="sm_90"))


def test_another_toolchain_is_another_edge(graph: Graph) -> None:
    assert len(graph.edges("row-program-fusion", toolchain="triton 3.9, torch 2.13")) == 1


def test_a_step_stands_under_every_bottleneck_of_its_episode_yet_is_one_trial(graph: Graph) -> None:
    assert [edge.condition.bottleneck for edge in graph.edges(bottleneck="spills")] == ["spills"]
    assert len(graph.trials("row-program-fusion")) == 6


def test_a_steps_own_bottleneck_wins(make_episode: MakeEpisode, make_step: MakeStep) -> None:
    graph = Graph({"a": make_episode(make_step(bottleneck="spills"))})
    assert [edge.condition.bottleneck for edge in graph.edges()] == ["spills"]


def test_no_episodes_no_edges() -> None:
    assert Graph({}).edges() == ()
    assert Graph({}).trials("anything") == ()
