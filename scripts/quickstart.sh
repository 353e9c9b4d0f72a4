#!/usr/bin/env bash
# From a fresh machine to a verified result: installs what is missing, builds the release preset,
# and takes one example from its text to numbers. Each command is shown before it runs.
set -euo pipefail
cd "$(dirname "$0")/.."

show() {
  echo
  echo "\$ $*"
  "$@"
}

show scripts/setup.sh
show cmake --preset release --log-level=WARNING
show cmake --build --preset release --target tilefoundry

tilefoundry=build/release/tilefoundry
example=examples/rmsnorm.py
output=build/quickstart

echo
echo "The program, as it was written ($example):"
echo
cat "$example"

echo
echo "Check it: syntax, names, shapes and types."
show $tilefoundry check $example
echo
echo "Print it back in canonical form, with the type of every value."
show $tilefoundry print $example --types
echo
echo "Generate C++ for this CPU and build a library from it."
show $tilefoundry build $example -o $output
echo
echo "Run it on random inputs and verify each output against the reference interpreter."
show $tilefoundry run $example --inputs random --verify

echo
echo "Done. The command is $tilefoundry, NumPy is in .venv, and the generated source is:"
find "$output" -type f \( -name '*.cc' -o -name '*.cpp' \) | sort | sed 's/^/  /'
