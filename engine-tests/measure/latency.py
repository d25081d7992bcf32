"""How long Fission takes from its start to `uciok`, and from `stop` to `bestmove`."""

import argparse
import random
import time

from measure import MIDDLEGAMES, Uci, engine_command, spread, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=100)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--hash", type=int, default=64)
arguments = parser.parse_args()


def milliseconds_since(begin):
    return (time.perf_counter() - begin) * 1000


starts = []
for _ in range(arguments.rounds):
    begin = time.perf_counter()
    engine = Uci(engine_command())  # waits for uciok
    starts.append(milliseconds_since(begin))
    engine.quit()
print(f"start to uciok:   {spread(starts, 'ms')}")

engine = start(engine_command(), Threads=arguments.threads, Hash=arguments.hash)
stops = []
for round_ in range(arguments.rounds):
    engine.send(f"position fen {MIDDLEGAMES[round_ % len(MIDDLEGAMES)]}", "go infinite")
    engine.line()
    time.sleep(random.uniform(0.01, 0.2))
    begin = time.perf_counter()
    engine.send("stop")
    engine.until("bestmove")
    stops.append(milliseconds_since(begin))
engine.quit()
print(f"stop to bestmove: {spread(stops, 'ms')} ({arguments.threads} thread(s), {arguments.hash} MiB)")
