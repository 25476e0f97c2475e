"""The reference of `npm run bench -- lp`: the same simulation as numpy's users write it, chunked so that it stays in the cache.

Reads one JSON line per run from standard input: {"price", "sigma", "drift", "years", "bounds": [[lower, upper], ...], "paths",
"steps", "seed"}, and answers each with {"cpuMs", "timeInRange", "terminalInRange", "il"}. An upper bound of null is infinite.
"""

import json
import sys
import time

import numpy as np

CHUNK_NUMBERS = 1 << 18


def simulate(run):
    price, sigma, drift, years = run["price"], run["sigma"], run["drift"], run["years"]
    paths, steps = run["paths"], run["steps"]
    ranges = [(lower, np.inf if upper is None else upper) for lower, upper in run["bounds"]]
    rng = np.random.default_rng(run["seed"])
    dt = years / steps
    chunk = max(1, CHUNK_NUMBERS // steps)
    share = np.zeros(len(ranges))
    terminal = np.zeros(len(ranges))
    loss = np.zeros(len(ranges))
    with np.errstate(divide="ignore"):
        bounds = [(np.log(lower / price), np.log(upper / price)) for lower, upper in ranges]
    for first in range(0, paths, chunk):
        count = min(chunk, paths - first)
        logs = rng.standard_normal((count, steps))
        logs *= sigma * np.sqrt(dt)
        logs += (drift - sigma * sigma / 2) * dt
        np.cumsum(logs, axis=1, out=logs)
        ends = logs[:, -1]
        prices = price * np.exp(ends)
        for index, (lower, upper) in enumerate(bounds):
            inside = (logs >= lower) & (logs < upper)
            at_end = np.count_nonzero(inside[:, -1])
            start = 0.5 if lower <= 0 < upper else 0.0
            share[index] += np.count_nonzero(inside) - 0.5 * at_end + start * count
            terminal[index] += at_end
            loss[index] += (value(prices, ranges[index]) / hodl(prices, price, ranges[index]) - 1).sum()
    return {
        "timeInRange": (share / (paths * steps)).tolist(),
        "terminalInRange": (terminal / paths).tolist(),
        "il": (loss / paths).tolist(),
    }


def amounts(price, bounds):
    """What a position of liquidity 1 holds (whitepaper of v3, equations 6.29 and 6.30)."""
    lower, upper = bounds
    root = np.sqrt(np.clip(price, lower, upper))
    return 1 / root - 1 / np.sqrt(upper), root - np.sqrt(lower)


def value(prices, bounds):
    amount0, amount1 = amounts(prices, bounds)
    return amount0 * prices + amount1


def hodl(prices, entry, bounds):
    amount0, amount1 = amounts(entry, bounds)
    return amount0 * prices + amount1


for line in sys.stdin:
    run = json.loads(line)
    begin = time.process_time()
    answer = simulate(run)
    answer["cpuMs"] = (time.process_time() - begin) * 1000
    print(json.dumps(answer), flush=True)
