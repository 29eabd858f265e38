#!/bin/sh
# Nanoseconds per access: original, patched with empty slots, with a hook that returns at once, and the same with
# E9Patch if it is on PATH. usage: run.sh FOLDER-OF-BUILT-FILES RFF-INSTRUMENT [ITERATIONS]
set -eu
folder=$1
instrument=$2
iterations=${3:-20000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
row() { printf '%-28s %s\n' "$1" "$2"; }
row "" "read write string (ns per iteration)"
row "original" "$("$folder/access_loop" "$iterations")"
"$instrument" "$folder/access_loop" -o "$work/builtin" >/dev/null
row "builtin, empty slots" "$("$work/builtin" "$iterations")"
row "builtin, empty hook" "$(LD_PRELOAD=$folder/libempty_runtime.so "$work/builtin" "$iterations")"
if command -v e9patch >/dev/null; then
  "$instrument" --backend e9patch "$folder/access_loop" -o "$work/e9" >/dev/null
  row "e9patch, empty slots" "$("$work/e9" "$iterations")"
  row "e9patch, empty hook" "$(LD_PRELOAD=$folder/libempty_runtime.so "$work/e9" "$iterations")"
else
  echo "e9patch is not on PATH: its rows are left out"
fi
