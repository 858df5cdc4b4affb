#!/usr/bin/env python3
"""Compares with Drake and MuJoCo on the same scenes in the same run: `make bench-peers`.

3 s of clutter from its start, stepping only, one thread, medians over several heaps of a kind and of
their ratios, of which the least and the largest are shown, too: another heap goes another way. abut
is certified at 1e-6 in every step; Drake runs at its default tolerance and the same stiffness
(k = 1e7 N/m, d = 10 s/m); MuJoCo with Newton's method, elliptic cones, its default softness and
tolerance; a pile of 80 bodies also, and larger ones only, by its conjugate gradients.
"""

import argparse
import statistics
import sys

import cases

PEERS = cases.ROOT / "benchmarks" / "peers"
# kind, bodies, abut's model, the peer
PAIRS = [("wide", 40, "sap", "drake sap"), ("wide", 40, "lagged", "drake lagged"),
         ("wide", 40, "similar", "drake similar"),
         ("wide", 40, "sap", "mujoco"), ("wide", 40, "lagged", "mujoco"),
         ("wide", 100, "sap", "mujoco"), ("wide", 400, "sap", "mujoco"),
         ("wide", 1000, "sap", "mujoco"), ("tall", 80, "sap", "mujoco"),
         ("tall", 80, "lagged", "mujoco"), ("tall", 80, "sap", "mujoco cg"),
         ("tall", 80, "lagged", "mujoco cg"), ("tall", 160, "sap", "mujoco cg"),
         ("tall", 320, "sap", "mujoco cg")]
DT, DURATION = 0.002, 3
# turns of a heap of few bodies, which take tenths of a second; all others, and Drake, run once
FEW, ROUNDS = 100, 3


def run(program, kind, count, seed):
    stem = cases.scene(kind, count, seed)
    if program.startswith("abut"):
        return cases.step(kind, count, program.split()[1], DT, DURATION, seed=seed)
    one_thread = {"OMP_NUM_THREADS": "1"}
    peer, *which = program.split()
    if peer == "mujoco":
        command = [PEERS / "mujoco_step.py", stem.with_suffix(".xml"), DT, DURATION]
        command += ["--solver", *which] if which else []
    else:
        command = [PEERS / "drake_step.py", stem.with_suffix(".json"), *which, DT, DURATION]
    return cases.run_json([sys.executable] + command, one_thread)


def ratio_of(mine, theirs):
    """Of a heap, the median over its rounds: a shared machine may be half as fast a minute later."""
    return statistics.median(t["us_per_step"] / m["us_per_step"] for m, t in zip(mine, theirs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heaps", type=int, default=5)
    seeds = ["", *range(1, parser.parse_args().heaps)]
    # each program on the same heaps, whatever the number of pairs it is in: results by heap
    programs = {}
    for kind, count, model, peer in PAIRS:
        programs.setdefault((kind, count), {}).update({f"abut {model}": [], peer: []})
    failed = 0
    for (kind, count), runs in programs.items():
        for seed in seeds:
            for program, results in runs.items():
                results.append([])
            for turn in range(ROUNDS if count <= FEW else 1):
                for program, results in runs.items():
                    if turn == 0 or not program.startswith("drake"):
                        results[-1].append(run(program, kind, count, seed))
                        failed += results[-1][-1].get("failed_steps", 0)
    print(f"{'scene':12}  {'abut':8}  {'us/step':>9}  {'peer':14}  {'us/step':>9}  peer / abut")
    rows = []
    for kind, count, model, peer in PAIRS:
        mine, theirs = (programs[kind, count][p] for p in (f"abut {model}", peer))
        ratios = [ratio_of(*heap) for heap in zip(mine, theirs)]
        ratio, least, most = statistics.median(ratios), min(ratios), max(ratios)
        mine_us, theirs_us = (statistics.median(min(r["us_per_step"] for r in heap) for heap in heaps)
                              for heaps in (mine, theirs))
        print(f"{kind}_{count:<{11 - len(kind)}}  {model:8}  {mine_us:9.1f}  {peer:14}  {theirs_us:9.1f}"
              f"  {ratio:6.2f}  {least:.2f} to {most:.2f}")
        rows.append({"scene": f"{kind}_{count}", "heaps": len(seeds), "dt": DT, "model": model,
                     "abut_us_per_step": round(mine_us, 2), "peer": peer,
                     "peer_version": theirs[0][0]["version"],
                     "peer_us_per_step": round(theirs_us, 2), "ratio": round(ratio, 3),
                     "ratio_least": round(least, 3), "ratio_most": round(most, 3),
                     "isa": mine[0][0]["isa"]})
    if failed:
        print(f"{failed} of abut's steps did not converge")
    cases.write_results("peers", rows)


main()
