#!/usr/bin/env bash
# check_embedding.sh BUILD: follows docs/embedding.md in an empty directory: its install command for
# the core, then its compiler commands.
source "$(dirname "$0")/common.sh"

build=${1:?which build folder?}
mapfile -t commands < <(grep '^g++ ' docs/embedding.md)
((${#commands[@]} == 2)) || fail "docs/embedding.md has ${#commands[@]} commands instead of 2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
mkdir "$work/empty"
cp examples/embed/*.cpp "$work/empty"
cd "$work/empty"
for command in "${commands[@]}"; do
  echo "$command"
  PREFIX=$work/prefix bash -c "$command"
done
./example | tee output.txt
grep -q '^converged' output.txt || fail "the example did not converge"
./loop | tee output.txt
grep -q '^the buffer bears 39.24 N of 39.24 N' output.txt || fail "the lift does not rest on its buffer"
grep -q '^0 of 1000 steps failed' output.txt || fail "steps of the loop failed"
