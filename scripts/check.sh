#!/usr/bin/env bash
# The one command that checks everything: packages, configure, build, ctest, for each preset given.
# Usage: scripts/check.sh [preset...]        default: release; known: see CMakePresets.json
# Stops at the first preset that fails, so that the last lines are that preset's ctest summary.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { echo "check: $*"; }

# The sanitizer presets come last, whatever the order given: release is the quicker one to fail.
presets=()
for preset in "${@:-release}"; do
  case $preset in asan|tsan) ;; *) presets+=("$preset") ;; esac
done
for sanitizer in asan tsan; do
  for preset in "$@"; do
    if [ "$preset" = $sanitizer ]; then presets+=("$preset"); fi
  done
done

# ThreadSanitizer of gcc 12 and 13 dies ("unexpected memory mapping") where the kernel draws addresses from more than 28 bits.
# `setarch -R` switches that off for one command; a container may forbid it, and an older kernel does not need it.
launcher_for() {
  launcher=()
  [ "$1" = tsan ] || return 0
  local bits
  bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo unknown)
  if [ "$bits" != unknown ] && [ "$bits" -le 28 ]; then return 0; fi
  if setarch "$(uname -m)" -R true 2>/dev/null; then
    launcher=(setarch "$(uname -m)" -R)
    say "tsan: address randomisation off (mmap_rnd_bits: $bits)"
  else
    say "tsan: setarch -R is not possible here (mmap_rnd_bits: $bits);"
    say "should the tests die with 'unexpected memory mapping', run: sysctl vm.mmap_rnd_bits=28"
  fi
}

# Beside release, the CUDA preset adds its own targets to the build that is there and runs its own tests;
# `ctest --preset cuda` runs them all.
how_to_check() {
  local other
  build=$1 options=() targets=() labels=()
  [ "$1" = cuda ] || return 0
  for other in "${presets[@]}"; do
    if [ "$other" = release ]; then build=release options=(-DDPX_CUDA=ON) targets=(--target fake_cuda_tests) labels=(-L cuda); fi
  done
}

scripts/install_deps.sh --test
jobs=$(nproc)
for preset in "${presets[@]}"; do
  how_to_check "$preset"
  say "$preset: configure"
  cmake --preset "$build" -DDPX_TESTS=ON "${options[@]}"
  say "$preset: build"
  cmake --build --preset "$build" --parallel "$jobs" "${targets[@]}"
  say "$preset: test"
  launcher_for "$preset"
  "${launcher[@]}" ctest --preset "$build" --parallel "$jobs" "${labels[@]}"
done
