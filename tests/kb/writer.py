"""A process that writes and rebuilds one library until it is done or killed; prints what is acknowledged.

python writer.py ROOT NAME COUNT
"""

import sys
from dataclasses import replace

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.records import Episode, EpisodeStep

REBUILD_EVERY = 7  # pages, so that a kill falls into a rebuild as well
STEP = EpisodeStep("t", "t", None, "helped", "measured", 1.1, "")
EPISODE = Episode(
    op_name="", family="norm", fingerprint="f", device_id="nvidia-h100-sxm5", arch="sm_90", vendor="nvidia",
    live=True, driver="580", torch_version="2.13.0", triton_version="3.7.1", kbgen_version="0",
    precision="fp32", status="no-win", verified=True, speedup=None, steps=(STEP,), source="x" * 4096,
    created="2026-01-31T12:00:00+00:00",
)  # fmt: skip


def main(root: str, name: str, count: int) -> None:
    shipped.pages = lambda: ()
    shipped.corpus_hash = lambda: "none"
    library = Library.open(root, choice=Choice(HashingEmbedder(32), "test"))
    for i in range(count):
        print(f"records/{library.record(replace(EPISODE, op_name=f'{name}-{i}'))}.json", flush=True)
        page = Page(
            id=f"{name}-{i}", kind="howto", title=name, body=f"## A\n\n{name}topic{i}", origin="library"
        )
        library.add(page)
        print(f"documents/{name}-{i}.md", flush=True)
        hits = library.search(f"{name}topic{i}", k=1).hits
        assert hits[0].doc_id == f"{name}-{i}", hits
        if i % REBUILD_EVERY == REBUILD_EVERY - 1:
            library.rebuild(lambda done, total: None)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
