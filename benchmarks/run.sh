#!/bin/sh
# Runs the suite on op files from a checkout and packs what it leaves into few files:
#
#   benchmarks/run.sh OUT LEVEL1 [LEVEL2 ...]
#
# OUT gets rows.jsonl, log.txt and results.tgz (kernels, reports, timings), also while it runs, and suite.json. Environment:
#   WORK=DIR       where it works; a second run there goes on with the first  (default: OUT/work)
#   DONE=DIR       rows.jsonl and results.tgz of a run elsewhere, to go on with
#   WHEELS=DIR     packages to install first, for a machine without a network
#   FOR=9m         when to stop        JOBS=N  op files at once, 2 GB each (default: by cores and free memory)
#   LIMIT=10m      for each op file    MEMORY=8  GiB for each
#   PROCESSES=1    fresh processes that time each kernel
#   GPU=auto       the card here; with NOCARD=1 nothing runs on it, and GPU names the target (default then: h200)
#   ALSO="a100 h100 b200 mi300x"       further devices to compile for; "" for none
set -eu
out=$1; shift
work=${WORK:-$out/work}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out" "$work"
out=$(cd "$out" && pwd)
work=$(cd "$work" && pwd)
if [ -n "${WHEELS:-}" ]; then
  python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$work/site" "$WHEELS"/*.whl
  mkdir -p "$work/path" && ln -sfn "$root" "$work/path/kbgen"
  export PYTHONPATH="$work/path:$work/site"
fi
if [ -n "${NOCARD:-}" ]; then export CUDA_VISIBLE_DEVICES=; GPU=${GPU:-h200}; fi
if [ -n "${DONE:-}" ] && [ ! -e "$work/suite/rows.jsonl" ]; then
  mkdir -p "$work/suite" && cp "$DONE/rows.jsonl" "$work/suite/"
  if [ -e "$DONE/results.tgz" ]; then tar xzf "$DONE/results.tgz" -C "$work/suite"; fi
fi
also=""; for name in ${ALSO-a100 h100 b200 mi300x}; do also="$also --also $name"; done
pack() {
  (cd "$work/suite" && find . -name timing -prune -o -name again -prune -o -type f \( -name '*_optimized.py' \
    -o -name report.json -o -name benchmark.json -o -path './ceilings/*' \) -print | tar czf "$out/$1.tgz" -T - \
    && mv "$out/$1.tgz" "$out/results.tgz") 2>/dev/null || true
}
(while sleep 15; do cp "$work/suite/rows.jsonl" "$work/log.txt" "$out/" 2>/dev/null || true; pack part; done) & copier=$!
# shellcheck disable=SC2086  # several words each
python3 -m kbgen.cli eval suite "$@" --gpu "${GPU:-auto}" --out "$work/suite" --for "${FOR:-9m}" ${JOBS:+--jobs "$JOBS"} \
  ${LIMIT:+--limit "$LIMIT"} ${MEMORY:+--memory "$MEMORY"} \
  --processes "${PROCESSES:-1}" $also --json > "$work/out.json" 2> "$work/log.txt" || echo "kbgen ended with $?; see log.txt"
kill "$copier" 2>/dev/null || true
cp "$work/log.txt" "$out/"
cp "$work/suite/rows.jsonl" "$work/suite/suite.json" "$out/" 2>/dev/null || true
pack last
rm -f "$out/part.tgz"
