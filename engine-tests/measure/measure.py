"""What the measuring scripts share. They print numbers and judge nothing: close other programs before you trust one.

Each script compares in one run, taking turns, so that a busy machine slows both sides alike. `make measure` runs what measures without games.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))

from harness import START, Uci, atomic, engine_command, peer_command, rows  # noqa: E402, F401

MIDDLEGAMES = [line + " 0 1" for line in rows("middlegames.epd")]


def start(command, **options):
    """An engine that plays atomic, with its options set (underscores stand for blanks)."""
    engine = Uci(command)
    engine.send("setoption name UCI_Variant value atomic")
    for name, value in options.items():
        engine.send(f"setoption name {name.replace('_', ' ')} value {value}")
    engine.ready()
    return engine


def timed_search(engine, fen, milliseconds):
    """Nodes and milliseconds of a search of about this time from an empty hash table."""
    engine.send("ucinewgame", f"position fen {fen}")
    engine.ready()
    last = engine.go(f"movetime {milliseconds}").infos[-1]
    return last.nodes, max(last.time, 1)


def speeds(engines, milliseconds):
    """Nodes per second of each of `engines` (name to engine) over the middlegames, taking turns; prints a row each."""
    print("".join(f"{name:>16}" for name in engines) + "   position")
    totals = {name: [0, 0] for name in engines}
    for fen in MIDDLEGAMES:
        row = ""
        for name, engine in engines.items():
            nodes, time = timed_search(engine, fen, milliseconds)
            totals[name][0] += nodes
            totals[name][1] += time
            row += f"{nodes * 1000 // time:16,}"
        print(row, " ", fen)
    rates = {name: nodes * 1000 / time for name, (nodes, time) in totals.items()}
    print("".join(f"{rate:16,.0f}" for rate in rates.values()) + "   all together")
    return rates


def spread(values, unit):
    """Median, 99th percentile and greatest of some measurements, as text."""
    ordered = sorted(values)
    late = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return f"median {statistics.median(ordered):.2f} {unit}, 99% within {late:.2f} {unit}, worst {ordered[-1]:.2f} {unit}"
