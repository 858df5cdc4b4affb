#!/usr/bin/env bash
# Pins again: writes deps/*.lock from deps/*.in, all groups with the same versions. For maintainers;
# needs network.
source "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet uv==0.13.9
constraints=()
for group in build check peers python docs; do
  "$work/venv/bin/uv" pip compile --quiet --no-config --universal --python-version 3.11 \
    --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
    "${constraints[@]}" -o "deps/$group.lock" "deps/$group.in"
  constraints+=(-c "deps/$group.lock")
done
