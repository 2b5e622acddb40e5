#!/bin/bash
# Builds the CUDA engine and proves it on the GPU at hand, from a clean copy of the tree, without Node or network:
#   native/cuda/verify.sh [--quick] [BUILD_FOLDER]
# Steps: configure, build, host tests, GPU tests, compute-sanitizer, benchmark. Each has a time limit; with a GPU all
# together end within nine minutes (what there is no time for fails). Ends with a table. Exit status 0: nothing failed (a step that needs a missing GPU or tool is skipped).
# Logs and cuda_bench.json go to $OUT, or to the build folder.
set -u
cd "$(dirname "$0")/../.."

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
mkdir -p "$build" "$logs"

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

# step NAME LIMIT COMMAND..: runs it, keeps its log, records passed, skipped (77), timed out or failed.
step() {
  local name=$1 limit=$2 begin=$SECONDS status
  shift 2
  if [ -n "$gpu" ] && [ $((540 - SECONDS)) -lt "$limit" ]; then limit=$((540 - SECONDS)); fi
  if [ "$limit" -lt 5 ]; then
    names+=("$name"); seconds+=(0); results+=("FAILED (no time left)"); failed=1
    return 1
  fi
  echo "== $name"
  timeout "$limit" "$@" >"$logs/$name.log" 2>&1
  status=$?
  tail -n 60 "$logs/$name.log"
  names+=("$name")
  seconds+=($((SECONDS - begin)))
  case $status in
    0) results+=("passed") ;;
    77) results+=("skipped") ;;
    124) results+=("FAILED (over $limit s)"); failed=1 ;;
    *) results+=("FAILED ($status)"); failed=1 ;;
  esac
  return $status
}

skip() {
  names+=("$1")
  seconds+=(0)
  results+=("skipped: $2")
}

table() {
  echo
  printf '%-22s %-28s %s\n' step result seconds
  for i in "${!names[@]}"; do printf '%-22s %-28s %s\n' "${names[$i]}" "${results[$i]}" "${seconds[$i]}"; done
  exit $failed
}

step configure 60 cmake -S native -B "$build" -DCMAKE_BUILD_TYPE=Release -DFORETRACE_CUDA=ON "-DFORETRACE_CUDA_TARGETS=$targets" || table
jobs=$(nproc)
step build 420 cmake --build "$build" -j "$jobs" --target cuda_host_test cuda_emulated_test cuda_test cuda_bench || table
step host_test 60 "$build/cuda_host_test"
if [ -z "$gpu" ]; then step emulated_test 600 "$build/cuda_emulated_test"; fi
step gpu_test 200 "$build/cuda_test"

if [ -z "$gpu" ]; then
  skip sanitizer "no GPU"
elif ! command -v compute-sanitizer >/dev/null; then
  skip sanitizer "not installed"
else
  step memcheck 60 compute-sanitizer --error-exitcode 1 "$build/cuda_test" "copied page"
  step memcheck_product 60 compute-sanitizer --error-exitcode 1 "$build/cuda_test" "other bits"
  if [ -z "$quick" ]; then step racecheck 60 compute-sanitizer --tool racecheck --error-exitcode 1 "$build/cuda_test" "copied page"; fi
fi

step bench 150 "$build/cuda_bench" $quick --json "$logs/cuda_bench.json"
table
