"""Episodes go to JSON and back unchanged, and what would be a false claim is refused."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbgen.kb.records import OUTCOMES, Episode, EpisodeStep, RecordError, check, from_json, record_id, to_json

Make = Callable[..., Episode]
STEPS = st.builds(
    EpisodeStep,
    technique=st.text(),
    transform=st.text(),
    parent=st.none() | st.text(),
    outcome=st.sampled_from(OUTCOMES),
    evidence=st.sampled_from(["measured", "estimated"]),
    effect=st.none() | st.floats(min_value=1e-6, max_value=1e6),
    reason=st.text(),
    citations=st.lists(st.text(), max_size=3).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=4), name=st.text())
def test_an_episode_comes_back_as_it_was(make_episode: Make, steps: list[EpisodeStep], name: str) -> None:
    episode = make_episode(*steps, op_name=name)
    assert from_json(to_json(episode)) == episode
    assert record_id(from_json(to_json(episode))) == record_id(episode)


def test_ids_sort_by_time_and_tell_content_apart(make_episode: Make) -> None:
    early = make_episode(created="2026-01-31T23:30:00+02:00")
    late = make_episode(created="2026-01-31T22:00:00Z")
    assert record_id(early) < record_id(late)
    assert record_id(late) != record_id(replace(late, op_name="other"))
    assert record_id(late).startswith("20260131T220000Z-")


@pytest.mark.parametrize("lack", [{"verified": False}, {"live": False}, {"speedup": 1.0}, {"speedup": None}])
def test_a_win_must_be_verified_timed_and_faster(make_episode: Make, lack: dict[str, object]) -> None:
    win = make_episode(status="win", speedup=1.4)
    check(win)
    with pytest.raises(RecordError, match="'win' needs verified, live and a speed-up above 1"):
        check(replace(win, **lack))


def test_without_a_device_nothing_was_measured(
    make_episode: Make, make_step: Callable[..., EpisodeStep]
) -> None:
    check(make_episode(make_step(effect=1.2, evidence="estimated"), live=False))
    with pytest.raises(RecordError, match="row-program-fusion claims a measured effect"):
        check(make_episode(make_step(effect=1.2), live=False))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"speedup": float("nan")}, "episode.speedup"),
        ({"speedup": -1.0}, "episode.speedup"),
        ({"created": "yesterday"}, "expected ISO 8601"),
        ({"created": "2026-01-31T12:00:00"}, "with its offset"),
        ({"arch": None}, "episode.arch"),
    ],
)
def test_a_malformed_episode_is_refused_by_field(
    make_episode: Make, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(RecordError, match=said):
        check(make_episode(**fields))


def test_an_unknown_outcome_is_refused(make_episode: Make, make_step: Callable[..., EpisodeStep]) -> None:
    with pytest.raises(RecordError, match=r"steps\.0\.outcome"):
        check(make_episode(make_step(outcome="worked")))


def test_fields_of_a_later_version_are_ignored_and_a_later_schema_is_not(make_episode: Make) -> None:
    kept = json.loads(to_json(make_episode()))
    kept["episode"]["mood"] = "good"
    assert from_json(json.dumps(kept)) == make_episode()
    kept["schema"] = "kbgen/episode/2"
    with pytest.raises(RecordError, match="update kbgen"):
        from_json(json.dumps(kept))


@pytest.mark.parametrize("keep", [0, 1, 40, -3])
def test_a_torn_record_is_told_as_damaged(make_episode: Make, keep: int) -> None:
    with pytest.raises(RecordError, match=r"x\.json is damaged"):
        from_json(to_json(make_episode())[:keep], "x.json")
