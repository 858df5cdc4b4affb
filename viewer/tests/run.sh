#!/usr/bin/env bash
# run.sh BUILD: the page's tests, with the page and the command line of this build.
set -euo pipefail
build=$(realpath "${1:?which build folder?}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

node_modules/.bin/tsc --noEmit
abut=$build/apps/abut/abut
"$abut" run ../examples/scenes/clutter40.xml --quiet --out "$work/run"
"$abut" export "$work/run" --csv --out "$work" >/dev/null
"$abut" compare ../examples/scenes/incline.toml --models lagged,ncp --quiet --out "$work/compare"
# one file after the other: browsers that draw by software leave no processor idle
ABUT=$abut ABUT_PAGE=$build/viewer ABUT_REPLAY=$work/run/replay.html ABUT_TABLES=$work \
  ABUT_COMPARISON=$work/compare/compare.html \
  node --test --test-concurrency=1 tests/columns.test.mjs tests/page.test.mjs tests/replay.test.mjs \
  tests/comparison.test.mjs tests/compared_runs.test.mjs tests/live.test.mjs
