"""Links left open or leading nowhere, and what only looks like one."""

import pytest

from quizapp.authoring.links import broken_links


@pytest.mark.parametrize(
    "text",
    [
        "See [the notes](https://pytorch.org/docs/stable/ddp.html).",
        "[a](https://en.wikipedia.org/wiki/Mean_(statistics)) and [b](mailto:a@b.org)",
        'A [title](https://a.org/b "said here").',
        "[local](notes.md#part) and [anchor](#here)",
        "`f[i](http` and ```\n[x](http://\n```",
        "The element w[r](k) of the vector, and g[t] (see above).",
        "https://a.org/x, plainly.",
        "An array [1, 2] and (3, 4).",
    ],
)
def test_sound(text: str) -> None:
    assert list(broken_links(text)) == []


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [
        ("See [this](https://a.org/x and more.", 4, "missing"),
        ("[this]()", 0, "without an address"),
        ("a [this](https://a.org/x y)", 2, "space"),
        ("[this](www.a.org)", 0, "none"),
        ("[this](https:/a.org)", 0, "none"),
        ("[](https://a.org)", 0, "without text"),
        ("see http:/a.org", 4, "without its host"),
        ("`code` then [x](http://)", 12, "none"),
    ],
)
def test_broken(text: str, offset: int, said: str) -> None:
    found = list(broken_links(text))
    assert found
    assert found[0][0] == offset
    assert said in found[0][1]
