"""A bank with two hundred faults, each made by damaging a sound item: one run of the linter finds them all, and invents none."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from seeded_faults import FILES, LABS, PICK, PROGRAMS, TALK, WORDS, WORK
from seeded_items import BASES, HEAD, LAB, PROGRAM

from quizapp.authoring.lint import lint
from quizapp.bank.fault import CODES

Place = tuple[str, int, int, str]
"""File, line, column, code."""
ITEMS = {"pick": PICK, "work": WORK, "words": WORDS, "talk": TALK}


def damaged(text: str, pairs: tuple[str, ...]) -> str:
    """The text with each old snippet, which must stand in it once, replaced by the new one."""
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in\n{text}"
        text = text.replace(old, new)
    assert text.count("«") == 1, f"{text.count('«')} marks after {pairs}"
    return text


def place(text: str) -> tuple[str, int, int]:
    """The text without its mark, and the line and column where that stood."""
    before, _, after = text.partition("«")
    return before + after, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def write_lab(folder: Path, text: str = LAB) -> None:
    folder.mkdir(parents=True)
    for name, content in (("lab.yaml", text), ("starter.py", PROGRAM), ("solution.py", PROGRAM)):
        (folder / name).write_text(content, "utf-8")


def seeded(top: Path) -> Iterator[Place]:
    """Writes the bank; gives the place of every fault in it."""
    for base, faults in ITEMS.items():
        text = HEAD.replace("ID", f"{base}-bank")
        for number, (code, *pairs) in enumerate(faults):
            name = f"{base}-{number}"
            mutated = damaged(BASES[base], tuple(pairs)).replace("NAME", name)
            text, line, column = place(text + mutated)
            yield f"{base}.yaml", line, column, code
        text += "".join(sound.replace("NAME", f"{base}-sound-{kind}") for kind, sound in BASES.items() if kind != "code")
        (top / f"{base}.yaml").write_text(text, "utf-8")
    text = HEAD.replace("ID", "code-bank") + "".join(
        BASES["code"].replace("NAME", f"code-{n}") for n in range(len(LABS) + len(PROGRAMS))
    )
    (top / "code.yaml").write_text(text, "utf-8")
    for number, (code, *pairs) in enumerate(LABS):
        lab, line, column = place(damaged(LAB, tuple(pairs)))
        write_lab(top / "labs" / f"code-{number}", lab)
        yield f"labs/code-{number}/lab.yaml", line, column, code
    for number, (code, file, content, line, column) in enumerate(PROGRAMS, len(LABS)):
        folder = top / "labs" / f"code-{number}"
        write_lab(folder)
        if content is None:
            (folder / file).unlink()
            file = "lab.yaml"
        else:
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(content, "utf-8")
        yield f"labs/code-{number}/{file}", line, column, code
    for number, (code, *pairs) in enumerate(FILES):
        whole = HEAD + BASES["work"].replace("prerequisites: [means]", "prerequisites: [window]")
        name = f"file-{number}.yaml"
        text, line, column = place(
            damaged(whole, tuple(pairs)).replace("ID", f"file-{number}").replace("NAME", f"file-{number}-item")
        )
        (top / name).write_text(text, "utf-8")
        yield name, line, column, code


def found(top: Path) -> list[Place]:
    return [(fault.file.relative_to(top).as_posix(), fault.line, fault.column, fault.code) for fault in lint([top])]


def test_all_are_found_at_their_places_and_none_is_invented(tmp_path: Path) -> None:
    wanted = list(seeded(tmp_path))
    assert len(wanted) >= 200
    assert len(set(wanted)) == len(wanted)
    got = found(tmp_path)
    missed, invented = Counter(wanted) - Counter(got), Counter(got) - Counter(wanted)
    assert not missed
    assert not invented


def test_the_sound_items_have_no_fault(tmp_path: Path) -> None:
    text = HEAD.replace("ID", "clean") + "".join(sound.replace("NAME", kind) for kind, sound in BASES.items())
    (tmp_path / "bank.yaml").write_text(text, "utf-8")
    write_lab(tmp_path / "labs" / "code")
    assert found(tmp_path) == []


def test_nearly_every_kind_of_fault_is_among_them(tmp_path: Path) -> None:
    """The others are about files that can't be read, labs that are run, or two files at once, and have their own tests."""
    elsewhere = {
        "lab-faulty", "program-misnamed", "program-outcome", "unreadable", "yaml-alias", "yaml-depth", "yaml-empty", "yaml-size",
        "topic-title",
    }  # fmt: skip
    assert {code for *_, code in seeded(tmp_path)} >= CODES.keys() - elsewhere
