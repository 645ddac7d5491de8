"""Fetches documents from the web politely: robots.txt, one request a second, a name, and resumable."""

import hashlib
import re
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from html import unescape
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import quote, urldefrag, urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

from .. import __version__
from .files import LibraryError
from .readers.draft import LARGEST_BYTES, Unreadable

AGENT = f"kbgen/{__version__} (documentation ingestion; one request a second)"
PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
TIMEOUT_S = 30.0  # without a byte
WHOLE_S = 600.0  # for all of a document: a server may send a byte every second and never be silent
MOST_PAGES = 5000
MOST_SITEMAPS = 200
BY_TYPE = {
    "text/html": ".html", "application/xhtml+xml": ".html", "application/pdf": ".pdf", "text/markdown": ".md",
    "text/x-rst": ".rst", "application/x-ipynb+json": ".ipynb",
}  # fmt: skip


@dataclass
class Fetched:
    """One document as a file to be read and removed, or why there is none."""

    address: str
    path: Path | None = None
    suffix: str = ""
    date: str = ""
    reason: str = ""
    journal: Path | None = None

    def done(self) -> None:
        """Note that this one needs no fetching when the same sitemap is asked for again after a break."""
        if self.journal is not None:
            with self.journal.open("a", encoding="utf-8") as file:
                file.write(self.address + "\n")


@dataclass
class Web:
    """Fetches over one session; `folder` keeps what is being read and the journal of unfinished sitemaps."""

    folder: Path
    pause_s: float = PAUSE_S
    expected: int = 0  # documents, as far as the sitemaps have been read
    _robots: dict[str, RobotFileParser] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)

    def __enter__(self) -> "Web":
        self.folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for part in self.folder.glob("*.part"):
            part.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()  # unless a journal is kept

    def documents(self, addresses: list[str]) -> Iterator[Fetched]:
        """Every document behind `addresses`, sitemaps followed; one taken up again skips what it had."""
        self.expected = len(addresses)
        for address in addresses:
            if not re.search(r"sitemap[^/]*\.xml(\.gz)?$|\.xml(\.gz)?$", urlsplit(address).path):
                yield self._document(address, None)
                continue
            journal = self.folder / f"{hashlib.sha256(address.encode()).hexdigest()[:16]}.txt"
            had = set(journal.read_text(encoding="utf-8").split("\n")) if journal.is_file() else set()
            try:
                pages = self.sitemap(address)
            except (Unreadable, OSError, HTTPException) as error:
                yield Fetched(address, reason=_told(error))
                continue
            left = [page for page in pages if page not in had]
            self.expected += len(left) - 1
            for page in left:
                yield self._document(page, journal)
            journal.unlink(missing_ok=True)

    def sitemap(self, address: str, depth: int = 3) -> list[str]:
        """The pages a sitemap lists on its own host, those of the sitemaps it lists included."""
        data, _, _ = self._get(address)
        text = (_unpacked(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", errors="replace")
        listed = [unescape(found).strip() for found in re.findall(r"<loc>\s*([^<]{1,2000}?)\s*</loc>", text)]
        if not listed:
            raise Unreadable("lists no pages: it is no sitemap")
        here = [page for page in listed if urlsplit(page).netloc == urlsplit(address).netloc]
        if "<sitemapindex" not in text[:4000]:
            return list(dict.fromkeys(here))[:MOST_PAGES]
        if len(here) > MOST_SITEMAPS:
            raise Unreadable(
                f"lists {len(here)} sitemaps; at most {MOST_SITEMAPS} are read, name those wanted"
            )
        pages = [page for nested in here for page in (self.sitemap(nested, depth - 1) if depth else ())]
        return list(dict.fromkeys(pages))[:MOST_PAGES]

    def _document(self, address: str, journal: Path | None) -> Fetched:
        try:
            data, kind, changed = self._get(address)
        except (Unreadable, OSError, HTTPException, ValueError) as error:
            return Fetched(address, reason=_told(error), journal=journal)
        path = self.folder / f"{hashlib.sha256(address.encode()).hexdigest()[:16]}.part"
        path.write_bytes(data)
        suffix = BY_TYPE.get(kind) or Path(urlsplit(address).path).suffix or (".html" if not kind else ".txt")
        return Fetched(address, path, suffix, changed, journal=journal)

    def _get(self, address: str) -> tuple[bytes, str, str]:
        """(body, content type, date of the last change); refuses what robots.txt forbids or is too large."""
        address = _quoted(address)
        self._allowed(address)
        opener = urllib.request.build_opener(_Redirects(self))
        request = urllib.request.Request(address, headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"})
        with opener.open(request, timeout=TIMEOUT_S) as reply:
            data = _body(reply, LARGEST_BYTES + 1)
            packed = reply.headers.get("Content-Encoding", "") == "gzip"
            kind = reply.headers.get_content_type()
            changed = _day(reply.headers.get("Last-Modified", ""))
        if len(data) > LARGEST_BYTES:
            raise Unreadable(f"has more than {LARGEST_BYTES} bytes; at most that is read")
        return _unpacked(data) if packed else data, kind, changed

    def _allowed(self, address: str) -> None:
        """Wait for this host's turn; Unreadable if its robots.txt keeps this program out."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unreadable("is no http or https address")
        robots = self._rules(f"{parts.scheme}://{parts.netloc}")
        if not robots.can_fetch(AGENT, address):
            raise Unreadable(
                "robots.txt of its host keeps programs out; ask the publisher or save it by hand"
            )
        asked = float(robots.crawl_delay(AGENT) or 0)
        pause = min(LONGEST_PAUSE_S, max(self.pause_s, asked))
        wait = self._last.get(parts.netloc, 0.0) + pause - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self._last[parts.netloc] = time.monotonic()

    def _rules(self, host: str) -> RobotFileParser:
        """The host's robots.txt: none means free, an error of the server means keep out (RFC 9309, 2.3.1)."""
        if host not in self._robots:
            rules = self._robots[host] = RobotFileParser()
            request = urllib.request.Request(f"{host}/robots.txt", headers={"User-Agent": AGENT})
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:
                    rules.parse(_body(reply, 500_000).decode("utf-8", errors="replace").splitlines())
            except urllib.error.HTTPError as error:
                rules.parse(["User-agent: *", "Disallow: /"] if error.code >= 500 else [])
        return self._robots[host]


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only where robots.txt of the new address lets it."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> Any:
        self._web._allowed(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_address(place: Path | str) -> bool:
    """Whether `place` is meant as a web address, of whatever scheme."""
    return isinstance(place, str) and re.match(r"[a-z][a-z0-9+.-]+://", place.lower()) is not None


def _quoted(address: str) -> str:
    """`address` without its fragment, blanks and letters beyond ASCII escaped."""
    parts = urlsplit(urldefrag(address.strip())[0])
    if parts.username or parts.password:
        raise LibraryError("an address with a password in it is not fetched; save the page by hand.")
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def _body(reply: Any, most: int) -> bytes:
    """What the server sends, up to `most` bytes; Unreadable where that takes too long or breaks off."""
    parts: list[bytes] = []
    size, deadline = 0, time.monotonic() + WHOLE_S
    while size < most and (part := reply.read1(min(1 << 16, most - size))):
        parts.append(part)
        size += len(part)
        if time.monotonic() > deadline:
            raise Unreadable(f"takes more than {WHOLE_S:.0f} s to arrive; save it by hand")
    if size < most and reply.length:  # what is still to come of the length that was announced
        raise Unreadable(f"broke off after {size} bytes; try again")
    return b"".join(parts)


def _unpacked(data: bytes) -> bytes:
    """Gzip undone, up to LARGEST_BYTES: a small file may unpack to any size."""
    engine = zlib.decompressobj(wbits=31)
    try:
        text = engine.decompress(data, LARGEST_BYTES + 1)
    except zlib.error:
        raise Unreadable("is damaged: its compression cannot be undone") from None
    if len(text) > LARGEST_BYTES:
        raise Unreadable(f"unpacks to more than {LARGEST_BYTES} bytes; at most that is read")
    return text


def _day(text: str) -> str:
    with suppress(ValueError, TypeError):
        return parsedate_to_datetime(text).date().isoformat() if text else ""
    return ""


def _told(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return f"cannot be fetched ({error.reason})"
    return str(error) or type(error).__name__
