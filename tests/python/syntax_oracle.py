"""Python's own syntax tree of a file, in the text that `dump_syntax` writes.

What the native parser does on purpose beyond or beside Python's shows here as `Skip`.
"""

import ast
import re
import struct

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
    ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip


class Skip(Exception):
    """The file holds something that the native parser refuses on purpose."""


def _last_statement(node):
    """Python lets a block end after a trailing semicolon; here it ends with its statement."""
    if isinstance(node, ast.stmt | ast.ExceptHandler) and not isinstance(node, ast.Match):
        for field in ("finalbody", "orelse", "handlers", "body"):
            if getattr(node, field, None):
                return _last_statement(getattr(node, field)[-1])
    return node


class Dumper:
    def __init__(self, source: bytes):
        self.source = source
        bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        ends = [m.end() for m in re.finditer(rb"\r\n|\r|\n", source)]
        self.starts = [bom] + ends

    def at(self, node) -> str:
        begin = self.starts[node.lineno - 1] + node.col_offset
        last = _last_statement(node)
        end = self.starts[last.end_lineno - 1] + last.end_col_offset
        return f"@{begin}-{end}"

    def list(self, nodes) -> str:
        return "[" + " ".join(self.node(n) for n in nodes) + "]"

    def node(self, node) -> str:
        if node is None:
            return "-"
        kind = type(node).__name__
        method = getattr(self, kind, None)
        if method is None:
            parts = [self.part(getattr(node, f)) for f in node._fields if f not in _UNUSED]
        else:
            kind, parts = method(node)
        return "(" + " ".join([kind + self.at(node), *parts]) + ")"

    def part(self, value) -> str:
        if isinstance(value, list):
            return self.list(value)
        if value is None or isinstance(value, ast.AST) and not isinstance(value, tuple(_OPERATORS)):
            return self.node(value)
        return _OPERATORS.get(type(value)) or str(value)

    # --- expressions ---

    def Constant(self, node):
        value = node.value
        if value is None or isinstance(value, bool):
            return "Constant", [repr(value)]
        if value is ...:
            return "Constant", ["Ellipsis"]
        if isinstance(value, int):
            return "Int", [str(value) if value < 2**64 else "big"]
        if isinstance(value, float):
            return "Float", [struct.pack(">d", value).hex()]
        if isinstance(value, complex):
            return "Imaginary", []
        if isinstance(value, bytes):
            return "Bytes", [f'"{value.hex()}"']
        try:
            return "Str", [f'"{value.encode().hex()}"']
        except UnicodeEncodeError:
            raise Skip("a surrogate") from None

    def JoinedStr(self, node):
        return "JoinedStr", []

    def Tuple(self, node):
        return type(node).__name__, [self.list(node.elts)]

    List = Set = Tuple

    def Dict(self, node):
        pairs = [f"{self.node(k)} {self.node(v)}" for k, v in zip(node.keys, node.values)]
        return "Dict", ["[" + " ".join(pairs) + "]"]

    def clauses(self, node):
        return "[" + " ".join(
            f"({'async' if g.is_async else 'for'} {self.node(g.target)} {self.node(g.iter)}"
            f" {self.list(g.ifs)})"
            for g in node.generators
        ) + "]"  # fmt: skip

    def ListComp(self, node):
        return type(node).__name__, [self.node(node.elt), self.clauses(node)]

    SetComp = GeneratorExp = ListComp

    def DictComp(self, node):
        return "DictComp", [self.node(node.key), self.node(node.value), self.clauses(node)]

    def Compare(self, node):
        steps = [
            f"{_OPERATORS[type(o)]} {self.node(c)}" for o, c in zip(node.ops, node.comparators)
        ]
        return "Compare", [self.node(node.left), "[" + " ".join(steps) + "]"]

    def Slice(self, node):
        return "Bounds", [self.node(part) for part in (node.lower, node.upper, node.step)]

    def Lambda(self, node):
        return "Lambda", [self.parameters(node.args), self.node(node.body)]

    def Call(self, node):
        return "Call", [self.node(node.func), self.arguments(node.args, node.keywords)]

    def arguments(self, positional, keywords):
        both = sorted([*positional, *keywords], key=lambda n: (n.lineno, n.col_offset))
        return self.list(both)

    def keyword(self, node):
        return "keyword", [node.arg or "-", self.node(node.value)]

    def parameters(self, args):
        positional = [("posonly", a) for a in args.posonlyargs] + [("arg", a) for a in args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
        items = [(kind, a, d) for (kind, a), d in zip(positional, defaults)]
        if args.vararg:
            items.append(("vararg", args.vararg, None))
        items += [("kwonly", a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            items.append(("kwarg", args.kwarg, None))
        return "[" + " ".join(
            f"({kind} {a.arg} {self.node(a.annotation)} {self.node(d)})" for kind, a, d in items
        ) + "]"  # fmt: skip

    # --- statements ---

    def AnnAssign(self, node):
        parts = [node.target, node.annotation, node.value]
        return "AnnAssign", [self.node(p) for p in parts]

    def AugAssign(self, node):
        return "AugAssign", [
            _OPERATORS[type(node.op)], self.node(node.target), self.node(node.value)
        ]  # fmt: skip

    def BinOp(self, node):
        return "BinOp", [_OPERATORS[type(node.op)], self.node(node.left), self.node(node.right)]

    def Global(self, node):
        return type(node).__name__, node.names

    Nonlocal = Global

    def names(self, aliases):
        return "[" + " ".join(f"{a.name} {a.asname or '-'}" for a in aliases) + "]"

    def Import(self, node):
        return "Import", [self.names(node.names)]

    def ImportFrom(self, node):
        star = [a.name for a in node.names] == ["*"]
        names = "*" if star else self.names(node.names)
        return "ImportFrom", [str(node.level), node.module or "-", names]

    def FunctionDef(self, node):
        return type(node).__name__, [
            node.name, self.list(node.decorator_list), self.parameters(node.args),
            self.node(node.returns), self.list(node.body),
        ]  # fmt: skip

    AsyncFunctionDef = FunctionDef

    def ClassDef(self, node):
        return "ClassDef", [
            node.name, self.list(node.decorator_list), self.arguments(node.bases, node.keywords),
            self.list(node.body),
        ]  # fmt: skip

    def If(self, node):
        branches = [f"{self.node(node.test)} {self.list(node.body)}"]
        orelse = node.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If):
            inner = orelse[0]
            begin = self.starts[inner.lineno - 1] + inner.col_offset
            if not self.source[begin:].startswith(b"elif"):
                break
            branches.append(f"{self.node(inner.test)} {self.list(inner.body)}")
            orelse = inner.orelse
        return "If", ["[" + " ".join(branches) + "]", self.list(orelse)]

    def For(self, node):
        return type(node).__name__, [
            self.node(node.target), self.node(node.iter), self.list(node.body),
            self.list(node.orelse),
        ]  # fmt: skip

    AsyncFor = For

    def With(self, node):
        items = [f"{self.node(i.context_expr)} {self.node(i.optional_vars)}" for i in node.items]
        return type(node).__name__, ["[" + " ".join(items) + "]", self.list(node.body)]

    AsyncWith = With

    def ExceptHandler(self, node):
        return "except", [self.node(node.type), node.name or "-", self.list(node.body)]

    def Match(self, node):
        return "Match", [self.node(node.subject)]


_UNUSED = {"ctx", "type_comment", "kind", "type_ignores", "simple"}


def dump(source: bytes) -> str:
    """The expected dump; raises what `ast.parse` raises, or `Skip`."""
    tree = ast.parse(source)
    dumper = Dumper(source)
    return " ".join(dumper.node(statement) for statement in tree.body)
