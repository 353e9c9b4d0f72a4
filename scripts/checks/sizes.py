"""Limits on the length of files and functions, with exceptions in scripts/limits-exceptions.txt."""

import ast
import re

SOURCE_LINES = 600
HEADER_LINES = 400
FUNCTION_LINES = 100
EXCEPTIONS = "scripts/limits-exceptions.txt"
OTHER_SOURCES = (".py", ".js", ".cuh", ".cu", ".inc", ".sh")


def exceptions(tree):
    """{path or path:function: (limit, reason)} and complaints about lines that say less."""
    found, complaints = {}, []
    if EXCEPTIONS not in tree.files:
        return found, complaints
    for number, line in enumerate(tree.text(EXCEPTIONS).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(None, 2)
        if len(fields) < 3 or not fields[1].isdigit():
            complaints.append(f"{EXCEPTIONS}:{number}: wanted: path[:function] limit reason")
        else:
            found[fields[0]] = (int(fields[1]), fields[2])
    return found, complaints


def file_sizes(tree):
    """Sources end at 600 lines, headers at 400."""
    allowed, complaints = exceptions(tree)
    for name in tree.files:
        header = name.endswith((".h", ".cuh"))
        script = name.startswith("scripts/") and "." not in name.rsplit("/", 1)[1]
        if not (header or script or name.endswith((".cc",) + OTHER_SOURCES)):
            continue
        if name.startswith("tests/text/"):
            continue
        normal = HEADER_LINES if header else SOURCE_LINES
        limit = allowed.get(name, (normal, ""))[0]
        lines = tree.text(name).count("\n")
        if lines > limit:
            complaints.append(f"{name}: {lines} lines, the limit is {limit}; split it by idea")
        elif name in allowed and lines <= normal:
            complaints.append(f"{EXCEPTIONS}: {name} needs no exception any more")
    for key in allowed:
        if key.split(":")[0] not in tree.files:
            complaints.append(f"{EXCEPTIONS}: {key} does not exist")
    return complaints


def function_sizes(tree):
    """Functions end at 100 lines."""
    allowed, _ = exceptions(tree)
    complaints = []
    for name in tree.files:
        if name.endswith(".py") and not name.startswith("tests/text/"):
            functions = python_functions(tree.text(name))
        elif name in tree.cpp() or name.startswith("bench/") and name.endswith(".cc"):
            functions = cpp_functions(tree.bare_code(name))
        else:
            continue
        for function, line, length in functions:
            limit = allowed.get(f"{name}:{function}", (FUNCTION_LINES, ""))[0]
            if length > limit:
                complaints.append(
                    f"{name}:{line}: {function} has {length} lines, the limit is {limit}"
                )
    return complaints


def python_functions(text):
    try:
        module = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"([~\w]+|operator[^\w\s(]+)\s*\(")


def cpp_functions(code):
    """(name, line, lines) of every function body at namespace or class scope.

    `code` has its comments and literals blanked. A brace opens a scope, a function (it follows a
    parameter list outside of functions) or anything else.
    """
    code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", "", code, flags=re.MULTILINE)
    stack = []  # (kind, name, offset of the head)
    head = 0
    for match in re.finditer(r"[{};]|\b(?:public|private|protected)\s*:(?!:)", code):
        token, offset = match[0], match.start()
        if token == "{":
            text = code[head:offset]
            if any(kind != "scope" for kind, _, _ in stack):
                kind = "inner"
            elif SCOPE.search(text) and not re.search(r"\)\s*(const|noexcept|override|final)*\s*$",
                                                      text):
                kind = "scope"
            else:
                kind = "function" if NAME.search(text) else "inner"
            found = NAME.search(text)
            stack.append((kind, found[1] if found else "", head + leading_space(text)))
        elif token == "}" and stack:
            kind, name, start = stack.pop()
            if kind == "function":
                first = code.count("\n", 0, start) + 1
                yield name, first, code.count("\n", 0, offset) + 2 - first
        if not any(kind != "scope" for kind, _, _ in stack):
            head = match.end()


def leading_space(text):
    return len(text) - len(text.lstrip())


RULES = (file_sizes, function_sizes)
