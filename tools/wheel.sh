#!/usr/bin/env bash
# wheel.sh [--fast]: builds the self-contained wheel into dist/: it carries the shared libraries it
# needs, under names of its own, with their licenses. Then it is tried: in an empty virtual
# environment with numpy alone, and (not with --fast) beside pin, mujoco and drake in one process;
# that needs network.
source "$(dirname "$0")/common.sh"

tools/setup.sh build python
raw=build/wheel/raw repaired=build/wheel/repaired python=$PWD/.venv/bin/python
rm -rf "$raw" "$repaired"
"$python" -m build --wheel --no-isolation --skip-dependency-check --outdir "$raw" \
  -C build-dir="build/wheel/{wheel_tag}" -C cmake.define.ABUT_PYTHON_LIBRARIES=OFF \
  -C cmake.define.ABUT_HDF5=OFF

# the wheels' own folders, since their libraries are looked for by name
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
PATH=$PWD/.venv/bin:$PATH LD_LIBRARY_PATH=$packages/cmeel.prefix/lib:$packages/mujoco \
  "$python" -m auditwheel repair -w "$repaired" "$raw"/abut-*.whl
mkdir -p dist
wheel=$("$python" tools/wheel_licenses.py "$repaired"/abut-*.whl dist)
echo "$wheel: $(du -h "$wheel" | cut -f1)"

# try WHAT PACKAGE... : the wheel and these packages in an environment of its own
try() {
  local venv=build/wheel/$1
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel" "${@:2}"
}
try alone numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
alone=$PWD/build/wheel/alone
(cd "$work" && "$alone/bin/python" -m abut.demo && "$alone/bin/abut" --version)
[[ $("$alone/bin/abut" reproduce --list 2>&1) == *"pip install matplotlib" ]] ||
  fail "abut reproduce does not find its package, or does not say that matplotlib is missing"
[[ ${1:-} == --fast ]] && exit
try beside pin mujoco==4.0.0 drake
cp tests/python/beside_check.py "$work"
beside=$PWD/build/wheel/beside
(cd "$work" && "$beside/bin/python" beside_check.py)
