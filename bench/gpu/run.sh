#!/usr/bin/env bash
# Conformance and bench on a machine with a GPU, of a folder that scripts/gpu_artifacts made; no compiler is needed.
#
# usage: run.sh [OUT]     OUT: where the CSV, the logs and verdict.txt go (default: results beside this script)
#
# Environment: ORZO_GPU_SECONDS limits the bench (default 420); ORZO_GPU_ONLY is a part of the names to run;
# ORZO_GPU_CHECKS are the checks of small artifacts (default "integer random memcheck racecheck").
# Small artifacts are checked by orzo-run against lib/Reference, large ones by PyTorch in f64 (bench.py).
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
out=${1:-$here/results}
mkdir -p "$out"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ORZO_RUNTIME="$here/lib/liborzo-runtime.so"
status=0

# oracle DATA: orzo-run verify on every small artifact, several processes at a time (each problem makes a context of its
# own, so that one which crashes the device harms no other); one line of the verdict.
oracle() {
  local log="$out/oracle-$1.json" code=0 good
  mapfile -t files < <(python3 - "$here/index.json" "${ORZO_GPU_ONLY:-}" <<'PY'
import json, sys
for entry in json.load(open(sys.argv[1]))["artifacts"]:
    if entry["check"] == "oracle" and "file" in entry and sys.argv[2] in entry["name"]:
        print(entry["file"])
PY
  )
  [ ${#files[@]} -gt 0 ] || { printf '%-8s small problems on %s data\n' "not run" "$1"; return; }
  rm -rf "$log.parts" && mkdir "$log.parts"
  (cd "$here" && printf '%s\0' "${files[@]}" | xargs -0 -n 10 -P 8 bash -c \
    'bin/orzo-run verify --data="$0" --format=json "${@:2}" >"$1/$$" 2>"$1/$$.err"' "$1" "$log.parts") || code=1
  cat "$log.parts"/* >"$log"
  rm -r "$log.parts"
  good=$(grep -c '"status":"ok","message"' "$log")
  [ "$good" = ${#files[@]} ] || code=1
  printf '%-8s small problems on %s data: %d of %d ok\n' "$([ $code = 0 ] && echo met || echo missed)" "$1" "$good" ${#files[@]}
  return $code
}

# sanitize TOOL: compute-sanitizer on a few small artifacts.
sanitize() {
  local tool=$1 log="$out/sanitizer-$1.log"
  command -v compute-sanitizer >/dev/null || { printf '%-8s compute-sanitizer %s: it is not installed\n' "not run" "$tool"; return; }
  local files=("$here"/artifacts/small_00[0-5]_*.orzo "$here"/artifacts/odd_00[0-2]_*.orzo)
  [ -e "${files[0]}" ] || { printf '%-8s compute-sanitizer %s: no small artifacts\n' "not run" "$tool"; return; }
  local options=()
  # The runtime asks for a kernel's parameters until the driver says there are no more: an error that is an answer.
  [ "$tool" = memcheck ] && options=(--report-api-errors no)
  if timeout 100 compute-sanitizer --tool "$tool" "${options[@]}" --target-processes all --error-exitcode 9 \
      "$here/bin/orzo-run" verify --data=integer "${files[@]}" >"$log" 2>&1; then
    printf '%-8s compute-sanitizer %s on %d small artifacts\n' met "$tool" ${#files[@]}
  elif grep -qi 'not supported\|unable to\|Device not' "$log"; then
    printf '%-8s compute-sanitizer %s: not supported on this machine\n' "not run" "$tool"
  else
    printf '%-8s compute-sanitizer %s: see %s\n' missed "$tool" "$log"
    return 1
  fi
}

{
  for check in ${ORZO_GPU_CHECKS-integer random memcheck racecheck}; do
    case $check in
    integer | random) oracle "$check" ;;
    *) sanitize "$check" ;;
    esac
  done
} | tee "$out/checks.txt"
grep -q '^missed' "$out/checks.txt" && status=1
PYTHONUNBUFFERED=1 python3 "$here/bench/bench.py" "$here/index.json" "$out" --seconds "${ORZO_GPU_SECONDS:-420}" \
  --only "${ORZO_GPU_ONLY:-}" 2>&1 | tee "$out/bench.log" || status=1
cat "$out/checks.txt" >>"$out/verdict.txt"
echo "== verdict"
cat "$out/verdict.txt"
exit $status
