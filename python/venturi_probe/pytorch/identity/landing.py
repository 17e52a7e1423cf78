"""Where the value of a call lands: the variable, attribute, key or argument that the source gives it to."""

import ast
import itertools
import linecache
import re
from collections import namedtuple
from functools import lru_cache

MOST_SOURCE = 1 << 20
#: A pair that no literal ends in: what an escape means is not needed, and one that is invalid would be warned about.
_ESCAPE = re.compile(r"\\[^\r\n]")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: Calls that give back what they are given, in some wrapping.
_PASSES_ON = re.compile(r"^[A-Z]|prepare|wrap|prefetch|cycle|loader|setup", re.ASCII)
_HIDDEN = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

#: A value of a dictionary, of which no variable has the name.
KEYED = "keyed"

#: `names`: what the value is called here, nearest first. `position`: its position in what is returned, if it is (None: all of it).
Landing = namedtuple("Landing", "names is_returned position")
NOWHERE = Landing((), False, None)


@lru_cache(maxsize=1)
def _tree(file):
    text = "".join(linecache.getlines(file))
    if not 0 < len(text) <= MOST_SOURCE:
        return None
    try:
        return ast.parse(_ESCAPE.sub(lambda pair: "x" * len(pair.group().encode()), text))
    except (SyntaxError, ValueError, RecursionError):
        return None


#: A parsed file takes memory, and is not needed again soon.
forget = _tree.cache_clear


def _end_of(frame):
    """Line and column at which the call that is under way ends in the source; None before Python 3.11."""
    positions = getattr(frame.code, "co_positions", None)
    if positions is None:
        return None
    _, line, _, column = next(itertools.islice(positions(), frame.at // 2, None), (None,) * 4)
    return None if line is None or column is None else (line, column)


def _path(node, line, is_wanted):
    """From the outermost node that holds this line down to the one that is wanted; of several there is none."""
    found = []

    def down(node, above):
        if is_wanted(node):
            found.append(above + [node])
        for child in ast.iter_child_nodes(node):
            if not hasattr(child, "lineno") or child.lineno <= line <= (child.end_lineno or line):
                down(child, above + [node])

    down(node, [])
    return found[0] if len(found) == 1 else None


def _call_path(frame, callee):
    tree = _tree(frame.file)
    if tree is None:
        return None
    end = _end_of(frame)
    if end is not None:
        return _path(
            tree, frame.line, lambda n: isinstance(n, ast.Call) and (n.end_lineno, n.end_col_offset) == end
        )
    begins = lambda n: isinstance(n, ast.Call) and n.lineno == frame.line
    return _path(tree, frame.line, lambda n: begins(n) and _called(n) in callee) or _path(tree, frame.line, begins)


def _called(call):
    return getattr(call.func, "id", None) or getattr(call.func, "attr", None) or ""


def landing(frame, callee, turn, position=None):
    """Where the call that this frame makes lands, to a function of one of these names.

    `position`: its position in what the call gives. `turn`: the how-manieth it is of those that one comprehension makes.
    """
    path = _call_path(frame, callee)
    if path is None:
        return NOWHERE
    names = []
    for at in range(len(path) - 1, 0, -1):
        child, parent = path[at], path[at - 1]
        if isinstance(parent, (ast.Tuple, ast.List)):
            position = parent.elts.index(child)
        elif isinstance(parent, ast.Dict):
            key = parent.keys[parent.values.index(child)] if child in parent.values else None
            names += _text_of(key)
            position = KEYED
        elif isinstance(parent, ast.keyword):
            names += [parent.arg] if parent.arg else []
        elif isinstance(parent, ast.Call) and not _PASSES_ON.search(_called(parent)):
            # Another function has it now; what that gives back may be anything.
            return Landing(names, False, None)
        elif isinstance(parent, (ast.Attribute, ast.Subscript)):
            return Landing(names, False, None)
        elif isinstance(parent, _COMPREHENSIONS):
            position = turn
        elif isinstance(parent, ast.NamedExpr):
            names.append(parent.target.id)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            found = [name for target in targets for name in _names_of(target, position)]
            is_returned, position = _returned(_function_in(path[:at]), found, position)
            return Landing(names + found, is_returned, position)
        elif isinstance(parent, (ast.Return, ast.Yield, ast.Lambda)):
            return Landing(names, True, position)
        elif isinstance(parent, ast.stmt):
            return Landing(names, False, None)
    return NOWHERE


def _function_in(path):
    return next((node for node in reversed(path) if isinstance(node, _FUNCTIONS)), None)


def _names_of(target, position):
    if isinstance(target, (ast.Tuple, ast.List)):
        is_there = isinstance(position, int) and position < len(target.elts)
        return _names_of(target.elts[position], None) if is_there else []
    if isinstance(target, ast.Subscript):
        return _text_of(getattr(target.slice, "value", target.slice))
    if position is not None:
        # A list of several: its name is that of none of them.
        return []
    if isinstance(target, ast.Attribute):
        return [target.attr]
    return [target.id] if isinstance(target, ast.Name) else []


def _text_of(node):
    value = node if isinstance(node, str) else getattr(node, "value", None)
    return [value] if isinstance(value, str) else []


def _returned(function, names, position):
    """Whether a function gives back what it calls so, and at which position of what it returns."""
    for node in ast.walk(function) if function is not None and names else ():
        value = node.value if isinstance(node, ast.Return) else None
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        for at, part in enumerate(parts):
            if isinstance(part, ast.Name) and part.id in names:
                return True, position if part is value else at
    return False, None


def names_of_loader(stack, classes, turn):
    """What the author calls the loader that this stack makes, from where it is made outwards, and functions that give it back."""
    # A class of the author's own is made where its constructor is called.
    frames = [frame for frame in stack.authors if not frame.is_constructor]
    names, returning = [], []
    # What the author called is the constructor, or a library's function.
    callee, position, is_hidden = classes.union(stack.functions[-1:]), None, False
    for at, frame in enumerate(frames):
        if at > 0 and not frame.is_direct:
            break
        if not is_hidden:
            found = landing(frame, callee, turn, position)
            names += found.names
            position = found.position
        # The statement around a comprehension has been read with it.
        is_hidden = frame.function in _HIDDEN
        callee = (frame.function,)
        if found.is_returned and not is_hidden:
            returning.append(frame.function)
        elif not is_hidden:
            break
    return names, returning


def names_of_iterated(frame):
    """What the author calls that which a loop of this frame goes over."""
    tree = _tree(frame.file)
    path = tree and _path(tree, frame.line, lambda n: isinstance(n, (ast.For, ast.AsyncFor)) and n.lineno == frame.line)
    if not path:
        return []
    names = []

    def down(node):
        if isinstance(node, ast.Call):
            for part in node.args:
                down(part)
        elif isinstance(node, ast.Name):
            names.append(node.id)
        elif isinstance(node, ast.Attribute):
            names.append(node.attr)
        elif isinstance(node, ast.Subscript):
            names.extend(_text_of(getattr(node.slice, "value", node.slice)))

    down(path[-1].iter)
    return names if len(names) == 1 else []
