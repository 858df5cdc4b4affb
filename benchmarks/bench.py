#!/usr/bin/env python3
"""Times factorizations, and steps of clutter scenes: `make bench`.

3 s of each scene from its start, stepping only, one thread; then two large ones on two threads as
well, the runs in turns, of a pile also after it has come to rest. Times are the best of three runs;
everything else is the same in each, which is checked by the state hash. "late" counts allocations
in the last half of the run. "rounds" is the mean number of times that the island with most of them
gave friction a new gamma_n0, "lag" the largest lag error, "lagging" the steps with an island above
the lag tolerance.

Another table has the operations of a step's factorizations alone, and the bytes of one pass over
all arrays of contacts in each iteration, used by the model or not. Beside them the part of the
solve's time that these would take at this core's peak, in registers and over 1 MiB that is read
and written, the larger of before and after.

One heap of 40 is a sample, others of the kind take more or less. How the time grows with the number
of bodies is measured, stage by stage, over 25 heaps of 40 and 4 of 1000, in turns.
"""

import math

import cases

CASES = [("wide", n, "sap", 0.002) for n in (10, 40, 100, 400, 1000)]
CASES += [("tall", n, "sap", 0.002) for n in (10, 40, 80, 160)]
CASES += [(kind, n, model, dt)
          for kind, n in (("wide", 40), ("tall", 80))
          for model in ("sap", "lagged", "similar") for dt in (0.002, 0.01)]
REPEATS = 3
HEAPS = {40: 25, 1000: 4}  # bodies, number of them
STAGES = ("us_per_step", "query", "problem", "solve", "rest")

# key, title, format
COLUMNS = [("scene", "scene", "<10"), ("model", "model", "<7"), ("dt", "dt s", ">6g"),
           ("us_per_step", "us/step", ">8.1f"), ("query", "query", ">7.1f"),
           ("problem", "problem", ">7.1f"), ("solve", "solve", ">8.1f"), ("rest", "rest", ">6.1f"),
           ("iterations", "its", ">5.2f"), ("iterations_max", "max", ">3"),
           ("factorizations", "factors", ">7.1f"), ("contacts", "contacts", ">8.1f"),
           ("allocations_first_half", "alloc", ">6"),
           ("allocations_last_half", "late", ">4"),
           ("lag_rounds", "rounds", ">6.1f"), ("lag_error_max", "lag", ">7.1e"),
           ("lagging_steps", "lagging", ">7"), ("certificate_max", "error", ">7.1e"),
           ("failed_steps", "failed", ">6"),
           ("state_hash", "state hash", "<16")]

FACTOR_COLUMNS = [("state", "state", "<6"), ("bodies", "bodies", ">6"),
                  ("factor_blocks", "blocks", ">6"), ("factor_us", "factor us", ">9.1f"),
                  ("eigen_factor_us", "Eigen", ">8.1f"), ("ratio", "ratio", ">5.1f"),
                  ("solve_us", "solve us", ">8.1f"), ("eigen_solve_us", "Eigen", ">6.1f"),
                  ("symbolic_us", "symbolic us", ">11.1f"), ("difference", "differ", ">7.1e")]

WORK_COLUMNS = [("scene", "scene", "<10"), ("model", "model", "<7"), ("dt", "dt s", ">6g"),
                ("solve", "solve us", ">8.1f"), ("kflop", "kflop", ">8.1f"),
                ("flop_share", "at peak %", ">9.1f"), ("kbyte", "kbyte", ">8.1f"),
                ("byte_share", "at peak %", ">9.1f")]

GROWTH_COLUMNS = [("stage", "stage", "<11"), ("us_per_body_40", "us/body, 40", ">11.4f"),
                  ("us_per_body_1000", "1000", ">8.4f"), ("ratio", "ratio", ">6.3f"),
                  ("exponent", "exponent", ">8.3f")]

THREAD_COLUMNS = [("scene", "scene", "<10"), ("after", "after", ">5.1f")] + [
    (f"{stage}_{threads}", f"{title} {threads}", ">9.1f")
    for stage, title in (("us_per_step", "us/step"), ("query", "query"), ("problem", "problem"),
                         ("solve", "solve"), ("rest", "rest")) for threads in (1, 2)
] + [("ratio", "ratio", ">5.2f")]


def best_of_runs(kind, count, model, dt):
    runs = [cases.step(kind, count, model, dt, 3) for _ in range(REPEATS)]
    if len({r["state_hash"] for r in runs}) != 1:
        raise SystemExit(f"{kind} {count} {model}: runs differ in their last bits")
    best = min(runs, key=lambda r: r["us_per_step"])
    stages = {key: min(r[key] for r in runs) for key in STAGES[1:]}
    return {"scene": f"{kind}_{count}", **best, **stages}


def bench_factor():
    states = sorted((cases.ROOT / "benchmarks" / "states").glob("*.txt"))
    rows = cases.run_json_lines([cases.BUILD / "benchmarks" / "factor_bench", *states])
    print("one factorization beside Eigen's SimplicialLLT, best times")
    cases.print_table(FACTOR_COLUMNS, rows)
    cases.write_results("factor", rows)


def bench_clutter():
    rows = cases.print_table(COLUMNS, (best_of_runs(*case) for case in dict.fromkeys(CASES)))
    time = {(r["scene"], r["model"], r["dt"]): r["us_per_step"] for r in rows}
    growth = math.log(time["wide_1000", "sap", 0.002] / time["wide_40", "sap", 0.002])
    print(f"wide_40 to wide_1000: time grows as n^{growth / math.log(1000 / 40):.2f}")
    cases.write_results("clutter", rows)
    return rows


def bench_growth():
    """Time per body of small and of large heaps, of each the best of two runs."""
    best = {}
    for _ in range(2):
        for seed in range(1, HEAPS[40] + 1):
            for count in (40, 1000) if seed <= HEAPS[1000] else (40,):
                run = cases.step("wide", count, "sap", 0.002, 3, seed=seed)
                known = best.setdefault((count, seed), run)
                if run["state_hash"] != known["state_hash"]:
                    raise SystemExit(f"wide {count}, seed {seed}: runs differ in their last bits")
                for stage in STAGES:
                    known[stage] = min(known[stage], run[stage])
    rows = []
    for stage in STAGES:
        small, large = (sum(run[stage] for (n, _), run in best.items() if n == count)
                        / (count * HEAPS[count]) for count in (40, 1000))
        rows.append({"stage": stage, "us_per_body_40": round(small, 5),
                     "us_per_body_1000": round(large, 5), "ratio": round(large / small, 3),
                     "exponent": round(1 + math.log(large / small) / math.log(1000 / 40), 3)})
    heaps = " and ".join(f"{n} heaps of {count}" for count, n in HEAPS.items())
    print(f"wide clutter, {heaps}: time grows as n^exponent")
    cases.print_table(GROWTH_COLUMNS, rows)
    cases.write_results("growth", rows)


def measure_peak():
    return cases.run_json([cases.BUILD / "benchmarks" / "peak_bench"])


def compare_with_peak(before, clutter):
    """What factorizations and passes over contacts would take at the core's peak."""
    after = measure_peak()
    peak = {"isa": after["isa"], **{key: max(before[key], after[key])
                                    for key in ("gflops", "gbytes_per_s")}}
    print(f"this core with {peak['isa']}: {peak['gflops']:.1f} Gflop/s in registers, "
          f"{peak['gbytes_per_s']:.1f} GB/s over 1 MiB")
    rows = [{"scene": r["scene"], "model": r["model"], "dt": r["dt"], "solve": r["solve"],
             "kflop": round(r["factor_flops"] / 1e3, 1),
             "flop_share": round(100 * r["factor_flops"] / (1e3 * peak["gflops"] * r["solve"]), 1),
             "kbyte": round(r["pass_bytes"] / 1e3, 1),
             "byte_share": round(100 * r["pass_bytes"] / (1e3 * peak["gbytes_per_s"] * r["solve"]), 1),
             "isa": peak["isa"], "gflops": peak["gflops"], "gbytes_per_s": peak["gbytes_per_s"]}
            for r in clutter]
    cases.print_table(WORK_COLUMNS, rows)
    cases.write_results("work", rows)


def bench_threads():
    """Two threads beside one: what each stage takes, and whether the bits are the same."""
    rows = []
    for kind, count, after in (("wide", 1000, 0), ("tall", 320, 0), ("tall", 320, 2.5)):
        runs = {1: [], 2: []}
        for _ in range(REPEATS):
            for threads, results in runs.items():
                results.append(cases.step(kind, count, "sap", 0.002, 1, threads, after=after))
        if len({r["state_hash"] for results in runs.values() for r in results}) != 1:
            raise SystemExit(f"{kind} {count} after {after} s: the bits depend on the threads")
        one, two = (min(results, key=lambda r: r["us_per_step"]) for results in runs.values())
        rows.append({"scene": f"{kind}_{count}", "after": after,
                     **{f"{stage}_{threads}": run[stage]
                        for stage in STAGES
                        for threads, run in ((1, one), (2, two))},
                     "ratio": round(one["us_per_step"] / two["us_per_step"], 3)})
    print("one thread and two, best times of a second, the first or after some")
    cases.print_table(THREAD_COLUMNS, rows)
    cases.write_results("threads", rows)


bench_factor()
compare_with_peak(measure_peak(), bench_clutter())
bench_growth()
bench_threads()
