#!/bin/sh
# Model files of other projects, from their wheels, into build/release/models.
set -eu
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
mkdir -p build/release/models
cd build/release/models
for wheel in dm_control==1.0.50 gymnasium==1.4.0 robosuite==1.5.2; do
  [ -d "${wheel%%==*}" ] && continue
  "$python" -m pip download -q --no-deps "$wheel"
  "$python" -m zipfile -e "${wheel%%==*}"-*.whl .
done
