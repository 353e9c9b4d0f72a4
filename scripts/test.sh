#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Usage: scripts/test.sh [--quick]
#   --quick   the release preset only: no sanitizers
# Exit code 0 when every runner passed; the last lines say what each step took and each runner counted.
# Unit tests run in both presets, tests of the whole command and of the package in the release one.
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
builds=()
summary=()
failed=0

# line NAME STATUS SECONDS TEXT: one line of the summary.
line() { printf '%-18s %-7s %3d:%02d  %s' "$1" "$2" $(($3 / 60)) $(($3 % 60)) "$4"; }

# run NAME PATTERN COMMAND...: runs a test runner and keeps its last line that matches PATTERN.
run() {
  local name=$1 pattern=$2 log status=passed start=$SECONDS
  shift 2
  log="$logs/${name// /-}.log"
  echo
  echo "== $name: $*"
  if ! "$@" 2>&1 | tee "$log"; then
    status=FAILED
    failed=1
  fi
  summary+=("$(line "$name" "$status" $((SECONDS - start)) \
    "$(grep -E "$pattern" "$log" | tail -n 1)")")
}

for preset in "${presets[@]}"; do
  echo
  echo "== build $preset"
  start=$SECONDS
  cmake --preset "$preset" --log-level=WARNING
  cmake --build --preset "$preset"
  builds+=("$(line "build $preset" done $((SECONDS - start)) \
    "$(du -sh "build/$preset" | cut -f1) in build/$preset")")
done
for preset in "${presets[@]}"; do
  run "ctest $preset" 'tests passed|No tests' ctest --preset "$preset" -j "$jobs"
done
run "pytest" '[0-9]+ (passed|failed|error)' .venv/bin/python -m pytest -q tests
run rules " rules, " .venv/bin/python scripts/check

echo
echo "== summary after $((SECONDS / 60)) min $((SECONDS % 60)) s on $jobs cores"
printf '%s\n' "${builds[@]}" "${summary[@]}"
exit $failed
