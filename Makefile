# Entry points; what they do is in tools/.

.DEFAULT_GOAL := help
.PHONY: help setup build demo test check check-solves check-friction grasps slides energy experiments wheel mutants bench \
        bench-peers bench-accuracy bench-iterations bench-robots bench-hulls bench-models bench-joined bench-friction bench-direct bench-patch bench-sparse bench-before bench-live docs format clean

help:             ## this list
	@sed -n 's/^\([a-z-]*\): *##/  make \1\t/p' Makefile | expand -t 25

setup:            ## install what is missing: system packages, pinned wheels in .venv
	@tools/setup.sh build

build:            ## release build in build/release
	@tools/setup.sh build
	@tools/build.sh release

demo:             ## simulate 40 objects dropped into a box and a robot, write replays for the browser
	@tools/setup.sh build
	@tools/build.sh release abut_cli
	@build/release/apps/abut/abut run examples/scenes/clutter40.xml
	@build/release/apps/abut/abut run examples/scenes/trot.toml --quiet
	@for run in clutter40 trot; do \
	  ! [ -e $$run.abut/replay.html ] || echo "open in a browser: $$run.abut/replay.html"; \
	done

test:             ## all tests; `tools/test.sh NAME` runs one stage
	@tools/setup.sh build
	@tools/test.sh

check:            ## the tests, thread sanitizer, fuzzing, Clarabel, Drake, formatting, clang-tidy, coverage, mutants
	@tools/setup.sh build check
	@tools/test.sh
	@tools/test.sh tsan fuzz clarabel drake experiments format tidy coverage mutants

wheel:            ## the Python package as a self-contained wheel in dist/, tried; needs network
	@tools/wheel.sh

check-solves:     ## 10,000 random problems, their answers judged in quadruple precision (ten minutes)
	@tools/setup.sh build
	@tools/build.sh release check_solves
	@build/release/tests/check_solves --count 10000

check-friction:   ## 100,000 random friction problems by all solvers, likewise (ten minutes)
	@tools/setup.sh build
	@tools/build.sh release check_friction
	@build/release/tests/check_friction --count 100000

grasps:           ## what friction holds and lets slip, by all that can press (two minutes)
	@tools/setup.sh build
	@tools/build.sh release grasps
	@build/release/tests/grasps

slides:           ## the deceleration of bodies that slide, roll and spin, at any step
	@tools/setup.sh build
	@tools/build.sh release slides
	@build/release/tests/slides

experiments:      ## the papers' experiments in full (quarter of an hour), kept in docs/experiments
	@tools/setup.sh build check python
	@tools/build.sh release abut_python abut_python_stub abut_cli
	@ABUT_PYTHON=$(CURDIR)/.venv/bin/python build/release/apps/abut/abut reproduce --all --out build/reproduced
	@PYTHONPATH=build/release/bindings/python .venv/bin/python tools/keep_experiments.py build/reproduced

mutants:          ## plant errors in a copy of the core: do its tests notice? (half an hour)
	@tools/setup.sh build
	@python3 tools/mutate.py

bench:            ## time steps of the clutter scenes
	@tools/setup.sh build
	@tools/setup.sh python
	@tools/build.sh release step_bench factor_bench peak_bench abut_python
	@.venv/bin/python benchmarks/bench.py
	@PYTHONPATH=build/release/bindings/python .venv/bin/python benchmarks/python_step.py

bench-peers:      ## the same beside Drake and MuJoCo
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@.venv/bin/python benchmarks/bench_peers.py

bench-robots:     ## robots beside Drake and MuJoCo
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@.venv/bin/python benchmarks/robots.py

energy:           ## how much energy contact makes in 1000 undamped collisions
	@tools/setup.sh build
	@tools/build.sh release energy
	@build/release/tests/energy collisions 1000

bench-accuracy:   ## error-controlled steps beside Drake's, on clutter
	@tools/setup.sh build peers python
	@tools/build.sh release abut_python
	@.venv/bin/python benchmarks/accuracy.py

bench-iterations: ## iterations of Newton's method beside those of Drake's, on clutter
	@tools/setup.sh build peers python
	@tools/build.sh release abut_python
	@.venv/bin/python benchmarks/iterations.py

bench-hulls:      ## models whose links collide as hulls beside MuJoCo; downloads their wheels
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@tools/fetch_models.sh
	@.venv/bin/python benchmarks/hulls.py

bench-models:     ## 75 models of dm_control, gymnasium and robosuite beside MuJoCo; likewise
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@tools/fetch_models.sh
	@.venv/bin/python benchmarks/models.py

bench-joined:     ## chains, nets and bridges of up to 1000 bodies beside MuJoCo
	@tools/setup.sh build peers
	@tools/build.sh release step_bench
	@.venv/bin/python benchmarks/joined.py

bench-friction:   ## friction problems of scenes, and of PROBLEMS=FOLDER, beside Siconos and Pinocchio
	@tools/setup.sh build siconos
	@tools/build.sh release abut_cli friction_bench siconos_friction pinocchio_friction
	@.venv/bin/python benchmarks/make_friction_problems.py build/release/benchmarks/friction
	@.venv/bin/python benchmarks/friction.py build/release/benchmarks/friction $(PROBLEMS)

bench-direct:     ## contact forces by pivoting beside one dense solve
	@tools/setup.sh build
	@tools/build.sh release direct_bench
	@build/release/benchmarks/direct_bench

bench-patch:      ## what a contact point costs in patches of 4 to 5000 points
	@tools/setup.sh build
	@tools/build.sh release patch_bench
	@build/release/benchmarks/patch_bench

bench-sparse:     ## a step of an elastic block of up to 17496 dofs, sparse and dense
	@tools/setup.sh build
	@tools/build.sh release sparse_bench
	@build/release/benchmarks/sparse_bench

docs:             ## the documentation as a site, in build/docs
	@tools/setup.sh build python
	@tools/build.sh release abut_python_stub
	@tools/test.sh docs
	@echo "build/docs/index.html"

bench-before:     ## against another build: `make bench-before BEFORE=../before/build/release`
	@tools/setup.sh build
	@tools/build.sh release step_bench abut_cli
	@.venv/bin/python benchmarks/before_after.py "$(BEFORE)"

bench-live:       ## what it costs a live simulation to be watched
	@tools/setup.sh build
	@tools/build.sh release abut_cli
	@.venv/bin/python benchmarks/live_view.py

format:           ## clang-format all sources in place
	@tools/setup.sh check
	@git ls-files '*.cpp' '*.hpp' | xargs .venv/bin/clang-format -i

clean:            ## remove build/ (keeps .venv)
	rm -rf build
