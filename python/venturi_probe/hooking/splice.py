"""Calls of the probe inside functions of others, with no frame of the probe around what they call.

A function's own source is compiled anew with the calls in it and replaces its code, in the same function object.
Names, lines and columns stay as they were, so stacks, tracebacks and warnings are those of the program without the probe;
and the code that was there can be put back at any time, while others run it.
"""

import __future__
import ast
import linecache
import sys
import types
from collections import namedtuple
from dis import findlinestarts

#: Stands for the probe's functions until the code is compiled.
_MARK = "\0venturi_probe"
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


class Unfit(Exception):
    """The function cannot be spliced: it has no source, not this source, or lacks what calls are to be put around."""


_NONE = (None, (), None, None, None, None, {}, {}, None, False)


class Calls(namedtuple("Calls", "enter becomes leave done fail value around loops inside is_any", defaults=_NONE)):
    """What is called from where in a function. A call is (function, names to hand it the values of …), where a name may
    be dotted.

    `enter`: first of all; the values it gives are assigned to `becomes`, where there are any. `leave`: last of all, however it ends.
    `done` and `fail`: before that, where it returns, and where an exception passes out of it. `value`: is handed every value returned, and gives it back.
    `around`: dotted name of a callee → (before, after): `before` is handed the first argument, `after` the result, and both
    give it back. `loops`: dotted name of what is looped over → a call that is handed it and gives what to loop over; with
    `inside`, only loops in whose body that name is subscripted. All of these must be found, with `is_any` one callee.
    """


class Splice:
    """A function's code with calls in it, to be put there and taken away again."""

    def __init__(self, function, calls):
        if not isinstance(function, types.FunctionType):
            raise Unfit("not a function of Python's own")
        self.function = function
        self.original = function.__code__
        self.code = _spliced(function, calls)

    def put(self):
        if self.function.__code__ is self.original:
            self.function.__code__ = self.code

    def take(self):
        if self.function.__code__ is self.code:
            self.function.__code__ = self.original


def _spliced(function, calls):
    code = function.__code__
    text, headers, tree = _source(function)
    # Whether this is the source it was made from, tried on the code without any call.
    if _outline(_compiled(tree, headers, code)) != _outline(code):
        raise Unfit("the source is another one")
    tree = definition = ast.parse(text)
    for _ in range(headers + 1):
        definition = definition.body[0]
    probe = types.ModuleType("venturi_probe.spliced")
    _Splicer(calls, probe).splice(definition)
    return _with_probe(_compiled(tree, headers, code), probe)


def _source(function):
    """The function's lines below headers that give it the scopes it was made in; the number of those, and the tree of it all."""
    code = function.__code__
    lines = _lines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    if not lines:
        raise Unfit("no source")
    headers = []
    free = ", ".join(name for name in code.co_freevars if name != "__class__")
    for scope in getattr(code, "co_qualname", function.__qualname__).split(".")[:-1]:
        if scope == "<locals>":
            headers[-1] = headers[-1].replace("class ", "def ").replace(":", "(%s):" % free)
        else:
            headers.append("%sclass %s:\n" % (" " * len(headers), scope))
    depth = _depth(lines[0])
    is_decorated = True
    for end in range(len(lines) + 1):
        # It may end where a line below its name stands no deeper than its first, and does end where that makes sense.
        if end < len(lines):
            if _depth(lines[end]) > depth or lines[end].lstrip().startswith(_BRACKETS):
                continue
            if is_decorated:
                is_decorated = not lines[end].lstrip().startswith(("def ", "async "))
                continue
        if not is_decorated:
            text = "".join(headers + lines[:end])
            try:
                return text, len(headers), ast.parse(text)
            except SyntaxError:
                pass
    raise Unfit("no function in its source")


def _lines(file, names):
    """The file's lines. What Python keeps of files stays as it was."""
    is_kept = file in linecache.cache
    lines = linecache.getlines(file, names)
    if not is_kept:
        linecache.cache.pop(file, None)
    return lines


_BRACKETS = (")", "]", "}")


def _depth(line):
    rest = line.lstrip()
    # Empty lines end nothing.
    return len(line) - len(rest) if rest else sys.maxsize


def _compiled(tree, headers, code):
    """The code of the function in the tree, with its name and lines those of `code`."""
    ast.increment_lineno(tree, code.co_firstlineno - 1 - headers)
    try:
        found = [compile(tree, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)]
    except (SyntaxError, ValueError) as error:
        raise Unfit(str(error))
    for one in found:
        if one.co_name == code.co_name and one.co_firstlineno == code.co_firstlineno and one.co_flags & 2:
            return one
        found.extend(const for const in one.co_consts if isinstance(const, types.CodeType))
    raise Unfit("the source has no such function")


def _outline(code):
    """All that code is made of but its instructions: of those, some depend on what the module around it imports."""
    consts = [_outline(const) if isinstance(const, types.CodeType) else (type(const), const) for const in code.co_consts]
    variables = code.co_varnames, code.co_freevars, code.co_cellvars, code.co_names
    lines = sorted({line for _, line in findlinestarts(code)} - {None})
    return code.co_name, code.co_flags, code.co_argcount, code.co_kwonlyargcount, variables, consts, lines


def _with_probe(code, probe):
    consts = []
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            const = _with_probe(const, probe)
        consts.append(probe if type(const) is str and const == _MARK else const)
    return code.replace(co_consts=tuple(consts))


def _dotted(node):
    """`a.b.c` of a name or an attribute, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else "%s.%s" % (inner, node.attr)
    return None


class _Splicer(ast.NodeTransformer):
    def __init__(self, calls, probe):
        self.calls = calls
        self.probe = probe
        self.missing = set(calls.around) | set(calls.loops)
        self.depth = 0

    def splice(self, definition):
        body = definition.body
        first = 1 if ast.get_docstring(definition, clean=False) is not None else 0
        rest = [self.visit(statement) for statement in body[first:]]
        if self.missing and not (self.calls.is_any and len(self.missing) < len(self.calls.around)):
            raise Unfit("no %s in it" % ", ".join(sorted(self.missing)))
        calls = self.calls
        start, end = body[min(first, len(body) - 1)], body[-1]
        if calls.done is not None:
            rest.append(self._statement(calls.done, end))
        if calls.fail is not None:
            handler = ast.ExceptHandler(
                type=None, name=None, body=[self._statement(calls.fail, end), self._at(ast.Raise(), end)]
            )
            rest = [self._try(rest, [self._at(handler, end)], [])]
        if calls.leave is not None:
            rest = [self._try(rest, [], [self._statement(calls.leave, end)])]
        if calls.enter is not None:
            rest.insert(0, self._entrance(start))
        definition.body = body[:first] + rest

    def visit_FunctionDef(self, node):
        self.depth += 1
        node = self.generic_visit(node)
        self.depth -= 1
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_Return(self, node):
        node = self.generic_visit(node)
        if self.depth > 0 or (self.calls.value is None and self.calls.done is None):
            return node
        value = node.value if node.value is not None else self._at(ast.Constant(value=None, kind=None), node)
        if self.calls.value is not None:
            value = self._call(self.calls.value, node, value)
        if self.calls.done is not None:
            pair = self._at(ast.Tuple(elts=[value, self._call(self.calls.done, node)], ctx=ast.Load()), node)
            value = self._at(ast.Subscript(value=pair, slice=self._first(node), ctx=ast.Load()), node)
        node.value = value
        return node

    def _first(self, origin):
        zero = self._at(ast.Constant(value=0, kind=None), origin)
        return self._at(ast.Index(value=zero), origin) if sys.version_info < (3, 9) else zero

    def visit_Call(self, node):
        node = self.generic_visit(node)
        name = _dotted(node.func)
        if name not in self.calls.around or not node.args:
            return node
        self.missing.discard(name)
        before, after = self.calls.around[name]
        argument = node.args[0]
        if isinstance(argument, ast.Starred):
            argument.value = self._call(before, node, argument.value)
        else:
            node.args[0] = self._call(before, node, argument)
        return self._call(after, node, node)

    def visit_Await(self, node):
        # What is awaited is not done when its call returns.
        self.generic_visit(node.value if isinstance(node.value, ast.Call) else node)
        return node

    def visit_For(self, node):
        node = self.generic_visit(node)
        return self._loop(node, node.body)

    def visit_ListComp(self, node):
        node = self.generic_visit(node)
        self._loop(node.generators[0], [node.elt])
        return node

    def _loop(self, node, body):
        name = _dotted(node.iter)
        inside = self.calls.inside
        if name not in self.calls.loops or not (inside is None or any(_is_subscripted(part, inside) for part in body)):
            return node
        self.missing.discard(name)
        node.iter = self._call(self.calls.loops[name], node.iter, node.iter)
        return node

    def _entrance(self, origin):
        call = self._call(self.calls.enter, origin)
        names = [self._at(ast.Name(id=name, ctx=ast.Store()), origin) for name in self.calls.becomes]
        if not names:
            return self._at(ast.Expr(value=call), origin)
        target = self._at(ast.Tuple(elts=names, ctx=ast.Store()), origin)
        return self._at(ast.Assign(targets=[target], value=call, type_comment=None), origin)

    def _statement(self, call, origin):
        return self._at(ast.Expr(value=self._call(call, origin)), origin)

    def _call(self, call, origin, *values):
        """A call of the probe's function, as an attribute of what will replace the mark."""
        function, names = call[0], call[1:]
        setattr(self.probe, function.__name__, function)
        probe = self._at(ast.Constant(value=_MARK, kind=None), origin)
        attribute = self._at(ast.Attribute(value=probe, attr=function.__name__, ctx=ast.Load()), origin)
        given = [self._value(name, origin) for name in names]
        return self._at(ast.Call(func=attribute, args=list(values) + given, keywords=[]), origin)

    def _value(self, name, origin):
        """The variable, or the attribute of one, of a dotted name."""
        first, *rest = name.split(".")
        node = self._at(ast.Name(id=first, ctx=ast.Load()), origin)
        for attribute in rest:
            node = self._at(ast.Attribute(value=node, attr=attribute, ctx=ast.Load()), origin)
        return node

    def _try(self, body, handlers, final):
        return self._at(ast.Try(body=body, handlers=handlers, orelse=[], finalbody=final), body[0])

    @staticmethod
    def _at(node, origin):
        return ast.copy_location(node, origin)


def _is_subscripted(tree, name):
    return any(isinstance(node, ast.Subscript) and _dotted(node.value) == name for node in ast.walk(tree))
