"""The native parser against Python's own, over written programs, damaged ones and real files."""

import os
import pathlib
import random
import re
import subprocess
import sys
import sysconfig
import warnings

import pytest

import syntax_oracle

ROOT = pathlib.Path(__file__).resolve().parents[2]

# One construct or corner per entry.
ACCEPTED = [
    "", "\n", "# c", "pass", "pass;", "a; b;\n", "\ufeffa", "a\r\nb\rc", "if a:\n\tb\n\tc\nd",
    "\\\na", "  \\\n\nb", "if a:\n  \\\n  b", "\f\na", "a\f", "x = \\\n  1", "(a\n)", "[\n\n# c\n]",
    # literals
    "1_000, 0xFF, 0o17, 0b1_0, 1., .5, 1e5, 1_0e-1_0, 1j, 0, 00, 0_0, 1if a else 2",
    "18446744073709551615, 18446744073709551616, 1e999, 1e-999, 123456789.123456789e-300",
    "'a' \"b\" '''c\nd''' r'\\n' u'e'", "rb'\\x' b'b'", "b'a' b'\\xff\\400'", "f'{a!r:>{w}}' 'b'",
    r"'\n\t\\\'\"\x41\101\u010d\U0001F600\q\
z'", "''", "''''''", "'a' 'b'\\\n'c'", "('a'\n'b')", "None, True, False, ...",
    # names
    "č = ñ + 变量", "match = case = _ = type = 1", "match(a)", "match[a]", "match.a", "match * a",
    "match\n", "match: int", "type(a)", "print", "_soft_",
    # operators
    "a + b - c * d / e // f % g @ h", "-a ** -b ** c", "+-~a", "not a == b", "not not a",
    "a or b and not c or d", "a < b <= c == d != e > f >= g is h is not i in j not in k",
    "a | b ^ c & d << e >> f", "(a) + (b)", "((a))", "a if b else c if d else e", "a == (not b)",
    "await_ + 1", "a @ b ** c", "a ** b if c else d", "(a or b) and c", "a < (b < c)",
    # calls, attributes, subscripts
    "a.b.c(d)(e)[f].g", "f()", "f(a,)", "f(*a, b, *c)", "f(a, b=1, *c, **d, e=2)", "f(a := 1, b)",
    "f(x for x in y)", "f((x for x in y), 1)", "f(a)(b for b in c)", "a[b]", "a[b,]", "a[b, c]",
    "a[:]", "a[1:]", "a[:2]", "a[::3]", "a[1:2:3, ..., None]", "a[b:=1]", "a[(b:=1):2]", "a[*b]",
    "a[*b, c]", "a[()]", "1 .real", "1..real", "'a'.b", "(yield_)", "a\n.b" if False else "(a\n.b)",
    # displays
    "()", "(a,)", "(a, b)", "(a, *b)", "[]", "[a]", "[a, *b,]", "{}", "{a}", "{a, *b,}", "{a: b}",
    "{a: b, **c, d: e,}", "{**a}", "{a := 1, 2}", "[a := 1]", "[a for a in b]", "{a for a in b}",
    "{a: b for a, b in c}", "(a for a in b if c if d for e in f)", "[a for a, in b]",
    "[a for a in b or c]", "[(a, b) for a in b]", "[a for a.b in c]", "[lambda: a for a in b]",
    "[a if b else c for a in b if d]", "[a for *b, c in d]", "[a async for a in b]",
    # lambda, named, starred
    "lambda: a", "lambda a, /, b=1, *c, d, e=2, **f: a", "lambda *, a: a", "lambda *a: (yield)",
    "(a := b)", "(a := b, c)", "*a, b", "*a", "x = *a, b", "lambda: (a := 1)",
    # assignments
    "a = b = c", "a, b = c", "a, = b", "(a, b), [c, *d] = e", "a.b = c[d] = e", "(a) = 1",
    "[] = a", "() = a", "*a, b = c", "a: b", "a: b = c", "a.b: c", "a[b]: c = d", "(a): b",
    "a: b = yield", "a: b = c, d", "a += 1", "a.b -= c", "a[b] @= c", "a >>= yield", "a = yield b",
    "a **= 2; b //= 3; c %= 4; d &= 5; e |= 6; f ^= 7; g <<= 8; h /= 9; i *= 1",
    # simple statements
    "return", "return a, *b", "raise", "raise a", "raise a from b", "assert a", "assert a, b",
    "del a", "del a, b.c, d[e]", "del (a, b), [c]", "del (a)", "global a, b", "nonlocal a",
    "import a", "import a.b.c as d, e", "import a . b", "from a import b", "from a import (b, c as d,)",
    "from . import a", "from .a.b import *", "from ... import a", "from .... a import b",
    "yield", "yield a, b", "yield from a", "await a", "x = await a.b(c)", "break", "continue",
    # compound statements
    "if a: b", "if a:\n b\nelif c:\n d\nelif e: f\nelse:\n g", "if a:\n b\nelse:\n if c: d",
    "if a := b: c", "while a:\n b\nelse: c", "for a in b: c", "for a, b in c, d: e",
    "for *a, b in c: d", "for a, in b: c", "for a.b in c: d", "for a[b] in c:\n d\nelse:\n e",
    "for (a) in b: c", "for a in *b, c: d", "with a: b", "with a as b, c as (d, e): f",
    "with (a as b, c as d,): e", "with (a, b): c", "with (a, b) as c: d", "with (a).b as c: d",
    "with (a for a in b): c", "with (yield): a", "with (a := b): c", "with (a), (b): c",
    "with (a, *b): c", "with (a): b", "with ((a, b)): c", "with () as a: b", "with a as b.c: d",
    "try: a\nfinally: b", "try: a\nexcept: b", "try: a\nexcept B as c: d\nexcept (E, F): g\nelse: h",
    "try:\n a\nexcept* B as c:\n d\nfinally:\n e", "def f(): pass", "async def f(): await a",
    "def f(a, b: c = d, /, e=1, *f: g, h, i: j = 2, **k: l) -> m: pass", "def f(*, a): pass",
    "def f(*a: *b): pass", "def f(a, /): pass", "def f(a,): pass", "def f(**a,): pass",
    "def f(*a, **b): pass", "def f() -> (yield): pass", "@a\n@b.c(d)\ndef f(): pass",
    "@a\n\n# c\nclass B: pass", "@a[b] + c\ndef d(): pass", "@(a := b)\nclass C: pass",
    "@a\nasync def f(): pass", "class A: pass", "class A(): pass", "class A(B, *C, d=E, **F): pass",
    "async def f():\n async for a in b: c\n async with d as e: g",
    "match a:\n case 1: b\n case [c, *_]:\n  d\n  if e:\n   f\nx", "match a, b:\n case _: pass",
    "match (a):\n case {'b': c, **d} if e: pass", "match -a:\n case B(c=1) | None as d: pass",
    "match *a, b:\n case _: pass", "match match:\n case case: pass", "if a:\n match b:\n  case c: d",
    "def f():\n    '''doc\n    text'''\n    return 1 # c\n  # d\n\n\nx", "if a:\n    b\n# c\n    d",
    "class A:\n  def f(self): return 1\n  x: int = 2\n  @p\n  def g(self): pass\ny",
]  # fmt: skip

# What both refuse.
REFUSED = [
    "a b", "a = ", "= a", "a +", "(", ")", "(a]", "a)", "[a", "a = = b", "a == = b", "x := 1",
    "a := b = c", "f(a b)", "f(a=1, b)", "f(**a, b)", "f(**a, *b)", "f(a.b=1)", "f(True=1)",
    "f(a for a in b, c)", "f(c, a for a in b)", "f(a for a in b,)", "f(a=b for b in c)",
    "class A(a for a in b): pass", "f(*a for a in b)", "f(a=b:=1)", "f((a)=1)",
    "1 = a", "None = a", "f() = a", "a + b = c", "(a, 1) = b", "a = 1 = b", "a < b = c", "'a' = b",
    "lambda: a = b", "a if b else c = d", "{a} = b", "[a for a in b] = c", "(yield) = a", "-a = b",
    "a, b += c", "(a, b): c", "[a]: b", "a, b: c", "f() += 1", "a: b: c", "a: ", "a: b =",
    "del f()", "del *a", "del", "del a + b", "del (a, 1)", "for f() in a: b", "for 1 in a: b",
    "for a b: c", "for a in: b", "for in a: b", "for a in b c", "with a as 1: b", "with: a",
    "with a as f(): b", "with (a as b) as c: d", "with (a as b, c as d): e f", "with a, : b",
    "if a\n b", "if a:\nb", "if a: if b: c", "if: a", "else: a", "elif a: b", "if a: b\nelse if c: d",
    "while a", "try: a", "try: a\nelse: b", "except: a",
    "try: a\nexcept* B: c\nexcept D: e", "try: a\nexcept*: b", "try: a\nexcept B, C: d",
    "try: a\nfinally: b\nexcept C: d", "def f: pass", "def f(: pass", "def f(a b): pass",
    "def (a): pass", "def f(a=1, b): pass", "def f(*): pass", "def f(*, **a): pass",
    "def f(**a, b): pass", "def f(*a, *b): pass", "def f(/): pass", "def f(a, /, b, /): pass",
    "def f(*a, /): pass", "def f(*a=1): pass", "def f(**a=1): pass", "def f(a.b): pass",
    "def f(1): pass", "def f((a, b)): pass", "def f(a) -> : pass", "def f(a: *b): pass",
    "def f(*, ): pass", "lambda a: ", "lambda (a): b", "lambda a=1, b: c", "lambda *: a",
    "lambda: yield", "def None(): pass", "class for: pass", "class A(B: pass", "@a", "@a\nb", "@\n",
    "@a def f(): pass", "async a", "async", "async while a: b", "import", "import a.", "import a as",
    "import a as b.c", "import (a)", "from a", "from a import", "from import a", "from a import b,",
    "from a import (b", "from a import ()", "from a import *, b", "from a import (*)",
    "from . a . import b", "global", "global a.b", "nonlocal 1", "raise from a", "raise a from",
    "assert", "assert a, ", "return = 1", "yield = 1", "break a", "pass pass", "await", "f(await)",
    "x = 1 + yield", "a + yield", "return yield", "[yield]", "a[yield]", "f(yield)",
    "a if b", "a if b else", "a if else b", "if b else c", "not", "a not b", "a is is b", "a in in b",
    "a == not b", "-not a", "a ** not b", "a <> b", "a ! b", "a ? b", "$a", "a && b", "a || b",
    "a++", "++", "*", "**a", "(*a)", "(**a)", "[**a]", "{a: *b}", "{*a: b}", "{**a for a in b}",
    "{a: b, c}", "{a, b: c}", "{a: b for a in b, c}", "{a:}", "{:a}", "{**}", "[*a for a in b]",
    "[a, b for a in b]", "[for a in b]", "[a for a b]", "[a for a in]", "[a for a in b if]",
    "[a for a in b if c else d]", "[a for f() in b]", "[a for a in b, c]", "[a for a in lambda: b]",
    "(a, b for a in c)", "(a b)", "(,)", "[,]", "{,}", "(a,,)", "f(,)", "f(a,,)", "a[]", "a[,]",
    "a[b:c:d:e]", "a[b:=1:2]", "a[*b:c]", "a.", "a.1", "a.(b)", ".a", "a..b", "a.None", "a.b c",
    "1_", "1__0", "0x", "0xg", "0b2", "0o8", "0777", "08", "1a", "1e+", "1_j", "1.a", "1._0", "1.e",
    "'a", "'''a", "b'é'", "'a' b'b'", "'\\x4'", "'\\u12'", "'\\U00110000'", "b'\\x4'",
    "ur'a'", "fb'a'", "  a", "if a:\n  b\n c", "if a:\n  b\n    c", "a\n  b", "if a:\n\tb\n        c",
    "if a:\n        b\n\tc", "\\ a", "a \\", "a \\ # c\nb", "a\x01", "“a”", "a\xa0b", "print a",
    "exec 'a'", "match a:\n  b", "match:\n case a: b", "match a: case b: c", "def f[: pass",
    "case 1: pass", "a;;b", ";", "a: b; : c", "(a", "{a", "((a)", "f(a", "a[b", "x = (1,\ndef f(): a",
    "lambda x: (yield", "for", "while", "class", "def", "with", "try", "if", "try:", "a = (yield",
]  # fmt: skip


def tool() -> str:
    command = os.environ.get("TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry"))
    path = pathlib.Path(command).parent / "tf_syntax_dump"
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} is missing: build the preset's tests")
    return str(path)


def native(paths) -> list[str]:
    """One line per file; the parser runs on a small stack, as every user's thread may have."""
    lines = "".join(f"{path}\n" for path in paths)
    done = subprocess.run(
        ["sh", "-c", f"ulimit -S -s 1024 && exec {tool()}"], input=lines, text=True,
        stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def expected(source: bytes) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f"ok {syntax_oracle.dump(source)}".strip()
        except (SyntaxError, ValueError) as error:
            return f"error {error}"


# Refused on purpose: names that are not in NFKC, characters by name.
STRICTER = re.compile(r"TF1012 |TF1013 \S+ characters cannot be written by name")
# Not looked into, because the language refuses the whole: f-strings, cases of a `match`; and the
# `type` statement, which Python has from 3.12 on.
LOOSER = re.compile(r"\((TypeAlias|Match|JoinedStr)@")


def differences(paths, at_most=5) -> list[str]:
    found = []
    for path, got in zip(paths, native(paths), strict=True):
        try:
            want = expected(pathlib.Path(path).read_bytes())
        except syntax_oracle.Skip:
            continue
        if want.startswith("error") and got.startswith("error"):
            continue
        looser = want.startswith("error") and LOOSER.search(got)
        if want == got.strip() or looser or STRICTER.search(got):
            continue
        i = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), 0)
        i = max(0, i - 60)
        found.append(f"{path}\n  want {want[i : i + 160]}\n  got  {got[i : i + 160]}")
        if len(found) == at_most:
            break
    return found


def write(folder, sources) -> list[pathlib.Path]:
    paths = []
    for i, source in enumerate(sources):
        paths.append(folder / f"{i}.py")
        paths[-1].write_bytes(source.encode())
    return paths


def test_accepts_what_python_accepts_with_the_same_tree(tmp_path):
    paths = write(tmp_path, ACCEPTED)
    refused = [s for s in ACCEPTED if expected(s.encode()).startswith("error")]
    assert not refused, "the list itself is wrong"
    assert not differences(paths)


def test_refuses_what_python_refuses(tmp_path):
    paths = write(tmp_path, REFUSED)
    accepted = [s for s in REFUSED if expected(s.encode()).startswith("ok")]
    assert not accepted, "the list itself is wrong"
    assert not differences(paths)


def damaged(count, seed):
    """Programs with one or two tokens dropped, doubled, replaced or moved."""
    rng = random.Random(seed)
    pieces = re.compile(r"\w+|\s+|[^\w\s]")
    pool = [p for s in ACCEPTED + REFUSED for p in pieces.findall(s)]
    for _ in range(count):
        text = "\n".join(rng.choices(ACCEPTED, k=rng.choice([1, 1, 2])))
        for _ in range(rng.choice([1, 1, 2])):
            spans = [m.span() for m in pieces.finditer(text)] or [(0, 0)]
            begin, end = rng.choice(spans)
            kind = rng.randrange(4)
            if kind == 0:
                text = text[:begin] + text[end:]
            elif kind == 1:
                text = text[:begin] + rng.choice(pool) + text[end:]
            elif kind == 2:
                text = text[:begin] + rng.choice(["", " "]) + rng.choice(pool) + text[begin:]
            else:
                other_begin, other_end = rng.choice(spans)
                text = text[:begin] + text[other_begin:other_end] + text[end:]
        yield text


@pytest.mark.parametrize("seed", [int(os.environ.get("TILEFOUNDRY_TEST_SEED", "7"))])
def test_agrees_with_python_on_damaged_programs(tmp_path, seed):
    count = int(os.environ.get("TILEFOUNDRY_TEST_DAMAGED", "4000"))
    assert not differences(write(tmp_path, damaged(count, seed)))


def test_reads_the_standard_library_as_python_does():
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    pattern = "**/*.py" if os.environ.get("TILEFOUNDRY_TEST_ALL") else "*.py"
    paths = sorted(library.glob(pattern))
    assert len(paths) > 100
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20000)
    try:
        assert not differences(paths)
    finally:
        sys.setrecursionlimit(limit)
