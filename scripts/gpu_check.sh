#!/usr/bin/env bash
# What to run first on a machine with GPUs: ten minutes, one command, results under results/<host>/.
# Usage: scripts/gpu_check.sh [-d BUILD_FOLDER] [-o RESULTS_FOLDER] [-s SECONDS]       (default build/cuda, results/<host>, 600)
# Every result is written as it comes, so what is cut off loses only the rest. The GPU's clocks and settings are left alone.
# Exit code: 0 every check passed, 1 some did not (named in summary.txt), 3 there is no GPU or no CUDA build.
set -u

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=build/cuda out=results/$(hostname) budget=600
while getopts d:o:s: flag; do
  case $flag in
    d) build=$OPTARG ;;
    o) out=$OPTARG ;;
    s) budget=$OPTARG ;;
    *) sed -n '3p' "$0" >&2; exit 2 ;;
  esac
done
dpx=$build/dpx
[ -x "$dpx" ] || { echo "gpu_check: no $dpx: cmake --preset cuda && cmake --build --preset cuda" >&2; exit 3; }
gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU ')
[ "$gpus" -gt 0 ] || { echo "gpu_check: nvidia-smi lists no GPU" >&2; exit 3; }
mkdir -p "$out"
summary=$out/summary.txt
: >"$summary"
failed=0

# check NAME EXPECTED_EXIT COMMAND...: runs it within what is left of the time, keeps its output, notes the outcome.
check() {
  local name=$1 expected=$2 left=$((budget - SECONDS)) code verdict=ok
  shift 2
  if [ "$left" -lt 5 ]; then
    echo "left out  $name: no time left" | tee -a "$summary"
    return
  fi
  timeout "$left" "$@" >"$out/$name.txt" 2>&1
  code=$?
  if [ "$code" -ne "$expected" ]; then verdict=FAILED failed=1; fi
  printf '%-9s %s: exit %s (expected %s), %s s so far\n' "$verdict" "$name" "$code" "$expected" "$SECONDS" | tee -a "$summary"
  [ "$verdict" = ok ] || tail -5 "$out/$name.txt"
}
# run NAME COMMAND...: a dpx command with its record beside its output.
run() {
  local name=$1
  shift
  check "$name" 0 "$dpx" "$@" --out "$out/$name.json" --force
}

# 1 inventory: what the machine is, before and after
nvidia-smi -q >"$out/nvidia-smi-before.txt" 2>&1
nvidia-smi topo -m >"$out/topology.txt" 2>&1

# 2 and 5: the step on one GPU is the step on replicas of it; planted faults are caught
run parity-1 parity --devices cuda:0,0
run parity-4 parity --devices cuda:0,0,0,0 --algo ring
run parity-8 parity --devices cuda:0,0,0,0,0,0,0,0 --bucket flat
run mutations parity --devices cuda:0,0 --mutations
run parity-staged parity --devices cuda:0,0 --transport staged
[ "$gpus" -lt 2 ] || run parity-gpus parity --backend cuda --gpus "$gpus" --algo ring

# 3 memory, initialisation and synchronisation errors, where the tool is installed
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -n "$sanitizer" ]; then
  for tool in memcheck initcheck synccheck racecheck; do
    check "sanitizer-$tool" 0 "$sanitizer" --tool "$tool" --error-exitcode 9 "$dpx" train --backend cuda --data synthetic \
      --limit 96 --batch 32 --epochs 1 --out none
  done
else
  echo "left out  compute-sanitizer is not installed" | tee -a "$summary"
fi

# 4 determinism: the same parameters from two runs, with and without a graph
for graph in on off; do
  for repeat in 1 2; do
    run "determinism-$graph-$repeat" train --backend cuda --data synthetic --limit 25600 --epochs 1 --graph $graph
  done
done
hashes=$(grep -h -A2 replica_hashes_end "$out"/determinism-*.json | grep -o '[0-9a-f]\{16\}' | sort -u | wc -l)
check determinism 0 test "$hashes" -eq 1

# 6 seconds per epoch, interleaved; 60000 generated examples (time does not depend on values). Predicted: 60 ms at most with fp32 + graph.
for repeat in 1 2 3; do
  for math in fp32 tf32; do
    for graph in on off; do
      run "epoch-$math-graph-$graph-$repeat" train --backend cuda --data synthetic --limit 60000 --batch 256 --epochs 3 \
        --math $math --graph $graph
    done
  done
done

# 7 time by shard size and by width
for batch in 32 128 512 1024; do run "batch-$batch" train --backend cuda --data synthetic --limit 30720 --batch $batch --epochs 2; done
for width in 2 4 8 16; do run "width-$width" train --backend cuda --data synthetic --limit 5120 --width $width --epochs 2; done

# 8 links and allreduces; staged on one GPU measures the way without peer access on a real PCIe link
if [ "$gpus" -ge 2 ]; then
  run links links --backend cuda --gpus 2
  run allreduce allreduce-bench --backend cuda --gpus "$gpus" --bytes 4,1000,516272,4M,256M --algo star,ring,direct,nccl
  run allreduce-staged allreduce-bench --backend cuda --gpus "$gpus" --transport staged --bytes 516272,4M,256M --algo star,ring
fi
run links-staged links --devices cuda:0,0 --transport staged
run allreduce-one-gpu allreduce-bench --devices cuda:0,0 --bytes 4,1000,516272,4M,256M --algo star,ring,direct
run allreduce-one-gpu-staged allreduce-bench --devices cuda:0,0 --transport staged --bytes 516272,4M,64M --algo star,ring

# 9 NCCL: one rank works; two ranks on one GPU are refused in words, without hanging
run nccl-1 train --backend cuda --data synthetic --limit 2560 --epochs 1 --algo nccl
check nccl-shared 3 "$dpx" allreduce-bench --devices cuda:0,0 --algo nccl --bytes 4K --out none

nvidia-smi -q >"$out/nvidia-smi-after.txt" 2>&1
echo "gpu_check: results in $out, summary in $summary"
exit $failed
