"""PDF files from a few lines, so that none is kept in the tree."""

from collections.abc import Callable

import pytest

Text = tuple[int, int, float, int, str]  # x, y from the page's lower left corner, size, font 1 to 3, text
FONTS = ("Helvetica", "Helvetica-Bold", "Courier")


def draw(items: list[Text | str]) -> bytes:
    """Drawing operators of one page; a string among `items` is taken as it is."""
    parts = []
    for item in items:
        if isinstance(item, str):
            parts.append(item)
            continue
        x, y, size, font, text = item
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        parts.append(f"BT /F{font} {size} Tf {x} {y} Td ({escaped}) Tj ET")
    return "\n".join(parts).encode("latin-1")


def build(streams: list[bytes], title: str) -> bytes:
    """A PDF file of pages, each given by its content stream."""
    names = " ".join(f"/F{i} {i + 2} 0 R" for i in range(1, 4))
    kids = [6 + 2 * i + 1 for i in range(len(streams))]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    objects.append(
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    )
    objects += [f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>".encode() for name in FONTS]
    for number, stream in enumerate(streams):
        objects.append(f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * number} 0 R "
            f"/Resources << /Font << {names} >> >> >>".encode()
        )
    objects.append(f"<< /Title ({title}) /ModDate (D:20251103120000Z) >>".encode())
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return out + head + table + tail % (len(objects) + 1, len(objects), len(out))


@pytest.fixture
def make_pdf() -> Callable[..., bytes]:
    def make(*pages: list[Text | str], title: str = "A guide") -> bytes:
        return build([draw(page) for page in pages], title)

    return make
