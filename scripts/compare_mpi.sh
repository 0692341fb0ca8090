#!/usr/bin/env bash
# dpx's direct allreduce on 2 CPU devices against Open MPI's MPI_Allreduce on 2 ranks: same protocol, in turn, three rounds.
# Usage: scripts/compare_mpi.sh [bytes...]        Debian packages: openmpi-bin libopenmpi-dev
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dpx=$root/build/release/dpx
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864 268435456)
rounds=3

for tool in mpicxx mpirun; do
  command -v $tool >/dev/null || { echo "compare_mpi: $tool not found: apt-get install openmpi-bin libopenmpi-dev" >&2; exit 3; }
done
[ -x "$dpx" ] || { echo "compare_mpi: $dpx not found: run scripts/quickstart.sh or scripts/check.sh first" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpicxx -O3 -o "$work/allreduce" "$root/scripts/mpi/allreduce.cpp"
mpi_options=(--bind-to core --mca btl self,vader)
if [ "$(id -u)" = 0 ]; then mpi_options+=(--allow-run-as-root); fi

list=$(IFS=,; echo "${sizes[*]}")
for round in $(seq $rounds); do
  echo "compare_mpi: round $round of $rounds" >&2
  mpirun "${mpi_options[@]}" -np 2 "$work/allreduce" 200 "${sizes[@]}" >>"$work/mpi.txt"
  "$dpx" allreduce-bench --backend cpu --gpus 2 --algo direct --bytes "$list" --check off -q --out "$work/dpx$round.json" >/dev/null
done

python3 - "$work" <<'PYTHON'
import glob, json, statistics, sys
work = sys.argv[1]
mpi, dpx = {}, {}
for line in open(work + "/mpi.txt"):
    size, time = line.split()
    mpi.setdefault(int(size), []).append(float(time))
for path in glob.glob(work + "/dpx*.json"):
    for case in json.load(open(path))["cases"]:
        if case["key"]["kind"] == "allreduce":
            dpx.setdefault(case["key"]["bytes"], []).append(case["summary"]["median"])
print("medians of the rounds' medians, us; ratio = MPI / dpx")
print(f"{'bytes':>10} {'Open MPI':>10} {'dpx direct':>10} {'ratio':>6}")
for size in sorted(mpi):
    a, b = statistics.median(mpi[size]), statistics.median(dpx[size])
    print(f"{size:>10} {a * 1e6:>10.2f} {b * 1e6:>10.2f} {a / b:>6.1f}")
PYTHON
