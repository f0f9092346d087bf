"""What is cut short of a secret, and what stays readable beside it. All keys and passwords are made up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.core.threats.finding import Finding
from memtui.core.threats.masking import cut_secret, masked, masked_text, without_secrets
from memtui.core.threats.scanner import builtin_scanner

KEY = "wJalrXn0tAr3alK3yn0tAr3alK3yn0tAr3alK3y"


def found_in(text: str) -> list[Finding]:
    return builtin_scanner().scan(text)


@pytest.mark.parametrize(
    ("text", "secret", "shown"),
    [
        (f"AWS login is user deploy secret {KEY}", KEY, "secret wJal… (39 characters)"),
        ("admin / n0tAr3al#Kv29 is the login", "n0tAr3al#Kv29", "/ n0t… (13 characters)"),
        ("The login is bob:n0tAr3al%99x on the printer.", "n0tAr3al%99x", "bob:n0t… (12 characters)"),
        ("password: n0tAr3al!9", "n0tAr3al!9", "password: n0… (10 characters)"),
        (f'api_key = "{KEY}" for staging', KEY, 'api_key = "wJal'),
        (f"api_key={KEY}", KEY, "api_key=wJal… (39 characters)"),
    ],
)
def test_the_secret_is_cut_short_and_not_the_word_before_it(text: str, secret: str, shown: str) -> None:
    found = found_in(text)

    quoted = [one.matched for one in without_secrets(found)]

    assert any(shown in one for one in quoted), quoted
    assert shown in masked_text(text, found)
    assert not any(secret[5:] in one for one in (*quoted, masked_text(text, found)))


def test_the_body_of_a_private_key_is_cut_with_its_head() -> None:
    body = "\n".join([KEY] * 5)
    text = f"Deploy key:\n-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\nkept on box2"

    masked = masked_text(text, found_in(text))

    assert KEY[5:] not in masked
    assert masked.startswith("Deploy key:\n-----BEGIN OPENSSH PRIVATE KEY-----…")
    assert masked.endswith("kept on box2")


def test_a_private_key_without_an_end_is_cut_to_the_last_character() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{KEY}\n{KEY}"

    assert KEY[5:] not in masked_text(text, found_in(text))


def test_secrets_that_overlap_take_nothing_else_away() -> None:
    text = "db login root / n0tAr3al!pass9 and the rest of the note"

    assert masked_text(text, found_in(text)).endswith(" and the rest of the note")


def test_a_text_without_secrets_stays() -> None:
    text = "Project uses uv; the token lies in the keychain"

    assert masked_text(text, found_in(text)) == text


def test_a_passphrase_of_words_is_cut_where_nothing_else_is_the_secret() -> None:
    assert cut_secret("passphrase correct-horse-battery-staple") == "passphrase corr… (28 characters)"


def test_quoting_compiles_the_rules_for_secrets_alone() -> None:
    program = (
        "from memtui.core.threats.masking import masked_preview\n"
        f"print(masked_preview('The key is {KEY}', 60), masked_preview('api_key = \"{KEY}\"', 60))\n"
        "from memtui.core.threats.scanner import builtin_scanner\n"
        "print(builtin_scanner.cache_info().misses)"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert KEY not in ran.stdout.split("api_key")[1]
    assert ran.stdout.splitlines()[-1] == "0"


def test_a_long_text_is_masked_to_its_end() -> None:
    text = f"{'Plain words of a long note. ' * 20_000}The key is sk-ant-api03-{KEY}{KEY}"

    assert KEY[5:] not in masked(text)


def test_the_corpus_is_masked_as_all_rules_would() -> None:
    corpus = Path(__file__).parents[2] / "data" / "threats" / "threats.jsonl"
    texts = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]

    assert [text for text in texts if masked(text) != masked_text(text, found_in(text))] == []
