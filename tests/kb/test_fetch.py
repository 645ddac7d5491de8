"""The web is asked politely, and what it sends is bounded: robots.txt, pauses, redirects, resuming."""

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kbgen.kb import fetch
from kbgen.kb.fetch import AGENT, Web, is_address
from kbgen.kb.ingest import ingest
from kbgen.kb.library import Library
from kbgen.kb.readers.draft import Unreadable

PAGE = b"<html><body><main><h1>Page %d</h1><p>words of %d</p></main></body></html>"


class Site:
    """A small web site: path -> (status, headers, body); it remembers who asked for what."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, self.headers.get("User-Agent", "")))
                status, headers, body = site.pages.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Keep the test's output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def put(self, path: str, body: bytes, status: int = 200, **headers: str) -> None:
        self.pages[path] = (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked if path != "/robots.txt"]


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, daemon=True)
    thread.start()
    yield site
    site.server.shutdown()
    site.server.server_close()
    thread.join()


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return Web(tmp_path / "crawls", pause_s=0.0)


def sitemap(site: Site, count: int) -> str:
    for number in range(count):
        site.put(
            f"/docs/{number}.html", PAGE % (number, number), Last_Modified="Tue, 03 Nov 2026 10:00:00 GMT"
        )
    listed = "".join(f"<url><loc>{site.address}/docs/{n}.html</loc></url>" for n in range(count))
    site.put("/sitemap.xml", f"<urlset>{listed}</urlset>".encode(), Content_Type="application/xml")
    return f"{site.address}/sitemap.xml"


def test_a_sitemap_comes_in_with_addresses_and_dates(library: Library, site: Site, web: Web) -> None:
    report = ingest(library, [sitemap(site, 3)], web=web)
    assert [taken.status for taken in report.taken] == ["added"] * 3
    (hit,) = library.search("words of 2", k=1).hits
    assert hit.source == f"{site.address}/docs/2.html"
    assert hit.date == "2026-11-03"
    assert {agent for _, agent in site.asked} == {AGENT}
    assert site.asked[0][0] == "/robots.txt"
    assert not (library.root / "crawls").exists()


def test_robots_txt_keeps_out(library: Library, site: Site, web: Web) -> None:
    site.put("/robots.txt", b"User-agent: *\nDisallow: /docs/1.html\n", Content_Type="text/plain")
    site.put("/moved.html", b"", 302, Location=f"{site.address}/docs/1.html")
    report = ingest(library, [sitemap(site, 2), f"{site.address}/moved.html"], web=web)
    assert [taken.status for taken in report.taken] == ["added", "refused", "refused"]
    assert all("robots.txt" in taken.reason for taken in report.of("refused"))
    assert "/docs/1.html" not in site.paths()


def test_a_host_whose_robots_txt_fails_is_left_alone(library: Library, site: Site, web: Web) -> None:
    site.put("/robots.txt", b"", 503)
    site.put("/a.html", PAGE % (1, 1))
    (taken,) = ingest(library, [f"{site.address}/a.html"], web=web).taken
    assert "robots.txt" in taken.reason


def test_requests_keep_their_distance(site: Site, tmp_path: Path) -> None:
    site.put("/robots.txt", b"User-agent: *\nCrawl-delay: 1\n", Content_Type="text/plain")
    address = sitemap(site, 1)
    started = time.monotonic()
    with Web(tmp_path / "crawls", pause_s=0.0) as web:
        assert [fetched.reason for fetched in web.documents([address])] == [""]
    assert time.monotonic() - started >= 1.0


def test_a_broken_off_sitemap_is_taken_up_where_it_stopped(
    library: Library, site: Site, tmp_path: Path
) -> None:
    address = sitemap(site, 4)

    def give_up(done: int, total: int) -> None:
        assert total == 4
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(library, [address], web=Web(library.root / "crawls", pause_s=0.0), watch=give_up)
    site.asked.clear()
    report = ingest(library, [address], web=Web(library.root / "crawls", pause_s=0.0))
    assert [taken.status for taken in report.taken] == ["added", "added"]
    assert site.paths() == ["/sitemap.xml", "/docs/2.html", "/docs/3.html"]
    assert not (library.root / "crawls").exists()


def test_a_sitemap_of_sitemaps_stays_on_its_host(site: Site, web: Web) -> None:
    sitemap(site, 2)
    listed = f"<sitemapindex><sitemap><loc>{site.address}/sitemap.xml</loc></sitemap>"
    site.put("/index.xml", f"{listed}<sitemap><loc>http://other.invalid/s.xml</loc></sitemap>".encode())
    assert web.sitemap(f"{site.address}/index.xml") == [f"{site.address}/docs/{n}.html" for n in range(2)]
    site.put("/loop.xml", f"<sitemapindex><loc>{site.address}/loop.xml</loc></sitemapindex>".encode())
    assert web.sitemap(f"{site.address}/loop.xml") == []


def test_what_unpacks_to_too_much_is_refused(
    library: Library, site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "LARGEST_BYTES", 1 << 20)
    site.put("/bomb.html", gzip.compress(b" " * (3 << 20)), Content_Encoding="gzip")
    site.put("/big.html", b" " * (2 << 20))
    report = ingest(library, [f"{site.address}/bomb.html", f"{site.address}/big.html"], web=web)
    assert ["unpacks to more than" in taken.reason for taken in report.taken] == [True, False]
    assert "more than 1048576 bytes" in report.taken[1].reason


def test_what_breaks_off_or_never_ends_is_refused(
    library: Library, site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put("/short.html", PAGE % (1, 1), Content_Length="5000")
    (taken,) = ingest(library, [f"{site.address}/short.html"], web=web).taken
    assert taken.reason == f"broke off after {len(PAGE % (1, 1))} bytes; try again"
    monkeypatch.setattr(fetch, "WHOLE_S", -1.0)
    web._robots.clear()
    site.put("/slow.html", PAGE % (2, 2))
    (taken,) = ingest(library, [f"{site.address}/slow.html"], web=web).taken
    assert taken.status == "refused"
    assert "s to arrive" in taken.reason


def test_a_sitemap_of_too_many_sitemaps_is_refused(site: Site, web: Web) -> None:
    listed = "".join(f"<loc>{site.address}/{n}.xml</loc>" for n in range(fetch.MOST_SITEMAPS + 1))
    site.put("/index.xml", f"<sitemapindex>{listed}</sitemapindex>".encode())
    with pytest.raises(Unreadable, match="lists 201 sitemaps; at most 200"):
        web.sitemap(f"{site.address}/index.xml")


@pytest.mark.parametrize("path", ["/none.html", "/none.xml"])
def test_what_is_not_there_is_refused_with_the_answer(
    path: str, library: Library, site: Site, web: Web
) -> None:
    (taken,) = ingest(library, [site.address + path], web=web).taken
    assert (taken.status, "404" in taken.reason) == ("refused", True)


def test_only_web_addresses_are_fetched(library: Library, web: Web) -> None:
    assert is_address("https://example.org/a")
    assert not is_address("docs/a.md")
    (taken,) = ingest(library, ["file:///etc/passwd"], web=web).taken
    assert "no http or https address" in taken.reason
    (taken,) = ingest(library, ["http://127.0.0.1:1/a"], web=web).taken
    assert "cannot be fetched" in taken.reason
