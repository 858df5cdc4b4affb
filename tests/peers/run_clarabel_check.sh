#!/usr/bin/env bash
# run_clarabel_check.sh ABUT [PYTHON]: some 50 steps of clutter at 2 and 10 ms and 1000 lone contacts
# through clarabel_check.py. PYTHON needs numpy, scipy and clarabel (deps/check.lock).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# < 1)); then
  sed -n 2,3p "${BASH_SOURCE[0]}" >&2
  exit 2
fi
abut=$(realpath "$1") python=${2:-.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scene=benchmarks/scenes/clutter_wide_40.xml
"$abut" run "$scene" --quiet --dt 0.002 --duration 3 --out "$work/2ms" \
  --save-problem "$(seq -s, 40 60 1500)"
"$abut" run "$scene" --quiet --dt 0.01 --duration 3 --out "$work/10ms" \
  --save-problem "$(seq -s, 8 12 300)"
seed=0
for sigma in 1e-6 1e-4 1e-3 1e-1 10; do
  "$python" tests/peers/lone_contacts.py "$work/lone_$seed.npz" $seed $sigma
  seed=$((seed + 1))
done
"$python" tests/peers/clarabel_check.py "$abut" "$work"/*ms/problem_*.npz "$work"/lone_*.npz
