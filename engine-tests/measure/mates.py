"""How long `go mate N` takes to prove the wins of `engine-tests/data/mates.epd`, beside the plain search that announces them.

Both run on one thread and take turns. The plain search is timed until it first announces a mate of that length.
"""

import re
import time

import chess.variant
from measure import engine_command, rows, start

LIMIT = 30  # seconds for one position


def seconds(engine, fen, moves, command, stops):
    """Time until a win in at most `moves` is told, and the nodes till then."""
    engine.send("ucinewgame", f"position fen {fen}")
    engine.ready()
    begin = time.perf_counter()
    engine.send(command)
    seen = None
    while not (line := engine.line()).startswith("bestmove"):
        told = re.search(r" score mate (\d+) .*nodes (\d+)", line)
        if told and seen is None and "bound" not in line and int(told.group(1)) <= moves:
            seen = time.perf_counter() - begin, int(told.group(2))
            if stops:
                engine.send("stop")
    return seen or (LIMIT, 0)


engine = start(engine_command(), Threads=1, Hash=64)
totals = {}
for row in rows("mates.epd"):
    board, operations = chess.variant.AtomicBoard.from_epd(row)
    moves = operations["dm"]
    proof = seconds(engine, board.fen(), moves, f"go mate {moves}", False)
    plain = seconds(engine, board.fen(), moves, f"go movetime {LIMIT * 1000}", True)
    totals.setdefault(moves, []).append((*proof, *plain))

print("moves  positions  proof (s)  plain (s)  ratio  proof nodes  plain nodes  twice as fast in")


def show(name, all):
    proof, proof_nodes, plain, plain_nodes = (sum(column) for column in zip(*all))
    twice = sum(row[2] >= 2 * row[0] for row in all)
    print(f"{name:>5} {len(all):10} {proof:10.2f} {plain:10.2f} {plain / proof:6.2f} {proof_nodes:12,} {plain_nodes:12,} {twice:10}")


for moves in sorted(totals):
    show(moves, totals[moves])
show("all", [row for all in totals.values() for row in all])
engine.quit()
