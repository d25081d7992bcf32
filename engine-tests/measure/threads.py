"""Nodes per second with one thread and with several, over the same middlegames."""

import argparse

from measure import engine_command, speeds, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--time", type=int, default=1000, help="milliseconds for each position")
parser.add_argument("--threads", type=int, default=2)
arguments = parser.parse_args()

many = f"{arguments.threads} threads"
engines = {
    "1 thread": start(engine_command(), Threads=1, Hash=64),
    many: start(engine_command(), Threads=arguments.threads, Hash=64),
}
rates = speeds(engines, arguments.time)
print(f"{many} make {rates[many] / rates['1 thread']:.2f} times the nodes per second of one")
for engine in engines.values():
    engine.quit()
