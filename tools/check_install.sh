#!/usr/bin/env bash
# check_install.sh BUILD: installs a full build to a temporary prefix; there the headers need
# nothing else, tests/consumer finds the package and uses both libraries, and the command line runs,
# to the same bits.
source "$(dirname "$0")/common.sh"

build=${1:?which build folder?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null

(cd "$prefix/include" && find abut -name '*.hpp' ! -name eigen_map.hpp -printf '#include "%p"\n') |
  "${CXX:-g++}" -std=c++20 -fsyntax-only -I"$prefix/include" -x c++ - ||
  fail "the installed headers do not compile"

cmake -S tests/consumer -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/consumer"
"$work/consumer/core_consumer"
# the same bits, whether the libraries were optimized where a program was linked or not
for scene in examples/scenes/clutter40.xml examples/scenes/quadruped.xml; do
  hash=$("$work/consumer/world_consumer" "$scene")
  "$prefix/bin/abut" run "$scene" --dt 0.002 --duration 0.2 | grep -qxF "$hash" ||
    fail "$scene: bin/abut does not come to the $hash of a program that links the libraries"
done
for library in "$prefix"/lib*/libabut*.a "$prefix"/lib*/*/libabut*.a; do
  [[ ! -e $library ]] || ! readelf -SW "$library" | grep -q 'gnu\.lto' ||
    fail "$library holds what only one version of GCC can read"
done
! grep -rq -e -fno-lto "$prefix"/lib*/ --include='abutTargets*.cmake' ||
  fail "abutTargets.cmake passes -fno-lto on"

# abut inside another project's tree, without a virtual environment
cmake -S tests/consumer/subdirectory -B "$work/inside" -DABUT_VENV=/nowhere
cmake --build "$work/inside" -j "$(jobs)"
"$work/inside/core_consumer"

# the core alone, optimized where others link it
cmake -S . -B "$work/core" -DABUT_CORE_ONLY=ON -DABUT_LINK_TIME=ON -DABUT_BUILD_TESTS=OFF >/dev/null

# away from the build tree and the wheel, so that only what was installed can be found
mv "$prefix" "$work/moved"
readelf -d "$work/moved/bin/abut" | grep -q 'RUNPATH.*\$ORIGIN' || fail "bin/abut has no RUNPATH"
"$work/moved/bin/abut" --version
"$work/moved/bin/abut" info examples/scenes/clutter40.xml >/dev/null
