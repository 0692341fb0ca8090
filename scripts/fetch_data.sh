#!/usr/bin/env bash
# Downloads Fashion-MNIST into data/fashion-mnist, or verifies a directory that holds it.
#   scripts/fetch_data.sh [DIR]          download what is missing or damaged (default data/fashion-mnist)
#   scripts/fetch_data.sh --check DIR    verify only
# DPX_DATA_URL names a mirror. Exit code: 0 all four files are right, 2 usage, 5 missing, damaged or not downloaded.
set -euo pipefail

url=${DPX_DATA_URL:-http://fashion-mnist.s3-website.eu-central-1.amazonaws.com}
# Of the unpacked content: packages and mirrors compress it in their own ways.
sums="train-images-idx3-ubyte c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888
train-labels-idx1-ubyte bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9
t10k-images-idx3-ubyte 5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b
t10k-labels-idx1-ubyte 0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"

fail() { echo "fetch_data.sh: $2" >&2; exit "$1"; }
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1; }
# Content decides whether a file is compressed; -f lets gzip copy what is not.
unpacked_sum() { gzip -dcf <"$1" 2>/dev/null | sha256 || true; }

# The file of either name whose content is right, or nothing.
good_file() {
  local file
  for file in "$1/$2" "$1/$2.gz"; do
    if [ -f "$file" ] && [ "$(unpacked_sum "$file")" = "$3" ]; then echo "$file"; return; fi
  done
}

download() {
  if command -v curl >/dev/null; then curl -fsSL --retry 2 --connect-timeout 20 -o "$2" "$1"
  elif command -v wget >/dev/null; then wget -q --tries 3 --timeout 20 -O "$2" "$1"
  else fail 5 "neither curl nor wget found: apt-get install curl"; fi
}

check_only=no
if [ "${1:-}" = --check ]; then
  check_only=yes
  shift
  [ $# -eq 1 ] || fail 2 "--check needs one directory"
fi
case "${1:-}" in -*) fail 2 "unknown option $1; usage: fetch_data.sh [DIR] | --check DIR" ;; esac
[ $# -le 1 ] || fail 2 "one directory at most"
dir=${1:-$(dirname "$0")/../data/fashion-mnist}

bad=""
part=""
clean_up() {
  [ -z "$part" ] || rm -f "$part"
  [ "$check_only" = yes ] || rmdir "$dir" 2>/dev/null || true  # only if empty: dpx would take it for the data
}
trap clean_up EXIT
if [ "$check_only" = no ]; then mkdir -p "$dir" || fail 5 "cannot create $dir"; fi
while read -r name sum; do
  found=$(good_file "$dir" "$name" "$sum")
  if [ -n "$found" ]; then echo "$found: right"; continue; fi
  if [ "$check_only" = yes ]; then bad="$bad $name"; continue; fi
  part="$dir/.$name.gz.$$"
  download "$url/$name.gz" "$part" || fail 5 "cannot download $url/$name.gz"
  got=$(unpacked_sum "$part")
  [ "$got" = "$sum" ] || fail 5 "$url/$name.gz unpacks to sha256 $got, expected $sum"
  mv "$part" "$dir/$name.gz"
  part=""
  rm -f "$dir/$name"  # a damaged unpacked file would be found before the good one
  echo "$dir/$name.gz: downloaded"
done <<<"$sums"
[ -z "$bad" ] || fail 5 "missing or not Fashion-MNIST in $dir:$bad"
