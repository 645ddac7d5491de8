"""The library as a caller meets it: add, search, record, and honest words when something is off."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.kb import own
from kbgen.kb.choice import Choice
from kbgen.kb.files import LibraryError
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.records import Episode, EpisodeStep, RecordError

MakePage = Callable[..., Page]
MakeEpisode = Callable[..., Episode]


@pytest.fixture
def stocked(library: Library, make_page: MakePage) -> Library:
    library.add(
        make_page("wgmma", "Warpgroup products with wgmma.mma_async.", vendor="nvidia", archs=("sm_90",))
    )
    library.add(
        make_page("tcgen05", "Tensor memory products with tcgen05.mma.", vendor="nvidia", archs=("sm_100",))
    )
    library.add(
        make_page("mfma", "Matrix products with v_mfma_f32_32x32x8_f16.", vendor="amd", archs=("gfx942",))
    )
    library.add(make_page("fusion", "Fuse matrix products with pointwise work.", kind="howto"))
    return library


def found(library: Library, text: str, **boundaries: object) -> set[str]:
    return {hit.doc_id for hit in library.search(text, **boundaries).hits}


def test_search_is_hybrid_and_says_why(stocked: Library) -> None:
    result = stocked.search("wgmma.mma_async")
    assert result.mode == "hybrid"
    assert result.hits[0].doc_id == "wgmma"
    assert "wgmma.mma_async" in result.hits[0].why
    assert "meaning" in result.hits[0].why


@pytest.mark.parametrize(
    ("boundaries", "expected"),
    [
        ({"arch": "sm_90"}, {"wgmma", "fusion"}),
        ({"arch": "sm_120"}, {"fusion"}),
        ({"arch": ("sm_103", "sm_100")}, {"tcgen05", "fusion"}),
        ({"arch": "gfx942"}, {"mfma", "fusion"}),
        ({"vendor": "nvidia"}, {"wgmma", "tcgen05", "fusion"}),
        ({"kind": "howto"}, {"fusion"}),
        ({}, {"wgmma", "tcgen05", "mfma", "fusion"}),
    ],
)
def test_boundaries_are_hard(stocked: Library, boundaries: dict[str, object], expected: set[str]) -> None:
    assert found(stocked, "matrix products", **boundaries) == expected


def test_a_vendors_page_without_archs_stays_with_its_vendor(library: Library, make_page: MakePage) -> None:
    library.add(make_page("amd-only", "Wave64 reductions.", vendor="amd"))
    assert found(library, "reductions", arch="sm_90") == set()
    assert found(library, "reductions", arch="gfx942") == {"amd-only"}


def test_without_an_embedder_search_is_lexical_and_says_so(stocked: Library) -> None:
    lexical = Library.open(stocked.root, choice=Choice(None, "lexical only: test"))
    result = lexical.search("wgmma")
    assert (result.mode, result.note) == ("lexical", "lexical only: test")
    assert [hit.doc_id for hit in result.hits] == ["wgmma"]


def test_an_empty_query_is_told_what_to_give(library: Library) -> None:
    with pytest.raises(LibraryError, match="search text is empty"):
        library.search("  ")


def test_an_empty_library_finds_nothing(library: Library) -> None:
    assert library.search("anything").hits == ()


def test_a_page_comes_back_as_it_was_added(library: Library, make_page: MakePage) -> None:
    page = make_page(
        "p", "---\nbody: 'x'\n---\n\n# H\n\ntäxt ", archs=("sm_90",), families=("norm",), effect="2x: y"
    )
    library.add(page)
    assert library.pages() == (page,)


def test_the_first_passage_of_a_page_is_the_one_it_begins_with(library: Library, make_page: MakePage) -> None:
    library.add(make_page("p", "## A\n\nfirst\n\n## B\n\nsecond", asks=("which comes first?",)))
    assert library.first_passages(["p", "no-such-page"]) == {"p": library.passages("p")[0].id}


def test_adding_twice_changes_nothing_and_a_change_replaces(library: Library, make_page: MakePage) -> None:
    assert library.add(make_page("p", "about spills"))
    assert not library.add(make_page("p", "about spills"))
    assert found(library, "spills") == {"p"}
    assert library.add(make_page("p", "about tails"))
    assert [hit.text for hit in library.search("spills").hits] == ["about tails"]
    assert library.search("tails").hits[0].why.startswith("words")


def test_what_is_removed_is_found_no_more(stocked: Library) -> None:
    stocked.search("wgmma")
    stocked.remove("wgmma")
    assert "wgmma" not in found(stocked, "wgmma")
    assert stocked.verify() == {}
    with pytest.raises(LibraryError, match="no document 'wgmma'"):
        stocked.remove("wgmma")


def test_a_page_edited_by_hand_is_read_anew(
    stocked: Library, open_library: Callable[[], Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "LOOK_AGAIN_S", 0.0)
    stocked.search("wgmma")
    path = stocked.root / "documents/fusion.md"
    path.write_text(path.read_text().replace("pointwise", "epilogue"))
    assert stocked.search("epilogue").hits[0].doc_id == "fusion"
    assert open_library().verify() == {"documents/fusion.md": "changed since it was written"}


def test_a_page_that_moves_to_another_vendor_moves_in_the_index(
    library: Library, make_page: MakePage
) -> None:
    library.add(make_page("p", "swizzle", vendor="nvidia"))
    assert found(library, "swizzle", vendor="amd") == set()
    library.add(make_page("p", "swizzle", vendor="amd"))
    assert found(library, "swizzle", vendor="amd") == {"p"}
    assert library.status()["vectors"] == {"technique-amd": 1}


def test_no_page_fills_the_first_hits_alone(library: Library, make_page: MakePage) -> None:
    library.add(make_page("long", "\n\n".join(f"## S{i}\n\nbank conflict {i}" for i in range(9))))
    library.add(make_page("short", "one bank conflict"))
    hits = library.search("bank conflict", k=3).hits
    assert [hit.doc_id for hit in hits].count("long") == 2


def test_records_are_kept_and_filtered(
    library: Library, open_library: Callable[[], Library], make_episode: MakeEpisode
) -> None:
    episodes = [make_episode(), make_episode(arch="gfx942"), make_episode(family="softmax")]
    ids = [library.record(episode) for episode in episodes]
    assert set(open_library().records()) == set(ids)
    assert open_library().episodes(family="norm", arch="sm_90") == (episodes[0],)
    assert library.record(episodes[0]) == ids[0]
    assert len(library.episodes()) == 3


def test_a_false_claim_leaves_no_file(library: Library, make_episode: MakeEpisode) -> None:
    with pytest.raises(RecordError):
        library.record(make_episode(status="win", live=False))
    assert list((library.root / "records").iterdir()) == []


def test_the_graph_is_made_of_the_records(
    library: Library, make_episode: MakeEpisode, make_step: Callable[..., EpisodeStep]
) -> None:
    name = library.record(make_episode(make_step(effect=1.3)))
    (edge,) = library.graph().edges("row-program-fusion")
    assert edge.episodes == (name,)


def test_damaged_files_are_named_and_the_rest_works(
    stocked: Library, open_library: Callable[[], Library], make_episode: MakeEpisode
) -> None:
    kept = stocked.record(make_episode())
    (stocked.root / "records/20260101T000000Z-00.json").write_text("{")
    (stocked.root / "documents/wgmma.md").write_text("no header")
    library = open_library()
    assert list(library.records()) == [kept]
    assert found(library, "matrix products") == {"tcgen05", "mfma", "fusion"}
    problems = library.status()["problems"]
    assert set(problems) == {"records/20260101T000000Z-00.json", "documents/wgmma.md"}
    assert "no YAML header" in problems["documents/wgmma.md"]


def test_status_counts_and_names_the_embedder(stocked: Library, make_episode: MakeEpisode) -> None:
    stocked.record(make_episode())
    status = stocked.status()
    assert status["documents"] == {"howto": 1, "technique": 3}
    assert status["passages"] == {"howto": 1, "technique": 3}
    assert status["vectors"] == {
        "howto-any": 1, "technique-amd": 1, "technique-nvidia": 2,
    }  # fmt: skip
    assert status["records"] == 1
    assert (status["embedder"], status["embedder_reason"], status["index"]) == ("hashing-256", "test", "ok")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda root: root.write_text("x"), "cannot be used as a library"),
        (lambda root: (root.mkdir(), (root / "thesis.tex").write_text("x")), "holds other files"),
        (lambda root: (root.mkdir(), (root / "library.json").write_text("{")), "not valid JSON"),
        (lambda root: (root.mkdir(), (root / "library.json").write_text('{"schema": "9"}')), "update kbgen"),
    ],
)
def test_a_folder_that_is_no_library_is_refused_untouched(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    root = tmp_path / "place"
    make(root)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(LibraryError, match=said):
        Library.open(root)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_the_environment_names_the_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBGEN_LIBRARY", str(tmp_path / "mine"))
    assert Library.open().root == tmp_path / "mine"


def test_the_librarys_own_setting_chooses_the_embedder(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KBGEN_EMBEDDER", raising=False)
    (library.root / "library.json").write_text('{"schema": "kbgen-library/1", "embedder": "none"}')
    assert Library.open(library.root).choice.reason == "lexical only: the library's setting is 'none'"
