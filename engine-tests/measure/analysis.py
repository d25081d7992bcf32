"""Games judged a second on one and on two threads, and whether memory stays flat (Linux only: reads /proc)."""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from measure import engine_command

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--games", type=int, default=1000)
parser.add_argument("--nodes", type=int, default=10_000, help="nodes for each position")
parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
parser.add_argument("--pgn", type=Path, help="games to judge instead of fresh ones")
arguments = parser.parse_args()


def resident_mebibytes(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))
    except (FileNotFoundError, StopIteration):
        return None


with tempfile.TemporaryDirectory() as folder:
    pgn = arguments.pgn
    if pgn is None:
        pgn = Path(folder) / "games.pgn"
        sides = ["--engine", "name=one", "--engine", "name=two"]
        limits = ["--nodes", "300", "--games", str(arguments.games), "--seed", "1", "--concurrency", "2"]
        command = [*engine_command(), "match", *sides, *limits, "--pgn", str(pgn), "--journal", f"{folder}/journal"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print("threads   games   games a second   MiB after a tenth   MiB at the end")
    for threads in arguments.threads:
        out = Path(folder) / f"{threads}.jsonl"
        command = [*engine_command(), "analyse", str(pgn), "--nodes", str(arguments.nodes), "--threads", str(threads)]
        begin = time.monotonic()
        process = subprocess.Popen([*command, f"--json={out}"], stderr=subprocess.DEVNULL)
        samples = []
        while process.poll() is None:
            samples.append(resident_mebibytes(process.pid))
            time.sleep(0.2)
        seconds = time.monotonic() - begin
        with out.open(encoding="utf-8") as lines:
            games = sum(1 for _ in lines)
        samples = [sample for sample in samples if sample]
        early, late = samples[len(samples) // 10], max(samples[len(samples) * 9 // 10 :])
        print(f"{threads:7}   {games:5}   {games / seconds:14.2f}   {early:17.1f}   {late:14.1f}")
