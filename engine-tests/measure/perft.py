"""Speed of perft by Fission's own move generator and by the shakmaty library, one thread each."""

import argparse
import re
import subprocess

from measure import engine_command, rows

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--depth", type=int, default=5)
parser.add_argument("--positions", type=int, default=8)
arguments = parser.parse_args()


def perft(fen, *options):
    """Leaves and seconds."""
    command = [*engine_command(), "perft", str(arguments.depth), "--fen", fen, "--threads", "1", *options]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    nodes, seconds = re.search(r"(\d+) nodes in ([\d.]+) s", text).groups()
    return int(nodes), float(seconds)


totals = {"Fission": [0, 0.0], "shakmaty": [0, 0.0]}
print("     Fission    shakmaty   million leaves a second")
for row in rows("perft.epd")[: arguments.positions]:
    fen = row.split(";")[0].strip()
    line = ""
    for name, options in (("Fission", ()), ("shakmaty", ("--reference",))):
        nodes, seconds = perft(fen, *options)
        totals[name][0] += nodes
        totals[name][1] += seconds
        line += f"{nodes / max(seconds, 1e-9) / 1e6:12.1f}"
    print(line, " ", fen)
assert totals["Fission"][0] == totals["shakmaty"][0], "the two count differently"
rates = {name: nodes / seconds / 1e6 for name, (nodes, seconds) in totals.items()}
print("".join(f"{rate:12.1f}" for rate in rates.values()) + "   all together")
print(f"Fission counts {rates['Fission'] / rates['shakmaty']:.2f} times as fast as shakmaty")
