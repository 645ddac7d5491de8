"""Reads Markdown: its header becomes what the page says of itself; comments and hidden tags are taken out."""

import re

from ..blocks import lift_fences
from .draft import Draft, first_heading, hidden, text_of

_HEADER = re.compile(r"---\n(.{0,8000}?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z_-]+):[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_LINK_COMMENT = re.compile(r"^\[(?://|comment|_)\]: *(?:#|<>)(.*)$", re.MULTILINE | re.IGNORECASE)
_HIDDEN_TAG = re.compile(
    r"<(\w+)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|\bhidden\b)[^>]*>"
    r"(.*?)(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_HELD = re.compile("\ue000([0-9]+)\ue001")
_SETEXT = re.compile(r"^([^\s|>#\-=~`*+].*)\n(=+|-{3,})[ \t]*$", re.MULTILINE)


def read(data: bytes) -> Draft:
    text, flags = text_of(data)
    header = _HEADER.match(text)
    fields = {key.lower(): value for key, value in _FIELD.findall(header[1])} if header else {}
    body, fences = lift_fences(text[header.end() :] if header else text)
    for pattern, group, name in (
        (_COMMENT, 1, "a comment"),
        (_LINK_COMMENT, 1, "a comment"),
        (_HIDDEN_TAG, 2, "hidden text"),
    ):
        for found in pattern.finditer(body):
            flags += hidden(found[group], name)
        body = pattern.sub("", body)
    body = _SETEXT.sub(lambda found: f"{'#' if found[2][0] == '=' else '##'} {found[1]}", body)
    body = _HELD.sub(lambda held: fences[int(held[1])], body)
    return Draft(
        body=body.strip(),
        title=fields.get("title", "") or first_heading(body),
        version=fields.get("version", ""),
        licence=fields.get("license", "") or fields.get("licence", ""),
        date=fields.get("date", "") or fields.get("last_updated", ""),
        flags=flags,
    )
