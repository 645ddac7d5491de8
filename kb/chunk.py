"""Packs a Markdown page into passages: under its headings, near a model window each, no fence cut."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .blocks import Block, estimated_tokens, lift_fences, read_blocks, split

WINDOW_TOKENS = 220  # estimated tokens a passage of prose aims for; MiniLM reads 256 with its heading path
WHOLE_TOKENS = 4000  # a fence or table up to this size stays one passage, whatever the window
CHUNKER = "blocks-3"  # changes whenever the same page would give other passages


@dataclass(frozen=True)
class Passage:
    """A retrievable piece of one document; `section` is its heading path, joined with " > ".

    `place` is the URL fragment under which its source shows it: `page=12`, `L40`, an anchor, or nothing.
    A passage that `leads_to` another is a question which that one answers: found in its stead, never shown.
    """

    id: str
    doc_id: str
    section: str
    text: str
    place: str = ""
    leads_to: str = ""


def chunk(doc_id: str, title: str, body: str, asks: Sequence[str] = ()) -> tuple[Passage, ...]:
    """Passages of a Markdown `body` in reading order; their ids are hashes of document, section and text.

    After them come the questions `asks`, each leading to the first.
    """
    passages: dict[str, Passage] = {}
    place = ""
    for headings, blocks in sections(body):
        section = " > ".join(headings if headings[:1] == (title,) else (title, *headings))
        packed, place = pack(blocks, place)
        for text, where in packed:
            digest = hashlib.sha256("\0".join((doc_id, section, text)).encode()).hexdigest()[:32]
            passages.setdefault(digest, Passage(digest, doc_id, section, text, where))
    for ask in asks if passages else ():
        digest = hashlib.sha256("\0".join((doc_id, "asks", ask)).encode()).hexdigest()[:32]
        passages[digest] = Passage(digest, doc_id, title, ask, leads_to=next(iter(passages)))
    return tuple(passages.values())


def sections(body: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """(heading path, blocks) of each section that has text, in order.

    llama-index reads the headings; fences are lifted out first, so that nothing in code passes for a heading.
    """
    from llama_index.core.node_parser import MarkdownNodeParser
    from llama_index.core.schema import Document

    text, fences = lift_fences(body)
    parser = MarkdownNodeParser(header_path_separator="\x1f")
    for node in parser.get_nodes_from_documents([Document(text=text)]):
        parents = tuple(part for part in str(node.metadata["header_path"]).split("\x1f") if part)
        first, _, rest = node.get_content().partition("\n")
        hashes, _, heading = first.partition(" ")
        is_heading = bool(hashes) and not hashes.strip("#")
        blocks = read_blocks(rest if is_heading else node.get_content(), fences)
        if blocks:
            yield (*parents, heading.strip()) if is_heading else parents, blocks


def pack(
    blocks: list[Block], place: str = "", window: int = WINDOW_TOKENS, whole: int = WHOLE_TOKENS
) -> tuple[list[tuple[str, str]], str]:
    """(text, place) of passages, and the place where the section ends.

    Neighbours share a passage while they fit the window; a block alone may exceed it.
    """
    packed: list[tuple[str, str]] = []
    room = 0
    for block in blocks:
        if block.kind == "place":
            place = block.text
            continue
        for piece in split(block, window if block.kind == "prose" else whole):
            size = estimated_tokens(piece)
            if packed and size <= room:
                text, where = packed[-1]
                packed[-1] = (f"{text}\n\n{piece}", where)
                room -= size
            else:
                packed.append((piece, place))
                room = window - size
    return packed, place
