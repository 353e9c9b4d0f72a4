#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Usage: scripts/test.sh [--quick]
#   --quick   the release preset only: no sanitizers
# Exit code 0 when every runner passed; the last lines say what each runner counted.
set -euo pipefail
cd "$(dirname "$0")/.."

presets=(release asan-ubsan)
case "${1:-}" in
  "") ;;
  --quick) presets=(release) ;;
  *) echo "usage: scripts/test.sh [--quick]" >&2; exit 2 ;;
esac

scripts/setup.sh
logs=build/test-logs
mkdir -p "$logs"
jobs=$(nproc)
summary=()
failed=0

# run NAME PATTERN COMMAND...: runs a test runner and keeps its last line that matches PATTERN.
run() {
  local name=$1 pattern=$2 log status=passed
  shift 2
  log="$logs/${name// /-}.log"
  echo
  echo "== $name: $*"
  if ! "$@" 2>&1 | tee "$log"; then
    status=FAILED
    failed=1
  fi
  summary+=("$(printf '%-18s %-7s %s' "$name" "$status" "$(grep -E "$pattern" "$log" | tail -n 1)")")
}

for preset in "${presets[@]}"; do
  echo
  echo "== build $preset"
  cmake --preset "$preset" --log-level=WARNING
  cmake --build --preset "$preset"
done
for preset in "${presets[@]}"; do
  run "ctest $preset" 'tests passed|No tests' ctest --preset "$preset" -j "$jobs"
done
run "pytest" '[0-9]+ (passed|failed|error)' .venv/bin/python -m pytest -q tests
run rules " rules, " .venv/bin/python scripts/check

echo
echo "== summary"
printf '%s\n' "${summary[@]}"
exit $failed
