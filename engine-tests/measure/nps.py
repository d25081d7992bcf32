"""Nodes per second of Fission and of the multi-variant Stockfish, one thread each, over the same middlegames."""

import argparse

from measure import engine_command, peer_command, speeds, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--time", type=int, default=1000, help="milliseconds for each position")
arguments = parser.parse_args()

fission = start(engine_command(), Threads=1, Hash=64)
stockfish = start(peer_command(), Threads=1, Hash=64)
rates = speeds({"Fission": fission, "stockfish-mv": stockfish}, arguments.time)
print(f"Fission makes {rates['Fission'] / rates['stockfish-mv']:.2f} times the nodes per second of stockfish-mv.wasm")
for engine in (fission, stockfish):
    engine.quit()
