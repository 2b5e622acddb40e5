#!/bin/bash
# Builds the CUDA engine and proves it on the GPU at hand, without Node or network:
#   native/cuda/verify.sh [--quick | --without-gpu] [BUILD_FOLDER]
# Parts: configure, build, host tests, GPU tests, what PyTorch reaches here, single kernels, whole steps of every shape, the
# same model in transformers and here, compute-sanitizer. Each has a time limit, and all together end within nine minutes
# (--quick, with fewer tests and shapes and no sanitizer: four). A part that fails, hangs or finds no time left costs its own
# lines of the table that ends the output, and no others. Lines are PASS, FAIL or SKIP; exit status 0 if none is FAIL.
# --without-gpu: builds everything and runs what needs no GPU, the kernels on the emulator, without limit of time.
# Needs nvcc, CMake 3.20 and a C++20 compiler; $PYTHON (python3) with PyTorch and transformers for what they are compared with.
# Logs and measurements go to $OUT, or to the build folder (build-cuda).
set -u
cd "$(dirname "$0")/../.." || exit 1

quick=
gpuless=
build=
for argument in "$@"; do
  case "$argument" in
    --quick) quick=--quick ;;
    --without-gpu) gpuless=yes ;;
    -*) echo "usage: native/cuda/verify.sh [--quick | --without-gpu] [BUILD_FOLDER]" >&2; exit 2 ;;
    *) build=$argument ;;
  esac
done
build=${build:-build-cuda}
logs=${OUT:-$build}
mkdir -p "$build" "$logs" || exit 1
PATH=$PATH:/usr/local/cuda/bin:/usr/local/nvidia/bin
total=530
if [ -n "$quick" ]; then total=230; fi
if [ -n "$gpuless" ]; then total=100000; fi

missing() {
  echo "verify.sh: $1" >&2
  exit 1
}

command -v cmake >/dev/null || missing "cmake was not found"
command -v "${CXX:-c++}" >/dev/null || missing "no C++ compiler was found (${CXX:-c++})"
command -v "${CUDACXX:-nvcc}" >/dev/null || missing "nvcc was not found (looked on PATH and in /usr/local/cuda/bin)"
targets="80;90a"
if [ -z "$gpuless" ]; then
  gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
  case "$gpu" in
    9.0) targets="90a" ;;  # only what runs here: the build is most of the time
    [0-9]*.[0-9]*) targets="80" ;;
    *) missing "no NVIDIA GPU here (nvidia-smi names none); --without-gpu builds all and runs what needs none" ;;
  esac
fi

lines=()
failed=0
passed=0

record() {
  lines+=("$(printf '%s  %s' "$1" "$2")")
  case $1 in
    PASS) passed=$((passed + 1)) ;;
    FAIL) failed=$((failed + 1)) ;;
  esac
}

# limited SECONDS LOG COMMAND..: its exit status, 124 if it ran longer. A process that even a kill does not end is left behind.
limited() {
  local limit=$1 log=$2 deadline=$((SECONDS + $1 + 15)) process
  shift 2
  timeout -k 5 "$limit" "$@" >"$log" 2>&1 &
  process=$!
  while kill -0 "$process" 2>/dev/null; do
    if [ $SECONDS -ge $deadline ]; then return 124; fi
    sleep 0.2
  done
  wait "$process"
  local status=$?
  if [ $status -eq 137 ]; then return 124; fi
  return $status
}

# part NAME LIMIT COMMAND..: runs it and shows the end of its log. Exit status 77 is SKIP, or FAIL for $strict parts; 3 is that of
# a benchmark whose own lines tell what it missed.
strict=
part() {
  local name=$1 limit=$2 begin=$SECONDS status
  shift 2
  if [ $((total - SECONDS)) -lt "$limit" ]; then limit=$((total - SECONDS)); fi
  if [ "$limit" -lt 5 ]; then
    record FAIL "$name: no time left"
    return 1
  fi
  echo "== $name"
  limited "$limit" "$logs/$name.log" "$@"
  status=$?
  tail -n 60 "$logs/$name.log"
  local took="$((SECONDS - begin)) s" last
  last=$(tail -n 1 "$logs/$name.log" | cut -c 1-120)
  case $status in
    0 | 3) record PASS "$name ($took)" ;;
    77) if [ -n "$strict" ]; then record FAIL "$name: $last"; else record SKIP "$name: $last"; fi ;;
    124) record FAIL "$name: over $limit s, ended" ;;
    *) record FAIL "$name: exit status $status after $took: $last" ;;
  esac
  return $status
}

# The lines of a benchmark about targets, below the line of its part.
targets_of() {
  local line
  while IFS= read -r line; do record "${line%%  *}" "  ${line#*  }"; done < <(grep -E '^(PASS|FAIL)  ' "$logs/$1.log" 2>/dev/null)
}

finish() {
  trap - EXIT INT TERM
  echo
  echo "----------------------------------------------------------------"
  for line in "${lines[@]}"; do echo "$line"; done
  echo "verify.sh: $passed lines passed, $failed failed, $SECONDS s"
  if [ "$failed" -gt 0 ]; then exit 1; fi
  exit 0
}
trap 'record FAIL "ended from outside"; finish' INT TERM
trap finish EXIT

rm -f "$logs"/*.log "$logs/peers.txt"
part configure 60 cmake -S native -B "$build" -DCMAKE_BUILD_TYPE=Release -DFORETRACE_TESTS=ON -DFORETRACE_CUDA=ON \
  "-DFORETRACE_CUDA_TARGETS=$targets" || finish
programs=(cuda_host_test cuda_test cuda_bench)
build_limit=280
if [ -n "$gpuless" ]; then
  programs+=(cuda_emulated_test)
  build_limit=7200
fi
part build $build_limit cmake --build "$build" -j "$(nproc)" --target "${programs[@]}" || finish
part host_test 30 "$build/cuda_host_test"
if [ -n "$gpuless" ]; then
  part emulated_test 3600 "$build/cuda_emulated_test"
  part gpu_test 60 "$build/cuda_test"
  part bench 60 "$build/cuda_bench"
  finish
fi

strict=yes
# shellcheck disable=SC2086  # $quick is one word or none
part gpu_test 90 "$build/cuda_test" $quick
strict=
peers() { part "$1" "$2" "${PYTHON:-python3}" native/bench/peers/cuda_peers.py --out "$logs/peers.txt" "${@:3}"; }
bench() {
  strict=yes
  part "bench_$1" "$2" "$build/cuda_bench" --peers "$logs/peers.txt" --json "$logs/bench_$1.json" "${@:3}"
  strict=
  targets_of "bench_$1"
}
peers torch 45 --matrix-only
touch "$logs/peers.txt"
# shellcheck disable=SC2086
bench kernels 60 --kernels $quick
bench 1B 30 --shapes 1B
bench 8B 50 --shapes 8B $quick
if [ -z "$quick" ]; then
  bench 32B 60 --shapes 32B
  bench small 30 --shapes 4M,S135
  peers transformers 90 --model "$build/model-1b" --keep
  if [ -f "$build/model-1b/config.json" ]; then
    bench generation 40 --shapes none --model "$build/model-1b"
  else
    record FAIL "  generation beside transformers: not measured, transformers could not be run"
  fi
fi

# Whole forward passes and products of every kind, small: the sanitizer is slow. Its racecheck does not follow copies that
# barriers of shared memory count, so races are looked for with mma.sync.
if [ -n "$quick" ]; then
  record SKIP "compute-sanitizer: not with --quick"
elif ! command -v compute-sanitizer >/dev/null; then
  record SKIP "compute-sanitizer: not installed"
else
  sanitize() { part "$1" 45 compute-sanitizer --tool "$2" --error-exitcode 1 "$build/cuda_test" "${@:3}"; }
  sanitize memcheck memcheck "copied page"
  sanitize memcheck_products memcheck "split otherwise"
  sanitize racecheck racecheck --products mma "copied page"
  sanitize synccheck synccheck "split otherwise"
  sanitize initcheck initcheck "copied page"
fi
finish
