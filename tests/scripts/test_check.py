"""Every rule of scripts/check refuses a fixture that breaks it and passes one that does not."""

import runpy
import subprocess

import pytest
from checks import conformance, includes, mutations, ops, sizes, text, tools
from checks.tree import Tree, blank

LAYERS = "# a comment\nsupport\nir\nrelation\nregistry\ntarget\npasses\nops\nfrontend\ncodegen\n"


@pytest.fixture
def tree(tmp_path):
    """make(files) writes files into a fresh checkout with layers and returns its Tree."""

    def make(files):
        for name, content in {"scripts/layers.txt": LAYERS, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return Tree(tmp_path)

    return make


def include(path):
    return f'#include "tilefoundry/{path}"\n'


BUILDER = 'void register_matmul() { OpClassBuilder<MatMul>("MatMul", tf, "math").alias("dot"); }\n'
FORMAT = {".clang-format": "BasedOnStyle: Google\n"}
MUTATION = """[ir-b]
file: tilefoundry/ir/a.cc
search: int a = 1;
search: int b = 2;
replace: int b = 3;
test: tf_ir_test
"""
ROWS = {"docs/requirements.txt": "V1 | 4 | it types\nP2 | 1 | it passes\n"}

# rule: (files that pass, files that are refused, a part of the complaint)
FIXTURES = {
    includes.layering: (
        {"tilefoundry/ir/a.cc": include("support/b.h") + include("ir/c.h") + "#include <map>\n"},
        {"tilefoundry/ir/a.cc": "\n" + include("ops/b.h")},
        "tilefoundry/ir/a.cc:2: ir/ may not include tilefoundry/ops/b.h",
    ),
    includes.cost_knows_no_target: (
        {"tilefoundry/ops/a.cc": include("registry/cost.h")},
        {"tilefoundry/ops/a.cc": include("target/cpu.h")},
        "tilefoundry/ops/a.cc:1: ops/ holds cost rules",
    ),
    includes.lowering_interface: (
        {"tilefoundry/codegen/a.cc": include("passes/lowering_abi.h")},
        {"tilefoundry/codegen/a.cc": include("passes/pass_manager.h")},
        "only tilefoundry/passes/lowering_abi.h may be included here",
    ),
    includes.isl_stays_in_relation: (
        {"tilefoundry/relation/a.cc": "#include <isl/map.h>\n"},
        {"tilefoundry/relation/a.h": "#include <isl/map.h>\n"},
        "tilefoundry/relation/a.h:1: only relation/*.cc",
    ),
    includes.costs_live_with_ops: (
        {"tilefoundry/ops/a.cc": "void f() { register_cost(x, y); }\n"},
        {"tilefoundry/codegen/a.cc": "void f() { register_cost(x, y); }\n"},
        "tilefoundry/codegen/a.cc:1: cost rules are registered in ops/",
    ),
    sizes.file_sizes: (
        {"tilefoundry/ir/a.cc": "\n" * 600, "tilefoundry/ir/a.h": "\n" * 400},
        {"tilefoundry/ir/a.cc": "\n" * 601},
        "tilefoundry/ir/a.cc: 601 lines, the limit is 600",
    ),
    sizes.function_sizes: (
        {"tilefoundry/ir/a.cc": "namespace n {\nvoid f() {\n" + "g();\n" * 98 + "}\n}\n"},
        {"tilefoundry/ir/a.cc": "namespace n {\nvoid f() {\n" + "g();\n" * 99 + "}\n}\n"},
        "tilefoundry/ir/a.cc:2: f has 101 lines",
    ),
    text.no_using_namespace: (
        {"tilefoundry/ir/a.cc": "using namespace std;\n"},
        {"tilefoundry/ir/a.h": "using  namespace std;\n"},
        "tilefoundry/ir/a.h:1:",
    ),
    text.pragma_once: (
        {"tilefoundry/ir/a.h": "// What it is.\n#pragma once\n"},
        {"tilefoundry/ir/a.h": "// What it is.\n"},
        "tilefoundry/ir/a.h:1: write #pragma once",
    ),
    text.macros: (
        {"tilefoundry/ir/a.h": "#define TF_CHECK(c) f(c)\n// #define OTHER\n"},
        {"tilefoundry/ir/a.h": "#define OTHER(c) f(c)\n"},
        "no macros: '#define OTHER'",
    ),
    text.machine_paths: (
        {"docs/a.md": "see tilefoundry/work/a.h and https://example.org/home/page\n"},
        {"docs/a.md": "see " + "/ro" + "ot/x, " + "pypi" + ".org\n"},
        "docs/a.md:1: an absolute machine path",
    ),
    text.handlers_fail_through_context: (
        {
            "tilefoundry/ops/a.cc": "void f() { throw InternalError(); }\n",
            "tilefoundry/ir/tir/stmt.cc": "void f() { throw ValueError(d); }\n",
        },
        {"tilefoundry/ir/tir/a.cc": "void f(VerifyContext& c) { throw n::VerifyError(d); }\n"},
        "use ctx.error(node, ...) instead of 'throw n::VerifyError'",
    ),
    text.diagnostics_documented: (
        {"tilefoundry/ir/a.cc": 'auto c = "TF2001";\n', "docs/diagnostics.md": "| TF2001 | m |\n"},
        {"tilefoundry/ir/a.cc": 'auto c = "TF2002";\n', "docs/diagnostics.md": "| TF2001 | m |\n"},
        "TF2002 has no row",
    ),
    ops.schemas_are_found: (
        {"tilefoundry/ops/matmul.cc": BUILDER, "tilefoundry/ops/helper.cc": "int f();\n"},
        {"tilefoundry/ops/matmul.cc": "void register_matmul() {}\n"},
        "tilefoundry/ops/matmul.cc:1: no schema name found",
    ),
    ops.no_op_names: (
        {
            "tilefoundry/ops/matmul.cc": BUILDER,
            "tilefoundry/frontend/a.cc": "// MatMul\nint dot = MatMulLike;\n",
            "tilefoundry/frontend/operators.cc": 'auto x = "dot";\n',
        },
        {
            "tilefoundry/ops/matmul.cc": BUILDER,
            "tilefoundry/passes/a.cc": 'auto x = "dot";\n',
        },
        'tilefoundry/passes/a.cc:1: this folder may not name the op "dot"',
    ),
    ops.every_file_is_registered: (
        {
            "tilefoundry/ops/matmul.cc": BUILDER,
            "tilefoundry/ops/register.cc": "void all() { register_matmul(); }\n",
        },
        {
            "tilefoundry/ops/matmul.cc": BUILDER,
            "tilefoundry/ops/register.cc": "void all() { /* register_matmul(); */ }\n",
        },
        "register_matmul() is not called in tilefoundry/ops/register.cc",
    ),
    ops.files_per_op: (
        {"tilefoundry/ops/matmul.cc": BUILDER, "docs/a.md": "MatMul", "examples/a.py": "MatMul"},
        {"tilefoundry/ops/matmul.cc": BUILDER} | {f"docs/{i}.md": "MatMul" for i in range(8)},
        "MatMul stands in 9 files",
    ),
    mutations.mutations_apply: (
        {"scripts/mutations.txt": MUTATION, "tilefoundry/ir/a.cc": "int a = 1;\nint b = 2;\n"},
        {"scripts/mutations.txt": MUTATION, "tilefoundry/ir/a.cc": "int a = 1;\n"},
        "scripts/mutations.txt:1: ir-b: its text occurs 0 times",
    ),
    tools.formatted: (
        FORMAT | {"tilefoundry/ir/a.cc": "int f() { return 1; }\n"},
        FORMAT | {"tilefoundry/ir/a.cc": "int f(){return 1;}\n"},
        "tilefoundry/ir/a.cc: not formatted",
    ),
    tools.headers_compile_alone: (
        {"tilefoundry/ir/a.h": "#pragma once\n#include <string>\nstd::string f();\n"},
        {"tilefoundry/ir/a.h": "#pragma once\nstd::string f();\n"},
        "tilefoundry/ir/a.h: does not compile alone",
    ),
    tools.conformance_is_fresh: (
        ROWS | {"docs/conformance.md": None},
        ROWS | {"docs/conformance.md": "# Conformance\n"},
        "docs/conformance.md is stale",
    ),
    tools.ops_page_is_fresh: (
        {"docs/ops.md": "# Ops\n"},
        {"docs/README.md": "# Documentation\n"},
        "docs/ops.md is missing",
    ),
}


@pytest.mark.parametrize("rule", FIXTURES, ids=lambda rule: rule.__name__)
def test_the_rule_refuses_its_bad_fixture_and_passes_the_good_one(rule, tree):
    good, bad, complaint = FIXTURES[rule]
    if "docs/conformance.md" in good:
        page = conformance.page(tree(ROWS))
        good = good | {"docs/conformance.md": page}
    passing = tree(good)
    assert rule(passing) == []
    for name in good:
        (passing.root / name).unlink()
    found = rule(tree(bad))
    assert any(complaint in line for line in found), found


def test_every_rule_has_a_fixture(root):
    rules = runpy.run_path(str(root / "scripts" / "check"))["RULES"]
    assert set(rules) == {rule.__name__ for rule in FIXTURES}


def test_a_target_may_include_the_lowering_interface_and_no_more(tree):
    allowed = {"tilefoundry/target/a.cc": include("passes/lowering_abi.h")}
    assert includes.layering(tree(allowed)) == []
    assert includes.layering(tree({"tilefoundry/target/a.cc": include("passes/pass.h")}))


def test_an_unknown_folder_and_a_path_from_elsewhere_are_refused(tree):
    files = {"tilefoundry/new/a.cc": "", "tilefoundry/ir/a.cc": '#include "b.h"\n'}
    assert len(includes.layering(tree(files))) == 2


def test_an_exception_to_a_limit_needs_a_reason_and_a_use(tree):
    listed = {"scripts/limits-exceptions.txt": "tilefoundry/ir/a.cc 700 a table of one thing\n"}
    assert sizes.file_sizes(tree(listed | {"tilefoundry/ir/a.cc": "\n" * 650})) == []
    assert sizes.file_sizes(tree(listed | {"tilefoundry/ir/a.cc": "\n" * 10}))
    _, complaints = sizes.exceptions(tree({"scripts/limits-exceptions.txt": "a.cc 700\n"}))
    assert complaints


CPP = """
#define MACRO(x) { x; }
template <class T>
struct Outer {
  int method(int a) const {
    if (a) { return 1; }
    return 2;
  }
};
static const int kTable[] = {1, 2,
  3};
Outer<int>::Outer()
    : a_(1) {
  const auto f = [] {
    return 1;
  };
}
"""


def test_functions_are_measured_from_head_to_closing_brace():
    found = list(sizes.cpp_functions(blank(CPP, strings=True)))
    assert found == [("method", 5, 4), ("Outer", 12, 6)]


def test_comments_and_literals_are_blanked_in_place():
    source = 'a("// no", \'"\'); /* x\ny */ b(R"(" //)"); // end\n1\'000;'
    blanked = blank(source, strings=True)
    assert blanked.count("\n") == source.count("\n") and len(blanked) == len(source)
    assert "no" not in blanked and "x" not in blanked and "end" not in blanked
    assert "1'000" in blanked and "b(" in blanked
    assert "// no" in blank(source, strings=False)


def test_names_of_tests_show_requirements(tree):
    files = {
        "tilefoundry/ir/a_test.cc": "TEST(Typing, V1_is_filled_P2) {\n}\nTEST(I8, add_V99) {}\n",
        "tests/python/test_a.py": "def test_V1_from_python():\n    pass\n",
        "tests/text/ir/a.py": "# RUN: tilefoundry check %s\n# PROVES: P2\n",
    }
    assert conformance.shown(tree(ROWS | files)) == {
        "V1": ["test_a.py::test_V1_from_python", "Typing.V1_is_filled_P2"],
        "P2": ["tests/text/ir/a.py", "Typing.V1_is_filled_P2"],
    }


def test_the_conformance_script_tells_stale_from_fresh(root):
    script = [str(root / "scripts" / "conformance.py"), "--nonsense"]
    assert subprocess.run(script, capture_output=True).returncode != 0


def test_an_unknown_rule_is_a_usage_error(root):
    result = subprocess.run([str(root / "scripts" / "check"), "no_such_rule"], capture_output=True)
    assert result.returncode == 2


def test_V5_V79_V89_the_layers_know_no_op_and_handlers_fail_through_the_context(root):
    rules = ["no_op_names", "costs_live_with_ops", "handlers_fail_through_context"]
    result = subprocess.run([str(root / "scripts" / "check"), *rules], capture_output=True)
    assert result.returncode == 0, result.stdout.decode()
