"""Reads HTML as documentation sites write it: navigation goes, headings, code, tables and anchors stay."""

import re
from typing import TYPE_CHECKING, Any

from ..blocks import place_line
from ..screen import clean
from .draft import DEEPEST, LONGEST_LINE, Draft, Unreadable, fence, hidden

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

# Where Sphinx, Read the Docs, docs.nvidia.com, rocm.docs.amd.com, Doxygen, MkDocs and GitHub put the text
MAIN = (
    "div[role=main]", "main article", "article[role=main]", "main", "article", "div.body", "div.document",
    "#contents-container", "div.contents", "#content", "#main-content",
)  # fmt: skip
NAVIGATION = (
    "nav, footer, header.top, aside.toc, script, style, noscript, template, svg, iframe, form, button, "
    "a.headerlink, a.anchor, a.viewcode-link, [role=navigation], [role=search], .toctree-wrapper, "
    ".sphinxsidebar, .related, .wy-breadcrumbs, .rst-breadcrumbs-buttons, .rst-footer-buttons, "
    ".prev-next-area, .prev-next-footer, .bd-sidebar, .bd-header-article, .breadcrumbs, .page-toc, "
    ".md-source-file, .edit-this-page, "
    ".feedback, .cookie-banner, .search-bar, td.linenos, span.linenos, .copybtn, .sr-only, .visually-hidden"
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}|(?:max-)?(?:height|width)\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]+)", re.IGNORECASE)
_PLACEHOLDER = re.compile("^[ \t>*-]*\ue010(.*?)\ue011[ \t]*$", re.MULTILINE)
_CLOSED = re.compile(r"<(/?)(?:div|span|section|b|i|em|font|ul|ol|dl|table|blockquote)\b", re.IGNORECASE)
# Sphinx writes the release into every page's title: "Memory — PTX ISA 9.1 documentation"
_RELEASE = re.compile(r"\bv?(\d+(?:\.\d+)+\w*) documentation$", re.IGNORECASE)
_SITE = re.compile(r"\s+(?:[—–|]|-{1,3}|::)\s+.*$")


def read(data: bytes) -> Draft:
    from bs4 import BeautifulSoup

    text, flags = clean(_decode(data))
    if not re.search(
        r"<\s*(html|body|head|div|p|h[1-6]|pre|table|article|main|!doctype)\b", text[:200_000], re.I
    ):
        raise Unreadable("holds no HTML tags")
    if _depth(text) > DEEPEST:
        raise Unreadable(f"nests its tags more than {DEEPEST} deep: no document of people")
    soup = BeautifulSoup(text, "lxml")
    about = _about(soup)
    main = next((found for selector in MAIN if (found := soup.select_one(selector))), None) or soup.body
    if main is None:
        raise Unreadable("has an empty body")
    flags += _strip(main)
    heading = main.find("h1")
    title = heading.get_text(" ", strip=True) if heading else about.pop("title")
    about.pop("title", None)
    _mark_anchors(main)
    body = _markdown(main)
    if max(map(len, body.split("\n"))) > LONGEST_LINE:
        raise Unreadable(f"has a line of more than {LONGEST_LINE} characters: data, not text")
    return Draft(body, re.sub(r"\s*[¶#]\s*$", "", title), flags=flags, **about)


def _decode(data: bytes) -> str:
    """Text in the encoding the page declares, else UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data:
        raise Unreadable("holds zero bytes: a binary file, not HTML")
    declared = _CHARSET.search(data[:4096])
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode("utf-8-sig" if encoding.lower().replace("-", "") == "utf8" else encoding)
    except LookupError:
        raise Unreadable(f"declares the encoding {encoding!r}, which is not known") from None
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not {encoding}; save the page as UTF-8") from None


def _depth(text: str) -> int:
    """How deep the tags nest that must be closed; found before a parser builds them as a tree."""
    depth = deepest = 0
    for found in _CLOSED.finditer(text):
        depth = max(0, depth - 1) if found[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _about(soup: "BeautifulSoup") -> dict[str, str]:
    """Title, version, licence and date as the page's head and foot give them."""
    meta = {
        str(tag.get("name") or tag.get("property") or "").lower(): str(tag.get("content") or "")
        for tag in soup.find_all("meta")
    }
    whole = soup.title.get_text(" ", strip=True) if soup.title else ""
    title, release = _SITE.sub("", whole), _RELEASE.search(whole)
    scripts = " ".join(tag.get_text() for tag in soup.find_all("script")[:20])
    options = re.search(r"VERSION\s*:\s*['\"]([^'\"]{1,40})['\"]", scripts)
    updated = re.search(
        r"[Ll]ast updated(?: on)?:?\s*([A-Z][a-z]{2,8} \d{1,2},? \d{4}|\d{4}-\d\d-\d\d)", soup.get_text(" ")
    )
    licence = soup.find(["a", "link"], rel="license")
    told = options or release
    return {
        "title": title,
        "version": meta.get("docsearch:version") or meta.get("version") or (told[1] if told else ""),
        "date": meta.get("date") or meta.get("article:modified_time") or (updated[1] if updated else ""),
        "licence": (licence.get_text(" ", strip=True) or str(licence.get("href", ""))) if licence else "",
    }


def _strip(main: "Tag") -> tuple[str, ...]:
    """Take out navigation silently, and with a flag what the page's reader would not see."""
    from bs4 import Comment

    flags: tuple[str, ...] = ()
    for tag in main.select(NAVIGATION):
        tag.decompose()
    for tag in main.find_all(style=_HIDDEN_STYLE) + main.select("[hidden]:not([role=tabpanel])"):
        if not tag.decomposed:
            flags += hidden(tag.get_text(" "), "hidden text")
            tag.decompose()
    for comment in main.find_all(string=lambda string: isinstance(string, Comment)):
        flags += tuple(flag for flag in hidden(str(comment), "a comment") if "words of" not in flag)
        comment.extract()
    return flags


def _mark_anchors(main: "Tag") -> None:
    """Leave a placeholder paragraph behind every heading and API signature that a link can point at."""
    for signature in main.select("dl > dt.sig, dl > dt[id]"):
        if signature.get("id"):
            signature.name = "h5"
            signature.string = " ".join(signature.get_text("").split())
    for tag in main.select("dl:has(> h5), dl:has(> h5) > dd"):
        tag.name = "div"
    for heading in main.find_all(re.compile("^h[1-6]$")):
        holder = heading.find_parent(["section", "div"])
        first = holder is not None and holder.find(re.compile("^h[1-6]$")) is heading
        anchor = heading.get("id") or (holder.get("id") if holder is not None and first else "") or ""
        if anchor:
            from bs4 import BeautifulSoup

            mark = BeautifulSoup("<p></p>", "html.parser").p
            if mark is not None:
                mark.string = f"\ue010{anchor}\ue011"
                heading.insert_after(mark)


def _markdown(main: "Tag") -> str:
    """`main` as Markdown; code keeps its lines and its language."""
    from markdownify import MarkdownConverter

    blocks: list[str] = []
    for table in main.select("table.highlighttable"):
        code = table.select_one("td.code pre")
        if code is not None:
            table.replace_with(code.extract())
    for pre in main.find_all("pre"):
        blocks.append(fence(pre.get_text(), _language(pre)))
        pre.name = "p"
        pre.string = f"\ue012{len(blocks) - 1}\ue013"
    options: dict[str, Any] = {"heading_style": "ATX", "bullets": "-"}
    options |= {
        "escape_underscores": False,
        "escape_asterisks": False,
        "escape_misc": False,
        "strip": ["img"],
    }
    text: str = MarkdownConverter(**options).convert_soup(main)
    text = re.sub("[ \t]*\ue012(\\d+)\ue013[ \t]*", lambda held: f"\n\n{blocks[int(held[1])]}\n\n", text)
    text = _PLACEHOLDER.sub(lambda held: f"\n{place_line(held[1])}\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _language(pre: "Tag") -> str:
    """The language that `highlight-cuda` or `language-cuda` on the block or around it names."""
    for tag in (pre, *pre.find_all("code", limit=1), *list(pre.parents)[:4]):
        for name in tag.get("class") or []:
            found = re.fullmatch(r"(?:highlight|language|lang)-([A-Za-z0-9+_-]+)", str(name))
            if found and found[1] not in ("default", "none", "notranslate"):
                return found[1].lower()
    return ""
