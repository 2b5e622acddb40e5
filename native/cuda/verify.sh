#!/bin/bash
# Builds the CUDA engine and proves it on the GPU at hand, without Node or network:
#   native/cuda/verify.sh [--quick] [BUILD_FOLDER]
# Steps: configure, build, host tests, GPU tests, compute-sanitizer (memcheck, racecheck, initcheck), what PyTorch and
# transformers reach here, benchmark with every target beside what was found. Each has a time limit; with a GPU all together
# end within nine minutes (three with --quick; what there is no time for fails). Ends with a table. Exit status 0: nothing
# failed; a step that needs a missing GPU, tool or package is skipped, a target that is missed is in the table.
# Logs, cuda_bench.json and peers.txt go to $OUT, or to the build folder. $PYTHON is the Python that has PyTorch.
set -u
cd "$(dirname "$0")/../.." || exit 1

quick=
build=
for argument in "$@"; do
  case "$argument" in
    --quick) quick=--quick ;;
    -*) echo "usage: native/cuda/verify.sh [--quick] [BUILD_FOLDER]" >&2; exit 2 ;;
    *) build=$argument ;;
  esac
done
build=${build:-build-cuda}
logs=${OUT:-$build}
mkdir -p "$build" "$logs" || exit 1
total=530
if [ -n "$quick" ]; then total=175; fi

targets="80;90a"
gpu=
if command -v nvidia-smi >/dev/null; then gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1); fi
case "$gpu" in
  9.0) targets="90a" ;;  # only what runs here: the build is most of the time
  8.*) targets="80" ;;
esac

names=()
results=()
seconds=()
failed=0

record() {
  names+=("$1")
  results+=("$2")
  seconds+=("$3")
}

# step NAME LIMIT COMMAND..: runs it, keeps its log, records passed, skipped (77), timed out or failed.
step() {
  local name=$1 limit=$2 begin=$SECONDS status
  shift 2
  if [ -n "$gpu" ] && [ $((total - SECONDS)) -lt "$limit" ]; then limit=$((total - SECONDS)); fi
  if [ "$limit" -lt 5 ]; then
    record "$name" "FAILED (no time left)" 0
    failed=1
    return 1
  fi
  echo "== $name"
  timeout "$limit" "$@" >"$logs/$name.log" 2>&1
  status=$?
  tail -n 80 "$logs/$name.log"
  local taken=$((SECONDS - begin))
  case $status in
    0) record "$name" "passed" "$taken" ;;
    77) record "$name" "skipped: $(tail -n 1 "$logs/$name.log" | cut -c 1-60)" "$taken" ;;
    124) record "$name" "FAILED (over $limit s)" "$taken"; failed=1 ;;
    *) record "$name" "FAILED ($status)" "$taken"; failed=1 ;;
  esac
  return $status
}

table() {
  echo
  if [ -f "$logs/bench.log" ]; then sed -n '/^target /,$p' "$logs/bench.log"; echo; fi
  printf '%-18s %7s  %s\n' step seconds result
  for i in "${!names[@]}"; do printf '%-18s %7s  %s\n' "${names[$i]}" "${seconds[$i]}" "${results[$i]}"; done
  exit $failed
}

rm -f "$logs/bench.log" "$logs/peers.txt"
step configure 60 cmake -S native -B "$build" -DCMAKE_BUILD_TYPE=Release -DFORETRACE_CUDA=ON "-DFORETRACE_CUDA_TARGETS=$targets" || table
if [ -z "$gpu" ]; then build_limit=3000; else build_limit=300; fi
step build $build_limit cmake --build "$build" -j "$(nproc)" --target cuda_host_test cuda_emulated_test cuda_test cuda_bench || table
step host_test 60 "$build/cuda_host_test"
if [ -z "$gpu" ]; then step emulated_test 1800 "$build/cuda_emulated_test"; fi
if [ -n "$quick" ]; then
  step gpu_test 45 "$build/cuda_test" --quick
else
  step gpu_test 120 "$build/cuda_test"
fi

# Whole forward passes and products of every kind, small: the sanitizer is slow. It does not follow copies that barriers of
# shared memory count, so races are looked for with mma.sync.
if [ -z "$gpu" ]; then
  record sanitizer "skipped: no GPU" 0
elif ! command -v compute-sanitizer >/dev/null; then
  record sanitizer "skipped: compute-sanitizer is not installed" 0
else
  step memcheck 40 compute-sanitizer --error-exitcode 1 "$build/cuda_test" "copied page"
  step memcheck_products 40 compute-sanitizer --error-exitcode 1 "$build/cuda_test" "split otherwise"
  if [ -z "$quick" ]; then
    step racecheck 40 compute-sanitizer --tool racecheck --error-exitcode 1 "$build/cuda_test" --products mma "copied page"
    step initcheck 40 compute-sanitizer --tool initcheck --error-exitcode 1 "$build/cuda_test" "copied page"
  fi
fi

bench=("$build/cuda_bench" --json "$logs/cuda_bench.json")
if [ -n "$quick" ]; then
  bench+=(--quick)
  step peers 30 "${PYTHON:-python3}" native/bench/peers/cuda_peers.py --out "$logs/peers.txt" --matrix-only
else
  step peers 120 "${PYTHON:-python3}" native/bench/peers/cuda_peers.py --out "$logs/peers.txt" --model "$build/model-1b"
  if [ -n "$gpu" ] && [ -f "$build/model-1b/config.json" ]; then bench+=(--model "$build/model-1b"); fi
fi
if [ -s "$logs/peers.txt" ]; then bench+=(--peers "$logs/peers.txt"); fi
if [ -n "$quick" ]; then step bench 60 "${bench[@]}"; else step bench 150 "${bench[@]}"; fi
table
