# Entry points; what they do is in tools/.

.DEFAULT_GOAL := help
.PHONY: help setup build demo test check mutants bench bench-peers bench-robots format clean

help:             ## this list
	@sed -n 's/^\([a-z-]*\): *##/  make \1\t/p' Makefile | expand -t 20

setup:            ## install what is missing: system packages, pinned wheels in .venv
	@tools/setup.sh build

build:            ## release build in build/release
	@tools/setup.sh build
	@tools/build.sh release

demo:             ## simulate 40 objects dropped into a box and record it
	@tools/setup.sh build
	@tools/build.sh release abut_cli
	@build/release/apps/abut/abut run examples/scenes/clutter40.xml

test:             ## all tests; `tools/test.sh NAME` runs one stage
	@tools/setup.sh build
	@tools/test.sh

check:            ## the tests, thread sanitizer, fuzzing, Clarabel, formatting, clang-tidy, coverage
	@tools/setup.sh build check
	@tools/test.sh
	@tools/test.sh tsan fuzz clarabel format tidy coverage

mutants:          ## plant errors in a copy of the core: do its tests notice? (half an hour)
	@tools/setup.sh build
	@python3 tools/mutate.py

bench:            ## time steps of the clutter scenes
	@tools/setup.sh build
	@tools/build.sh release step_bench factor_bench
	@.venv/bin/python benchmarks/bench.py

bench-peers:      ## the same beside Drake and MuJoCo
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@.venv/bin/python benchmarks/bench_peers.py

bench-robots:     ## three robots beside Drake and MuJoCo
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@.venv/bin/python benchmarks/robots.py

format:           ## clang-format all sources in place
	@tools/setup.sh check
	@git ls-files '*.cpp' '*.hpp' | xargs .venv/bin/clang-format -i

clean:            ## remove build/ (keeps .venv)
	rm -rf build
