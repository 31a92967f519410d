"""Tunes a kernel with and without ptxlint, each in a process and an empty cache of its own."""
import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time

import torch
import triton

import ptxlint.triton


def _tune(kernel, configs, key, make_launch, asked):
    """Wall time of the first call, which tunes; then the time of the config that it chose."""
    prune = asked.mode == "pruned"
    pruner = ptxlint.triton.Pruner(threads=asked.threads)
    tuned = triton.autotune(configs=configs, key=key)(kernel)
    if prune:
        pruner.attach(tuned)
    launch = make_launch(tuned)
    torch.cuda.synchronize()                        # what the first use of a GPU costs
    begin = time.perf_counter()
    launch()
    torch.cuda.synchronize()
    wall = time.perf_counter() - begin
    kept = sum(one.is_kept for one in pruner.decisions) if prune else len(configs)
    time_us = 1000 * triton.testing.do_bench(launch, warmup=100, rep=400)
    timings = {str(one): 1000 * spent[0] for one, spent in tuned.configs_timings.items()}
    rows = [(str(one.config), one.predicted_us, one.why) for one in pruner.decisions]
    return {"wall_s": wall, "time_us": time_us, "kept": kept, "best": str(tuned.best_config),
            "timings": timings, "decisions": rows}


def _in_process(mode):
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TRITON_CACHE_DIR": cache}
        command = [sys.executable, sys.argv[0], "--mode", mode, *sys.argv[1:]]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True,
                              check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _show(full, pruned, verbose):
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}")
    for name, one in (("all configs", full), ("pruned", pruned)):
        print(f"{name:12} {one['wall_s']:7.2f} s  {one['kept']:3} configs timed  "
              f"{one['time_us']:9.2f} us  {one['best']}")
    least = min(full["timings"].values())
    found = min((full["timings"][one] for one in pruned["timings"]), default=least)
    print(f"saved {1 - pruned['wall_s'] / full['wall_s']:.1%} of the wall time; the best that is "
          f"kept takes {found / least - 1:+.2%} of the best of all, the one that is chosen "
          f"{pruned['time_us'] / full['time_us'] - 1:+.2%}")
    for config, predicted, why in pruned["decisions"] if verbose else ():
        shown = "-" if predicted is None else f"{predicted:.1f}"
        print(f"  {full['timings'].get(config, 0):9.1f} us {shown:>9} us  {config}: {why}")


def main(kernel, configs, key, make_launch):
    """make_launch: called with the tuned kernel, returns what launches it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("full", "pruned"), help=argparse.SUPPRESS)
    parser.add_argument("--verbose", action="store_true", help="each config and why")
    parser.add_argument("--threads", type=int, default=0, help="that the pruner compiles with")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    if asked.mode:
        print(json.dumps(_tune(kernel, configs, key, make_launch, asked)))
    else:
        _show(_in_process("full"), _in_process("pruned"), asked.verbose)
