"""How long `go mate N` takes to prove the wins of `engine-tests/data/mates.epd`, beside the plain search that announces them.

Both run on one thread in one process each, with an empty table. Counted is the processor time of the process from `go` to `bestmove`,
which other programs on the machine hardly change, and the best of several runs; what `go perft 1` takes, which is to read a command and
start a thread, is taken off. The plain search first runs until it announces a mate of that length; then it is run again for as many nodes
as it took. (Linux only: reads the clock of another process.)
"""

import argparse
import re
import statistics
import time

import chess.variant
from measure import engine_command, rows, start

NODES = 1_000_000_000  # more than the solver needs: limits are nodes, not time, since the machine may be busy

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--runs", type=int, default=5, help="runs of each position, of which the fastest counts")
parser.add_argument("--nodes", type=int, default=5_000_000, help="the plain search of a position gives up after so many")
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


def overhead(engine):
    """Processor time of a command that does next to nothing, the median of many."""
    times = []
    for _ in range(100):
        begin = processor_time(engine)
        engine.send("go perft 1")
        engine.until("Nodes searched")
        times.append(processor_time(engine) - begin)
    return statistics.median(times)


def best(engine, fen, moves, command):
    fastest = min(search(engine, fen, moves, command)[0] for _ in range(arguments.runs))
    return max(fastest - idle, 1e-6)


solver, plain = (start(engine_command(), Threads=1, Hash=16) for _ in range(2))
idle = min(overhead(solver), overhead(plain))
totals = {}
given_up = 0
for row in rows("mates.epd"):
    board, operations = chess.variant.AtomicBoard.from_epd(row)
    fen, moves = board.fen(), operations["dm"]
    proof_nodes = search(solver, fen, moves, f"go mate {moves} nodes {NODES}")[1]
    assert proof_nodes, f"no win in {moves} proved: {fen}"
    proof = best(solver, fen, moves, f"go mate {moves} nodes {NODES}")
    announced, plain_nodes = search(plain, fen, moves, f"go nodes {arguments.nodes}", True)
    given_up += plain_nodes is None
    if plain_nodes:
        announced = best(plain, fen, moves, f"go nodes {plain_nodes}")
    totals.setdefault(moves, []).append((proof, announced, proof_nodes, plain_nodes or arguments.nodes))
    if arguments.each:
        print(
            f"{moves} {announced / proof:8.2f} {1e6 * proof:10.0f} us {1e6 * announced:10.0f} us "
            f"{proof_nodes:10,} {plain_nodes or arguments.nodes:10,}  {fen}",
            flush=True,
        )

print(f"{1e6 * idle:.0f} us for a command that does nothing")
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
print(f"{given_up} given up by the plain search after {arguments.nodes:,} nodes, and counted as if it had announced them then")
solver.quit()
plain.quit()
