#!/bin/sh
# Nanoseconds per access: original, patched with empty slots, with a hook that returns at once, with one that is an
# ordinary function, the same hooks called by E9Patch's trampolines (if e9patch is on PATH), and E9Tool's own clean call of nothing (if e9tool is). In an emulator
# that counts instructions as nanoseconds (qemu-system-x86_64 -icount shift=0) the figures are instructions.
# usage: run.sh FOLDER-OF-BUILT-FILES RFF-INSTRUMENT [ITERATIONS]
set -eu
folder=$1
instrument=$2
iterations=${3:-20000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row NAME PROGRAM [PRELOADED [FUNCTION]]: what each loop costs, and how much that is above the original.
row() {
  times=$(env ${3:+LD_PRELOAD="$3"} ${4:+RFF_BENCH_FUNCTION=1} "$2" "$iterations")
  original=${original:-$times}
  echo "$times $original" | awk -v name="$1" '{ printf "%-34s", name
    for (i = 1; i <= 4; i++) printf "%9.2f (+%7.2f)", $i, $i - $(i + 4)
    print "" }'
}

printf '%-34s%20s%20s%20s%20s\n' "ns per iteration (above original)" read write "flags kept" string
row "original" "$folder/access_loop"
"$instrument" "$folder/access_loop" -o "$work/builtin" >/dev/null
row "builtin, empty slots" "$work/builtin"
row "builtin, hook that returns at once" "$work/builtin" "$folder/libempty_runtime.so"
row "builtin, function that does" "$work/builtin" "$folder/libempty_runtime.so" function
if command -v e9patch >/dev/null; then
  "$instrument" --backend e9patch "$folder/access_loop" -o "$work/e9" >/dev/null
  row "e9patch, empty slots" "$work/e9"
  row "e9patch, hook that returns at once" "$work/e9" "$folder/libempty_runtime.so"
  row "e9patch, function that does" "$work/e9" "$folder/libempty_runtime.so" function
else
  echo "e9patch is not on PATH: its rows are left out"
fi
if command -v e9tool >/dev/null; then
  e9tool -M 'defined(mem[0]) and addr >= &Reads and addr < &Now' -P "entry(&mem[0])@$folder/empty_call" \
    -o "$work/clean" "$folder/access_loop" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  row "e9tool, clean call" "$work/clean"
else
  echo "e9tool is not on PATH: its row is left out"
fi
