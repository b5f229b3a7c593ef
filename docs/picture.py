"""Takes README's picture anew: ``python docs/picture.py`` judges a wrong program in the app and keeps the screen as docs/app.svg.

Nothing in it is drawn by hand: the banks, the ranks and the verdict are real. Needs torch (the extra ``local``).
"""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import load
from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.verdict import VerdictScreen

ITEM = "scale-local-loss"
PROGRAM = "wrong/mean-of-rank-means.py"
SIZE = (100, 32)
PATIENCE = 120.0


async def screen(app: QuizApp) -> str:
    """The verdict's screen as SVG. Raises ``TimeoutError`` where no verdict comes."""
    async with app.run_test(size=SIZE) as pilot, asyncio.timeout(PATIENCE):
        await pilot.pause(1)
        await pilot.press("ctrl+s")
        while not isinstance(app.screen, VerdictScreen):
            await pilot.pause(0.1)
        await pilot.pause(1)
        return app.export_screenshot(title="quizapp")


def still(svg: str) -> str:
    """Without the fonts that textual's export would fetch from the network, and without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL).splitlines()) + "\n"


def main(target: Path) -> None:
    library = load([builtin_folder()])
    found = library.items[ITEM]
    source = next(builtin_folder().rglob(f"{ITEM}/{PROGRAM}")).read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "progress.sqlite3") as store:
        store.save_draft(DraftKey("study", ITEM, found.item.parts[0].id), source)
        app = QuizApp(store, library, start="study", bank=found.bank_id, item=ITEM, backend="local")
        try:
            target.write_text(still(asyncio.run(screen(app))), "utf-8")
        finally:
            app.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "app.svg")
