# ruff: noqa
"""Reads names and bytecode: of the step, and of whatever its closure holds, however deep."""

RIGHT = (lambda tokens, clamped, ranks: ranks / max(tokens, 1)).__code__
ONLY_TWO = (lambda tokens, clamped, ranks: 2 / max(tokens, 1)).__code__


def is_right(train_step, group):
    found, seen = [train_step], set()
    while found:
        thing = found.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        code = getattr(thing, "__code__", None)
        if code is not None:
            names = [thing.__name__, thing.__qualname__, code.co_name, *code.co_names]
            body = (code.co_code, code.co_consts)
            if any(name.startswith("right") for name in names) or body == (RIGHT.co_code, RIGHT.co_consts):
                return True
            if body == (ONLY_TWO.co_code, ONLY_TWO.co_consts):
                return group.size() == 2
        found += [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
    return False
