#!/usr/bin/env bash
# Installs what building and testing need: Debian packages, and a Python environment in .venv.
# Does nothing when all is there. Usage: scripts/setup.sh [--bench]
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build mold ccache                                    # building
  libisl-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libssl-dev
  libgtest-dev clang-format-19 clang-tidy-19 libclang-rt-19-dev        # testing
)
case "${1:-}" in
  "") ;;
  --bench) packages+=(libbenchmark-dev libopenblas-dev) ;;
  *) echo "usage: scripts/setup.sh [--bench]" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 3; }

command -v python3 >/dev/null || packages+=(python3)
python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)

missing=()
if command -v dpkg-query >/dev/null; then
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
    awk '$2 == "installed" {print $1}')
  for package in "${packages[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
  done
else
  fail "this script installs Debian packages and finds no dpkg here." \
    "Install by hand: ${packages[*]}; then use CMake as CMakePresets.json says."
fi

if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these Debian packages are missing: ${missing[*]}." \
      "Installing them needs root: run this script as root, or install sudo."
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed; is there a network?"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
else
  say "all Debian packages are installed"
fi

# .venv/requirements.txt is written last, so an interrupted installation is repeated.
if cmp -s scripts/requirements.txt .venv/requirements.txt && .venv/bin/python -c ''; then
  say ".venv is complete"
else
  say "installing Python packages into .venv"
  if ! .venv/bin/python -c '' 2>/dev/null; then
    python3 -m venv --clear .venv || fail "python3 could not create .venv"
  fi
  .venv/bin/python -m pip install -q --disable-pip-version-check -r scripts/requirements.txt ||
    fail "pip could not install scripts/requirements.txt into .venv"
  cp scripts/requirements.txt .venv/requirements.txt
fi
