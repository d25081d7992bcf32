"""Finds balanced starts for matches, as in `src/tournament/openings.epd`: random legal moves from the start position, judged by Fission.

A start is kept if a short search and then a long one see neither side ahead. The same seed, program and numbers give the same list.
"""

import argparse
import os
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from measure import START, atomic, engine_command, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--count", type=int, default=500, help="how many starts (default: %(default)s)")
parser.add_argument("--seed", type=int, default=1, help="the seed of the random moves (default: %(default)s)")
parser.add_argument("--plies", type=int, nargs=2, default=(3, 8), help="fewest and most plies (default: 3 8)")
parser.add_argument("--sieve", type=int, nargs=2, default=(15_000, 100), help="nodes and centipawns of the short search")
parser.add_argument("--judge", type=int, nargs=2, default=(1_000_000, 60), help="nodes and centipawns of the long search")
arguments = parser.parse_args()

engines = threading.local()


def candidates():
    """Positions after random moves, each once, as EPD."""
    generator = random.Random(arguments.seed)
    seen = set()
    while True:
        board = atomic(START)
        for _ in range(generator.randint(*arguments.plies)):
            if board.is_game_over():
                break
            board.push(generator.choice(list(board.legal_moves)))
        if not board.is_game_over() and board.epd() not in seen:
            seen.add(board.epd())
            yield board.epd()


def is_balanced(epd):
    """Whether both searches see neither side ahead."""
    if not hasattr(engines, "engine"):
        engines.engine = start(engine_command(), Threads=1, Hash=64)
    engine = engines.engine
    for nodes, margin in (arguments.sieve, arguments.judge):
        engine.send("ucinewgame", f"position fen {epd} 0 1")
        verdict = engine.go(f"nodes {nodes}").last
        if verdict.cp is None or abs(verdict.cp) > margin:
            return False
    return True


found = tried = 0
stream = candidates()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    while found < arguments.count:
        batch = [next(stream) for _ in range(256)]
        for epd, balanced in zip(batch, pool.map(is_balanced, batch), strict=True):
            if balanced:
                found += 1
                print(epd, flush=True)
            if found == arguments.count:
                break
        tried += len(batch)
        if sys.stderr.isatty():
            print(f"\r{found} of {arguments.count} found, {tried:,} tried", end="", file=sys.stderr)
    pool.shutdown(cancel_futures=True)
if sys.stderr.isatty():
    print(file=sys.stderr)
