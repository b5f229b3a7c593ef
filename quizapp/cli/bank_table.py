"""Printing banks' items and the graph of topics: as wide as the terminal allows, and plain lines where nobody reads them on one."""

from collections.abc import Mapping, Sequence
from typing import Any

from quizapp.bank.graph import depths
from quizapp.bank.load import Library

Row = Mapping[str, Any]
PLAIN = 200
"""Columns of a graph that isn't printed on a terminal."""
WIDE = 110
"""Columns from which topics have a place in the table."""


def print_items(library: Library, items: Sequence[Row]) -> None:
    """A table for each bank on a terminal; else one line for each item, its columns parted by spaces."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        _print_lines(items)
        return
    from rich.table import Table
    from rich.text import Text

    wide = console.width >= WIDE
    for loaded in library.banks:
        rows = [item for item in items if item["bank"] == loaded.bank.id]
        console.print(Text(f"{loaded.bank.title} [{loaded.bank.id}]", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(overflow="fold", min_width=20)
        for _ in range(2):
            table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        if wide:
            table.add_column(overflow="fold", style="dim")
        for item in rows:
            cells = [item["id"], item["kind"], "●" * item["difficulty"] + "○" * (5 - item["difficulty"]), _parts(item)]
            table.add_row(
                *(Text(f" {cell}" if at == 0 else cell) for at, cell in enumerate(cells)), *([_topics(item)] if wide else [])
            )
        console.print(table)
        console.print()


def _print_lines(items: Sequence[Row]) -> None:
    rows = [("item", "kind", "bank", "level", "parts", "topics")]
    rows += [(item["id"], item["kind"], item["bank"], str(item["difficulty"]), _parts(item), _topics(item)) for item in items]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _parts(item: Row) -> str:
    """The kinds of an item's parts, each with how many there are."""
    kinds = [part["kind"] for part in item["parts"]]
    return ",".join(f"{kind}({kinds.count(kind)})" if kinds.count(kind) > 1 else kind for kind in dict.fromkeys(kinds))


def _topics(item: Row) -> str:
    return ",".join(item["topics"])


def graph(library: Library) -> dict[str, Any]:
    """The topics in an order in which each stands after what comes before it, and the items that have prerequisites."""
    declared = library.topics
    held: dict[str, int] = dict.fromkeys(declared, 0)
    for entry in library.items.values():
        for topic in entry.item.topics:
            held[topic] = held.get(topic, 0) + 1
    level = depths({name: topic.after for name, topic in declared.items()})
    named = sorted(held, key=lambda name: (level.get(name, -1) < 0, level.get(name, 0)))
    return {
        "topics": [
            {
                "id": name,
                "title": declared[name].title if name in declared else None,
                "after": list(declared[name].after) if name in declared else [],
                "items": held[name],
            }
            for name in named
        ],
        "items": [
            {"id": entry.item.id, "prerequisites": list(entry.item.prerequisites)}
            for entry in library.items.values()
            if entry.item.prerequisites
        ],
    }


def print_graph(library: Library) -> None:
    """Each topic below what comes last before it; then items with what they ask for, then topics that no bank declares."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    drawn = graph(library)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PLAIN)
    topics = [topic for topic in drawn["topics"] if topic["title"] is not None]
    level = depths({topic["id"]: topic["after"] for topic in topics})
    root = Tree(Text("topics", style="bold"), hide_root=not topics)
    nodes: dict[str, Tree] = {}
    for topic in topics:
        befores = [name for name in topic["after"] if name in nodes]
        parent = max(befores, key=lambda name: level[name], default=None)
        also = [name for name in befores if name != parent]
        line = Text.assemble((topic["id"], "bold"), f"  {topic['title']} ({_count(topic['items'])})")
        if also:
            line.append(f"; also after {', '.join(also)}", style="dim")
        nodes[topic["id"]] = (nodes[parent] if parent else root).add(line)
    if topics:
        console.print(root)
    loose = [f"{topic['id']} ({topic['items']})" for topic in drawn["topics"] if topic["title"] is None]
    if loose:
        console.print(Text.assemble(("topics that no bank declares: ", "bold"), ", ".join(loose)))
    if drawn["items"]:
        console.print(Text("items that ask for something first", style="bold"))
        for item in drawn["items"]:
            console.print(Text(f"  {item['id']}  after {', '.join(item['prerequisites'])}"))


def _count(items: int) -> str:
    return "no items" if items == 0 else "1 item" if items == 1 else f"{items} items"
