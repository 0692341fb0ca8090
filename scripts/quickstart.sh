#!/usr/bin/env bash
# From a fresh checkout to a trained LeNet: installs what is missing, builds dpx, trains on one CPU device per core (at most 2).
# Usage: scripts/quickstart.sh [options of `dpx train`]        e.g. scripts/quickstart.sh --epochs 1 --algo star
# Runs in the project's folder: relative paths among the options are taken from there, and the record goes to its results/.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
say() { echo "quickstart: $*"; }

# True if one of the flags $1... is among the user's arguments.
user_args=("$@")
given() {
  local flag arg
  for flag in "$@"; do
    for arg in "${user_args[@]}"; do
      case $arg in "$flag"|"$flag"=*) return 0 ;; esac
    done
  done
  return 1
}

say "1/4 packages"
if given --data; then "$root/scripts/install_deps.sh"; else "$root/scripts/install_deps.sh" --data; fi

say "2/4 configure ($build)"
options=()
# A tree that has no tests yet is configured without them; one that has them, from check.sh, is left as it is.
grep -qs '^GTest_DIR:PATH=/' "$build/CMakeCache.txt" || options=(-DDPX_TESTS=OFF -DDPX_WERROR=OFF)
cd "$root"
mkdir -p build
cmake --preset release "${options[@]}" >build/quickstart.log || { cat build/quickstart.log; exit 1; }

say "3/4 build"
cmake --build --preset release --target dpx --parallel "$(nproc)"

# The data is where `dpx train` looks by itself: data/fashion-mnist, else the Debian package.
args=()
given --config --backend || args+=(--backend cpu)
given --config --gpus -g --devices || args+=(--gpus $(($(nproc) < 2 ? 1 : 2)))
given --config --epochs || args+=(--epochs 5)
say "4/4 train: build/release/dpx train ${args[*]} $*"
exec "$build/dpx" train "${args[@]}" "$@"
