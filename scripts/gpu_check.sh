#!/usr/bin/env bash
# What to run first on a machine with GPUs: one command, ten minutes on one GPU, results under results/<host>/.
# Usage: scripts/gpu_check.sh [-d FOLDER] [-o FOLDER] [-s SECONDS] [-c CHECK,...] [-q]
#   -d  where dpx is: a build folder, also a copied one, or an installation's bin (build/cuda)
#   -o  where the results go (results/<host>); files of the same names are replaced
#   -s  after so many seconds nothing new is started (600)
#   -c  only these of: ceilings kernels sanitizer determinism parity epoch scaling allreduce nccl overlap
#   -q  tiny sizes: shows that everything runs; the times mean nothing
# Every result is written as it comes, so what is cut off loses only the rest; gpu_report.py puts them beside what was
# predicted. The GPU's clocks and settings are left alone.
# Exit code: 0 every check that was run passed, 1 some did not (named in summary.txt), 2 usage, 3 no GPU or no CUDA build.
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all="ceilings kernels sanitizer determinism parity epoch scaling allreduce nccl overlap"
build=$root/build/cuda out=$root/results/$(hostname) budget=600 chosen=$all quick=no
usage() {
  echo "gpu_check: $1" >&2
  sed -n '3,8s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
}
while getopts :d:o:s:c:q flag; do
  case $flag in
    d) build=$OPTARG ;;
    o) out=$OPTARG ;;
    s) budget=$OPTARG ;;
    c) chosen=${OPTARG//,/ } ;;
    q) quick=yes ;;
    *) usage "-$OPTARG: unknown, or without its value" ;;
  esac
done
[[ $budget =~ ^[0-9]+$ ]] || usage "-s $budget: a number of seconds is needed"
for name in $chosen; do [[ " $all " == *" $name "* ]] || usage "-c $name: no such check"; done
dpx=$build/dpx
[ -x "$dpx" ] || { echo "gpu_check: no $dpx: cmake --preset cuda && cmake --build --preset cuda" >&2; exit 3; }
if [ -n "${CUDA_VISIBLE_DEVICES+set}" ]; then
  gpus=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .)
else
  gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU ')
fi
[ "$gpus" -gt 0 ] || { echo "gpu_check: no GPU is visible to nvidia-smi and CUDA_VISIBLE_DEVICES" >&2; exit 3; }
# A copied build folder holds its libraries beside dpx; what is set already keeps its place in front.
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(cd "$build" && pwd)
export LD_LIBRARY_PATH
mkdir -p "$out" || exit 1
summary=$out/summary.txt
: >"$summary"
failed=0

note() { echo "$*" | tee -a "$summary"; }
left_out() { note "left out  $*"; }
# check NAME "EXIT..." COMMAND...: runs it within what is left of the time, at most `cap` seconds; keeps its output, notes
# whether it ended with one of these.
check() {
  local name=$1 expected=$2 left=$((budget - SECONDS)) verdict=ok code
  shift 2
  if [ "$left" -lt 5 ]; then
    left_out "$name: no time left"
    return 1
  fi
  [ "${cap:-$left}" -ge "$left" ] || left=$cap
  timeout -k 10 "$left" "$@" >"$out/$name.txt" 2>&1
  code=$?
  [[ " $expected " == *" $code "* ]] || verdict=FAILED failed=1
  if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then verdict="cut off"; fi
  note "$(printf '%-9s %s: exit %s (expected %s), %s s so far' "$verdict" "$name" "$code" "$expected" "$SECONDS")"
  [ "$verdict" = ok ] || tail -5 "$out/$name.txt"
  [ "$verdict" = ok ]
}
# run NAME COMMAND...: a dpx command with its record beside its output.
run() {
  local name=$1
  shift
  check "$name" 0 "$dpx" "$@" --out "$out/$name.json" --force
}
train() { run "$1" train --backend cuda --data synthetic "${@:2}"; }

if [ $quick = yes ]; then
  note "quick: the sizes are tiny, times mean nothing"
  ceiling_sizes=(32 65536 10) link_sizes=(--bytes "4096,16384,65536" --iters 1)
  steps_100=(--limit 8 --batch 4) epoch=(--limit 32 --batch 16 --epochs 1) repeats=1 parity=(--batch 4)
  sweep=(--shards "1,2,3" --width 1 --batch 2 --iters 1 --min-time 0)
  bench=(--iters 1 --warmup 1 --min-time 0) small=4,1000 large=10004 replicas=("0,0,0")
  two_replicas=(--limit 32 --batch 16 --epochs 1) half_batch=(--limit 16 --batch 8 --epochs 1)
else
  ceiling_sizes=() link_sizes=()
  steps_100=(--limit 25600 --batch 256) epoch=(--limit 60000 --batch 256 --epochs 2) repeats=7 parity=(--batch 256)
  sweep=(--shards 32:1024:x2 --width "1,2,4,8,16" --batch 256)
  bench=() small=4,1000,4M large=516272,1000004,256M replicas=(0 "0,0" "0,0,0,0" "0,0,0,0,0,0,0,0")
  two_replicas=(--limit 25600 --batch 256 --epochs 2) half_batch=(--limit 12800 --batch 128 --epochs 2)
fi
if [ "$gpus" -ge 2 ]; then pair=cuda:0,1 pair_transport=auto; else pair=cuda:0,0 pair_transport=staged; fi

# 1 what the machine is and can do at most
check_ceilings() {
  nvidia-smi -q >"$out/nvidia-smi-before.txt" 2>&1
  nvidia-smi topo -m >"$out/topology.txt" 2>&1
  if [ -x "$build/gpu_ceilings" ]; then
    check ceilings 0 "$build/gpu_ceilings" "$out/ceilings.json" "${ceiling_sizes[@]}"
  else
    left_out "device copies, SGEMM and graph nodes: no $build/gpu_ceilings (built with -DDPX_TESTS=ON)"
  fi
  run host-links links --backend cuda --gpus 1 --transport driver "${link_sizes[@]}"
}

# 2 kernels, layers and the engine against float64
check_kernels() {
  if [ -x "$build/cuda_kernel_tests" ]; then
    check kernels 0 "$build/cuda_kernel_tests" --gtest_brief=1
  else
    left_out "kernels against float64: no $build/cuda_kernel_tests (built with -DDPX_TESTS=ON)"
  fi
}

# 3 memory, initialisation and synchronisation errors in three steps
check_sanitizer() {
  local sanitizer tool
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  if [ -z "$sanitizer" ]; then
    left_out "compute-sanitizer is not installed"
    return
  fi
  for tool in memcheck initcheck synccheck racecheck; do
    cap=45 check "sanitizer-$tool" 0 "$sanitizer" --tool "$tool" --error-exitcode 9 "$dpx" train --backend cuda \
      --data synthetic --limit 96 --batch 32 --epochs 1 --out none
  done
}

# 4 the same parameters after 100 steps, twice, with and without a graph
check_determinism() {
  local graph repeat hashes
  for graph in on off; do
    for repeat in 1 2; do
      train "determinism-$graph-$repeat" "${steps_100[@]}" --epochs 1 --graph "$graph" || return
    done
  done
  hashes=$(grep -h -A1 replica_hashes_end "$out"/determinism-*.json | grep -o '"[0-9a-f]\{16\}"' | sort -u | wc -l)
  check determinism 0 test "$hashes" -eq 1
}

# 5 the step on one GPU is the step on replicas of it; planted faults are caught
check_parity() {
  local list algorithm
  for list in "${replicas[@]}"; do
    for algorithm in star ring; do
      run "parity-$(((${#list} + 1) / 2))-$algorithm" parity --devices "cuda:$list" --algo $algorithm "${parity[@]}"
    done
  done
  run parity-staged parity --devices cuda:0,0 --transport staged "${parity[@]}"
  run parity-tf32 parity --devices cuda:0,0 --math tf32 "${parity[@]}"
  [ "$gpus" -lt 2 ] || run parity-gpus parity --backend cuda --gpus "$gpus" --algo ring "${parity[@]}"
  run mutations parity --devices cuda:0,0 --mutations "${parity[@]}"
}

# 6 seconds per epoch, variants in turn; generated examples, since time does not depend on values
check_epoch() {
  local repeat math graph
  for ((repeat = 1; repeat <= repeats; ++repeat)); do
    for math in fp32 tf32; do
      for graph in on off; do train "epoch-$math-graph-$graph-$repeat" "${epoch[@]}" --math "$math" --graph "$graph"; done
    done
  done
  left_out "another framework's step beside it: dpx brings none"
}

# 7 t(b) = t0 + c b over shards, at several widths
check_scaling() { run scaling scaling-sweep --backend cuda --gpus 1 --mode strong "${sweep[@]}"; }

# Whether this build and machine have NCCL; says so where not.
has_nccl() {
  timeout -k 10 60 "$dpx" allreduce-bench --devices cuda:0 --algo nccl --bytes 4 --iters 1 --out none >"$out/nccl-probe.txt" 2>&1
  [ $? -ne 3 ] || { left_out "NCCL: $(tail -1 "$out/nccl-probe.txt")"; return 1; }
}

# 8 links and allreduces; staged on one GPU measures the way without peer access on a real link, which both replicas share
check_allreduce() {
  local algorithms=star,ring,direct
  if [ "$gpus" -ge 2 ]; then
    has_nccl && algorithms+=,nccl
    run links links --backend cuda --gpus 2 "${link_sizes[@]}"
    run allreduce-2 allreduce-bench --devices cuda:0,1 --bytes "$small,$large" --algo star,ring "${bench[@]}"
    run allreduce-2-staged allreduce-bench --devices cuda:0,1 --transport staged --bytes "$large" --algo star,ring "${bench[@]}"
    run allreduce-all allreduce-bench --backend cuda --gpus "$gpus" --bytes "$small,$large" --algo $algorithms "${bench[@]}"
  fi
  run links-shared links --devices cuda:0,0 --transport staged "${link_sizes[@]}"
  run allreduce-shared allreduce-bench --devices cuda:0,0 --bytes "$small,$large" --algo star,ring,direct "${bench[@]}"
  run allreduce-shared-staged allreduce-bench --devices cuda:0,0 --transport staged --bytes "$large" --algo star,ring "${bench[@]}"
}

# 9 NCCL: one rank works; two ranks on one GPU are refused in words (before NCCL 2.30.3), without hanging
check_nccl() {
  has_nccl || return
  cap=60 train nccl-1 "${steps_100[@]}" --epochs 1 --algo nccl
  cap=60 check nccl-shared "3 0" "$dpx" allreduce-bench --devices cuda:0,0 --algo nccl --bytes 4K --out none
}

# 10 the three numbers of exposed communication. Nothing overlaps yet: one bucket, reduced behind the backward pass.
check_overlap() {
  local repeat
  for ((repeat = 1; repeat <= (repeats + 1) / 2; ++repeat)); do
    train "overlap-two-$repeat" --devices "$pair" --transport "$pair_transport" --bucket flat "${two_replicas[@]}"
    [ "$gpus" -lt 2 ] || train "overlap-one-$repeat" --devices cuda:0 "${half_batch[@]}"
  done
  run overlap-alone allreduce-bench --devices "$pair" --transport "$pair_transport" --bytes 516272 --algo star "${bench[@]}"
  left_out "step time by node: nothing in the step writes %globaltimer; Nsight Systems and ncu show it where installed"
}

for name in $all; do
  [[ " $chosen " == *" $name "* ]] || continue
  case $name in
    ceilings) check_ceilings ;;
    kernels) check_kernels ;;
    sanitizer) check_sanitizer ;;
    determinism) check_determinism ;;
    parity) check_parity ;;
    epoch) check_epoch ;;
    scaling) check_scaling ;;
    allreduce) check_allreduce ;;
    nccl) check_nccl ;;
    overlap) check_overlap ;;
  esac
done

nvidia-smi -q >"$out/nvidia-smi-after.txt" 2>&1
if command -v python3 >/dev/null; then
  python3 "$root/scripts/gpu_report.py" "$out" | tee "$out/report.txt"
  cat "$out/report.txt" >>"$summary"
else
  left_out "the table of predictions: no python3 for scripts/gpu_report.py"
fi
echo "gpu_check: results in $out, summary in $summary"
exit $failed
