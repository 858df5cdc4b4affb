#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures build/PRESET if that was not done, and builds.
source "$(dirname "$0")/common.sh"

preset=${1:?which preset?}
shift
[[ -f build/$preset/build.ninja ]] || cmake --preset "$preset" >/dev/null
cmake --build "build/$preset" -j "$(jobs)" ${1:+--target "$@"}
