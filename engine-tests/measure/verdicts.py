"""How long Fission takes, on one thread, to see what `engine-tests/data/known-cases.tsv` says must be seen."""

import time

from measure import engine_command, rows, start

LIMIT = 20  # seconds
DRAWN_TO_DEPTH = 40

for row in rows("known-cases.tsv"):
    fen, verdict, _ = row.split("\t")
    engine = start(engine_command(), Threads=1)
    drawn = verdict.startswith("score 0")
    engine.send(f"position fen {fen}")
    begin = time.perf_counter()
    engine.send(f"go depth {DRAWN_TO_DEPTH}" if drawn else f"go movetime {LIMIT * 1000}")
    seen = None
    while not (line := engine.line()).startswith("bestmove"):
        if (
            seen is None
            and "bound" not in line
            and ((" score mate " in line) if not drawn else f" depth {DRAWN_TO_DEPTH} " in line)
        ):
            seen = (time.perf_counter() - begin, line.split(" score ")[1].split(" nodes")[0])
            engine.send("stop")
    print(f"{seen[0]:7.3f} s  {seen[1]:9}" if seen else f"   not within {LIMIT} s", f" {fen}   {verdict}")
    engine.ready()
    engine.quit()
