"""The page: one document of the library, shipped or own, with where it comes from and where it holds."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from .. import KbgenError
from ..corpus.document import Document

Origin = Literal["shipped", "library"]


class PageError(KbgenError):
    """A page of the library cannot be read back."""


@dataclass(frozen=True)
class Reference:
    """Where a page's facts come from; `url` may be a file's path for the user's own documents."""

    title: str
    url: str
    section: str = ""
    version: str = ""


@dataclass(frozen=True)
class Page:
    """One document. No `archs` and vendor "any" mean no limit; from `addresses` on, fields of cards.

    `archs` are compiler targets (`sm_90`), `toolchain` what the page holds for (`triton>=3.6`), `requires`
    device features, `addresses` bottleneck classes, `asks` questions that the page answers, in others' words.
    `series` is the same for all releases of one document, `superseded_by` the id of a newer one; `inferred`
    names the fields that nobody stated.
    """

    __pydantic_config__ = ConfigDict(extra="ignore")

    id: str
    kind: str
    title: str
    body: str
    origin: Origin
    vendor: str = "any"
    archs: tuple[str, ...] = ()
    version: str = ""
    licence: str = ""
    date: str = ""
    toolchain: tuple[str, ...] = ()
    sources: tuple[Reference, ...] = ()
    series: str = ""
    superseded_by: str = ""
    inferred: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    transform: str | None = None
    asks: tuple[str, ...] = ()
    effect: str = ""
    cost: str = ""
    risk: str = ""

    @property
    def collection(self) -> str:
        """The part of the vector index it lives in: split by kind and vendor, the commonest filters."""
        return f"{self.kind}-{self.vendor}"


_PAGE: TypeAdapter[Page] = TypeAdapter(Page)


def from_corpus(document: Document) -> Page:
    """A shipped page; "any" among its archs becomes no limit."""
    return Page(
        id=document.id,
        kind=document.kind,
        title=document.title,
        body=document.body,
        origin="shipped",
        vendor=document.vendors[0] if len(document.vendors) == 1 else "any",
        archs=() if "any" in document.archs else document.archs,
        version="; ".join(dict.fromkeys(source.version for source in document.sources)),
        licence=document.licence,
        sources=tuple(Reference(s.title, s.url, s.section, s.version) for s in document.sources),
        addresses=document.addresses,
        families=document.families,
        requires=document.requires,
        conflicts=document.conflicts,
        transform=document.transform,
        asks=document.asks,
        effect=document.effect,
        cost=document.cost,
        risk=document.risk,
    )


def digest(page: Page) -> str:
    """Content hash: equal pages, equal digest."""
    return hashlib.sha256(to_json(page).encode()).hexdigest()


def to_json(page: Page) -> str:
    return json.dumps(_PAGE.dump_python(page, mode="json"), sort_keys=True, ensure_ascii=False)


def from_json(text: str) -> Page:
    return _PAGE.validate_json(text)


def to_markdown(page: Page) -> str:
    """The page as a file people can read and edit: YAML header, then the body."""
    header = {key: value for key, value in _PAGE.dump_python(page, mode="json").items() if value}
    body = header.pop("body", "")
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=120)}---\n{body}\n"


class _PlainLoader(yaml.SafeLoader):
    """Reads no aliases: with them a header of a few lines can stand for any amount of text."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it holds an alias, which no page needs")
        return super().compose_node(parent, index)


def from_markdown(text: str, name: str) -> Page:
    """Read a file written by `to_markdown`; `name` is used in the error."""
    match = re.match(r"---\n(.*?\n)---\n(.*)", text, re.DOTALL)
    try:
        header: Any = yaml.load(match[1], _PlainLoader) if match else None
        if not isinstance(header, dict):
            raise PageError(
                f"{name}: no YAML header between '---' lines was found; restore or remove the file."
            )
        json.dumps(header, ensure_ascii=False, default=str).encode()  # "\ud800" is half a character, no text
        return _PAGE.validate_python({**header, "body": match[2].removesuffix("\n") if match else ""})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise PageError(
            f"{name}: header field '{field}': {first['msg']}; correct or remove the file."
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a 13th month is a ValueError
        where = str(error).splitlines()[0]
        raise PageError(
            f"{name}: the header is not valid YAML ({where}); restore or remove the file."
        ) from None
