#!/usr/bin/env bash
# Installs the Debian packages that dpx needs, if any is missing; with nothing missing it calls no apt at all.
# Usage: scripts/install_deps.sh [--data] [--test]
#   --data  also the Fashion-MNIST files; --test  also what the tests need (and the data)
# Exit codes: 0 done, 2 usage, 3 packages are missing and cannot be installed here.
set -euo pipefail

build_packages=(g++ cmake ninja-build libhwy-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev
                zlib1g-dev git ca-certificates)
test_packages=(libgtest-dev python3 python3-numpy python3-jsonschema clang-format)
data_package=dataset-fashion-mnist

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { echo "install_deps: $*"; }

packages=("${build_packages[@]}")
with_data=no
for option in "$@"; do
  case $option in
    --data) with_data=yes ;;
    --test) with_data=yes; packages+=("${test_packages[@]}") ;;
    *) echo "install_deps: unknown option '$option'; known: --data --test" >&2; exit 2 ;;
  esac
done

is_debian_family() {
  [ -r /etc/os-release ] && command -v dpkg-query >/dev/null || return 1
  local id
  # shellcheck source=/dev/null
  for id in $(. /etc/os-release; echo "${ID:-} ${ID_LIKE:-}"); do
    case $id in debian|ubuntu) return 0 ;; esac
  done
  return 1
}

is_installed() { [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

# An apt-get command with the rights it needs in front; fails when there is neither root nor sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"
  else sudo env DEBIAN_FRONTEND=noninteractive "$@"; fi
}
can_install() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }

exists_in_archive() {
  local candidate
  candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# All four files, packed or not.
has_data() {
  local file
  for file in {train,t10k}-{images-idx3,labels-idx1}-ubyte; do
    [ -f "$1/$file" ] || [ -f "$1/$file.gz" ] || return 1
  done
}
data_is_missing() {
  [ $with_data = yes ] && ! has_data /usr/share/datasets/fashion-mnist && ! has_data "$root/data/fashion-mnist"
}

# Without the package: the download script. Not fatal here: who needs the data says so.
fetch_data() {
  say "fetching Fashion-MNIST with scripts/fetch_data.sh"
  bash "$root/scripts/fetch_data.sh" || say "scripts/fetch_data.sh failed; commands and tests that need the data will say so"
}

if ! is_debian_family; then
  say "not a Debian or Ubuntu system: nothing is installed. What is needed, by its Debian names: ${packages[*]}"
  for tool in c++ cmake ninja git; do
    command -v "$tool" >/dev/null || say "not found: $tool"
  done
  if data_is_missing; then fetch_data; fi
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
needed=${#missing[@]}
if data_is_missing; then missing+=("$data_package"); fi
if [ ${#missing[@]} = 0 ]; then
  say "all ${#packages[@]} packages are there"
  exit 0
fi
say "missing: ${missing[*]}"

if ! can_install; then
  if [ "$needed" = 0 ]; then  # only the data, and that can be had without root
    fetch_data
    exit 0
  fi
  echo "install_deps: neither root nor sudo here; as root run:" >&2
  echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 3
fi

say "apt-get update"
as_root apt-get update -qq || say "apt-get update failed; going on with the package lists that are here"
if data_is_missing && ! exists_in_archive "$data_package"; then
  say "skipped: $data_package is not in this system's archive"
  unset 'missing[-1]'
  command -v curl >/dev/null || command -v wget >/dev/null || missing+=(curl)  # for scripts/fetch_data.sh
fi
if [ ${#missing[@]} -gt 0 ]; then
  say "installing: ${missing[*]}"
  if ! as_root apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
    echo "install_deps: apt-get could not install: ${missing[*]}" >&2
    exit 3
  fi
fi
if data_is_missing; then fetch_data; fi
