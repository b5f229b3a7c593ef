"""docs/instructor.md, typed: every command in its order, every file saved as the page says, every change made."""

import fnmatch
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "instructor.md"
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>\w+): (?P<file>[^>]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE
)


def typed(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    assert program == "quizapp"
    line = [sys.executable, "-c", "from quizapp.cli.main import main; main()", *arguments]
    environment = os.environ | {"QUIZAPP_HOME": str(cwd / "home"), "QUIZAPP_BANKS": "", "COLUMNS": "200"}
    return subprocess.run(line, cwd=cwd, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)


def test_the_page_as_it_is_typed(tmp_path: Path) -> None:
    blocks = list(BLOCK.finditer(PAGE.read_text("utf-8")))
    assert len(blocks) > 8
    for block in blocks:
        text, file = block["text"], tmp_path / (block["file"] or "")
        match block["language"], block["mark"]:
            case "console", None:
                for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                    command, _, output = example.partition("\n")
                    done = typed(command, tmp_path)
                    pattern = re.sub(r"^\.\.\.\n", "*", output.replace("[", "[[]"), flags=re.MULTILINE).replace("...", "*")
                    assert fnmatch.fnmatchcase(
                        done.stdout.rstrip() + "\n", pattern.rstrip() + ("\n" if not pattern.endswith("*") else "")
                    ), (
                        command,
                        done.stdout,
                        done.stderr,
                    )
            case "diff", "change":
                old, new = (
                    "".join(line[1:] for line in text.splitlines(keepends=True) if line.startswith(sign)) for sign in ("-", "+")
                )
                before = file.read_text("utf-8")
                assert before.count(old) == 1
                file.write_text(before.replace(old, new), "utf-8")
            case _, "file":
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8")
            case other:
                raise AssertionError(f"a block of {other} that nobody types")


def test_what_the_page_links_is_there() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text("utf-8"))
    assert [path for path in linked if not (PAGE.parent / path).exists()] == []
