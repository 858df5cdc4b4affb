#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures build/PRESET and builds there.
source "$(dirname "$0")/common.sh"

preset=${1:?which preset?}
shift
cmake --preset "$preset" >/dev/null  # each time: a group of wheels may have come since
cmake --build "build/$preset" -j "$(jobs)" ${1:+--target "$@"}
