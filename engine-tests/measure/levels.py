"""Are `Skill Level` and `UCI_Elo` in order of strength? Four steps each, neighbours play a match of fast games."""

import argparse
import subprocess

from measure import Uci, engine_command

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--games", type=int, default=60, help="games of each pair of neighbours")
parser.add_argument("--tc", default="1+0.01", help="time control, seconds+increment")
parser.add_argument("--concurrency", type=int, default=1)
parser.add_argument("--levels", type=int, nargs="+", default=[0, 5, 10, 15])
arguments = parser.parse_args()


def ratings():
    """Four ratings spread over what the engine declares."""
    engine = Uci(engine_command())
    words = next(line for line in engine.greeting if line.startswith("option name UCI_Elo")).split()
    engine.quit()
    low, high = int(words[words.index("min") + 1]), int(words[words.index("max") + 1])
    return [low + (high - low) * step // 3 for step in range(4)]


def player(kind, value):
    options = [f"option.{kind}={value}"] + (["option.UCI_LimitStrength=true"] if kind == "UCI_Elo" else [])
    return ["--engine", f"name={kind} {value}", *options]


for kind, values in (("Skill Level", arguments.levels), ("UCI_Elo", ratings())):
    for weaker, stronger in zip(values, values[1:]):
        command = [*engine_command(), "match", *player(kind, stronger), *player(kind, weaker)]
        command += [
            "--tc",
            arguments.tc,
            "--games",
            str(arguments.games),
            "--concurrency",
            str(arguments.concurrency),
            "--seed",
            "1",
        ]
        print(f"\n{kind}: {stronger} against {weaker}", flush=True)
        subprocess.run(command, check=True)
