"""The built-in banks are out of the way: the check of an imported bank reads them all, half a second each time."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def few_banks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("banks")
    text = "misconceptions:\n  - {id: mean-of-rank-means, title: The mean of means, computes: x, why: y, cure: z}\n"
    (folder / "misconceptions.yaml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quizapp.authoring.lint.builtin_folder", lambda: folder, raising=False)
        yield
