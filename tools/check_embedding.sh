#!/usr/bin/env bash
# check_embedding.sh BUILD: follows docs/embedding.md in an empty directory: its install command for
# the core, then its one compiler command.
source "$(dirname "$0")/common.sh"

build=${1:?which build folder?}
command=$(grep -m1 '^g++ .*example\.cpp' docs/embedding.md) || fail "no command in docs/embedding.md"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
mkdir "$work/empty"
cp examples/embed/example.cpp "$work/empty"
cd "$work/empty"
echo "$command"
PREFIX=$work/prefix bash -c "$command"
./example | tee output.txt
grep -q '^converged' output.txt || fail "the example did not converge"
