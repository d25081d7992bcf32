"""How long `go mate N` takes to prove the wins of `engine-tests/data/mates.epd`, beside the plain search that announces them.

Both run on one thread in one process each, with an empty table. Counted is the processor time of the process from `go` to `bestmove`,
which other programs on the machine do not change, and the best of several runs. The plain search first runs until it announces a
mate of that length; then it is run again for as many nodes as it took. (Linux only: reads the clock of another process.)
"""

import argparse
import re
import time

import chess.variant
from measure import engine_command, rows, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--runs", type=int, default=5, help="runs of each position, of which the fastest counts")
parser.add_argument("--limit", type=int, default=30, help="seconds for the plain search of a position")
parser.add_argument("--each", action="store_true", help="print every position")
arguments = parser.parse_args()


def processor_time(engine):
    """Seconds that all threads of the engine's process have run so far."""
    return time.clock_gettime(~engine.process.pid << 3 | 2)


def search(engine, fen, moves, command, stops=False):
    """Processor time of a search, and its nodes when it first told a win in at most `moves`."""
    engine.send("ucinewgame", f"position fen {fen}")
    engine.ready()
    begin = processor_time(engine)
    engine.send(command)
    nodes = None
    while not (line := engine.line()).startswith("bestmove"):
        told = re.search(r" score mate (\d+) .*nodes (\d+)", line)
        if told and nodes is None and "bound" not in line and int(told.group(1)) <= moves:
            nodes = int(told.group(2))
            if stops:
                engine.send("stop")
    return processor_time(engine) - begin, nodes


def best(engine, fen, moves, command):
    return min(search(engine, fen, moves, command)[0] for _ in range(arguments.runs))


solver, plain = (start(engine_command(), Threads=1, Hash=16) for _ in range(2))
totals = {}
for row in rows("mates.epd"):
    board, operations = chess.variant.AtomicBoard.from_epd(row)
    fen, moves = board.fen(), operations["dm"]
    proof_nodes = search(solver, fen, moves, f"go mate {moves}")[1]
    assert proof_nodes, f"no win in {moves} proved: {fen}"
    proof = best(solver, fen, moves, f"go mate {moves}")
    plain_nodes = search(plain, fen, moves, f"go movetime {arguments.limit * 1000}", True)[1]
    announced = best(plain, fen, moves, f"go nodes {plain_nodes}") if plain_nodes else arguments.limit
    totals.setdefault(moves, []).append((proof, announced, proof_nodes, plain_nodes or 0))
    if arguments.each:
        print(f"{moves} {announced / proof:8.2f} {1e6 * proof:10.0f} us {1e6 * announced:10.0f} us {proof_nodes:10,} {plain_nodes or 0:10,}  {fen}", flush=True)

print("moves  positions  proof (ms)  plain (ms)   ratio  proof nodes  plain nodes  twice as fast  slower")


def show(name, all):
    proof, announced, proof_nodes, plain_nodes = (sum(column) for column in zip(*all))
    twice = sum(row[1] >= 2 * row[0] for row in all)
    slower = sum(row[1] < row[0] for row in all)
    print(
        f"{name:>5} {len(all):10} {1e3 * proof:11.1f} {1e3 * announced:11.1f} {announced / proof:7.2f} "
        f"{proof_nodes:12,} {plain_nodes:12,} {twice:14} {slower:7}"
    )


for moves in sorted(totals):
    show(moves, totals[moves])
show("all", [row for all in totals.values() for row in all])
solver.quit()
plain.quit()
