#!/usr/bin/env bash
# test.sh [STAGE...]: runs the stages named, or those of `make test`, and prints one line for each.
# The output of a stage is kept in build/log, and its end shown when it fails.
source "$(dirname "$0")/common.sh"

run_ctest() {
  ctest --test-dir "build/$1" -j "$(jobs)" --output-on-failure --no-tests=error "${@:2}"
}

# everything, optimized
stage_release() {
  tools/build.sh release
  python3 tools/check_symbols.py build/release
  run_ctest release
  local isa
  for isa in $(isas | head -n -1); do
    echo "ABUT_ISA=$isa"
    ABUT_ISA=$isa build/release/tests/trees_test --gtest_brief=1
    ABUT_ISA=$isa build/release/tests/mjcf_dynamics_test --gtest_brief=1
    ABUT_ISA=$isa build/release/tests/geometry_test --gtest_brief=1 --gtest_filter="BoxKernels.*:Manifold.*"
    ABUT_ISA=$isa build/release/tests/scene_test --gtest_brief=1 --gtest_filter="Placement.*"
  done
}

# the core without any dependency
stage_core() {
  tools/build.sh core
  run_ctest core
}

# the core under the address and undefined-behaviour sanitizers; without thousands of steps of one
# contact, and of problems that others are like
stage_asan() {
  tools/build.sh asan
  local repeated='^Gliding\.|^Rest\.Depth|^WildProblems\.|RoundOffIsNoExcuse|ConvergesQuadratically'
  run_ctest asan --exclude-regex "$repeated"
}

# the instruction sets that this processor has
isas() {
  echo baseline
  if grep -qw avx2 /proc/cpuinfo; then echo avx2; fi
  if grep -qw avx512bw /proc/cpuinfo; then echo avx512; fi
}

# the core with every instruction set but the best, with which stage `core` runs
stage_isa() {
  tools/build.sh core
  local isa
  for isa in $(isas | head -n -1); do
    echo "ABUT_ISA=$isa"
    ABUT_ISA=$isa run_ctest core
  done
}

# the kernels export nothing that could replace code for older processors
stage_symbols() {
  tools/build.sh core
  python3 tools/check_symbols.py build/core
}

# folders include only folders below them; headers compile alone; mutants fit their sources
stage_layers() {
  python3 tools/check_layers.py --jobs "$(jobs)"
  python3 tools/mutate.py --list
}

# planted errors in a copy of the core: tests notice them
stage_mutants() { python3 tools/mutate.py --jobs "$(jobs)"; }

# the Python package in the build tree
stage_python() {
  tools/setup.sh python
  tools/build.sh release abut_python abut_python_stub abut_cli
  PYTHONPATH=$PWD/build/release/bindings/python .venv/bin/python -m pytest tests/python
}

# cmake --install, and a project that uses the result
stage_install() {
  tools/build.sh release
  tools/check_install.sh build/release
}

# the example of docs/embedding.md, by its documented command
stage_embed() {
  tools/build.sh core
  tools/check_embedding.sh build/core
}

# links and citations in the documents resolve, the tests that docs/checks.md names exist; their
# site builds without a warning
stage_docs() {
  python3 tools/check_docs.py
  tools/setup.sh docs
  NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict -f tools/site/mkdocs.yml
  .venv/bin/python tests/docs/check_docs_test.py
  .venv/bin/python tests/docs/cpp_reference_test.py
  .venv/bin/python tests/docs/python_reference_test.py
  .venv/bin/python tools/draw_figures.py --check
}

# the commands and programs in the documents run, and print what is said there
stage_examples() {
  tools/setup.sh python
  tools/build.sh release abut_cli abut_core abut_python abut_python_stub
  .venv/bin/python tests/docs/doc_examples_test.py build/release
  .venv/bin/python tools/run_doc_examples.py build/release
}

# the self-contained wheel, in environments of its own; needs network
stage_wheel() { tools/wheel.sh; }

# the browser page: its types, and in a headless Chromium what it shows of replays
stage_browser() {
  tools/setup.sh browser
  [[ -f viewer/node_modules/installed.sha256 ]] ||
    fail "the page's tests need node and npm: install them, then tools/setup.sh build"
  tools/build.sh release abut_cli
  viewer/tests/run.sh build/release
}

# what has threads, under the thread sanitizer; of the solver's tests those that do
stage_tsan() {
  local tests=(core_basics_test determinism_test world_test live_test live_server_test)
  tools/build.sh tsan core_test "${tests[@]}"
  printf 'build/tsan/tests/%s\n' "${tests[@]}" "core_test --gtest_filter=*Threads*" |
    xargs -P "$(jobs)" -I{} sh -c '{}'
}

# sources are as .clang-format says
stage_format() {
  git ls-files '*.cpp' '*.hpp' | xargs .venv/bin/clang-format --dry-run -Werror
}

# names, sizes and bugs by .clang-tidy
stage_tidy() {
  cmake --preset release >/dev/null
  mkdir -p build/tidy
  sed 's/ -mmem[a-z]*-strategy=[^ "]*//g' build/release/compile_commands.json \
    > build/tidy/compile_commands.json  # without flags of GCC alone
  git ls-files 'src/abut/*.cpp' 'apps/abut/*.cpp' |
    xargs -P "$(jobs)" -n 1 .venv/bin/clang-tidy -p build/tidy --quiet 2>&1 |
    { grep -v "^[0-9]* warnings* generated" || true; }
}

# the fuzz corpus, every beginning of its files and changes of them, under sanitizers
stage_fuzz() {
  local formats=(live mesh mjcf problem recording scene urdf) format
  tools/build.sh asan-all "${formats[@]/#/fuzz_}"
  for format in "${formats[@]}"; do
    "build/asan-all/tests/fuzz_$format" "tests/fuzz/corpus/$format" \
      "${FUZZ_RUNS:-2000}" "${FUZZ_SEED:-1}" "${FUZZ_FLIPS:-1000}"
  done
}

# SAP's answers against those of Clarabel, a solver that knows nothing of contact
stage_clarabel() {
  tools/build.sh release abut_cli
  tests/peers/run_clarabel_check.sh build/release/apps/abut/abut
}

# random mechanisms beside Drake
stage_drake() {
  tools/setup.sh peers
  tools/build.sh release print_mechanisms
  build/release/tests/print_mechanisms | .venv/bin/python tests/peers/drake_mechanisms.py
}

# the papers' experiments, quick: minutes
stage_experiments() {
  tools/setup.sh python check
  tools/build.sh release abut_python abut_python_stub abut_cli
  ABUT_PYTHON=$PWD/.venv/bin/python build/release/apps/abut/abut reproduce \
    --all --quick --out build/reproduced
}

# lines of the core that its tests reach
stage_coverage() {
  tools/build.sh coverage
  find build/coverage -name '*.gcda' -delete
  run_ctest coverage
  # lines of the kernels run more than 2^32 times, which gcovr takes for an error of gcov
  .venv/bin/gcovr --root . --filter 'src/abut/(linalg|laws|problem|solvers)/' \
    --merge-lines --merge-mode-functions separate --gcov-suspicious-hits-threshold 0 \
    --gcov-ignore-parse-errors=negative_hits.warn_once_per_file build/coverage |
    tee build/coverage.txt  # threads race for counters of branches; atomic ones take hours
}

test=(docs layers core isa symbols embed asan release python install examples browser)
if [[ ${1:-} == --inside ]]; then  # one stage, in a process of its own so that `set -e` acts
  "stage_$2"
  exit
fi
if (($# == 0)); then set -- "${test[@]}"; fi
mkdir -p build/log
for stage in "$@"; do
  declare -F "stage_$stage" >/dev/null || fail "no stage '$stage'; there are ${test[*]} tsan fuzz clarabel drake experiments wheel format tidy coverage"
  start=$SECONDS log=build/log/$stage.txt
  printf '%-10s' "$stage"
  if tools/test.sh --inside "$stage" >"$log" 2>&1; then
    echo "ok      $((SECONDS - start)) s$(grep '^TOTAL' "$log" | sed 's/.* /  lines covered: /')"
  else
    echo "FAILED  $((SECONDS - start)) s"
    tail -n 60 "$log"
    fail "stage $stage failed; all of its output is in $log"
  fi
done
