"""How an entry is known wherever its text is not kept: by the SHA-256 of that text."""

from __future__ import annotations

import hashlib


def text_sha256(text: str) -> str:
    """Hex digest of a text in UTF-8; a lone surrogate, which no file can hold, has one as well."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
