"""Games judged a second on one and on two threads, and whether memory stays flat (Linux only: reads /proc).

Where other programs share the machine, the processor time of a game says more than the games a second.
"""

import argparse
import os
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
    print("threads   games   games a second   processor s a game   MiB after a tenth   highest since   at the end", flush=True)
    for threads in arguments.threads:
        out = Path(folder) / f"{threads}.jsonl"
        command = [*engine_command(), "analyse", str(pgn), "--nodes", str(arguments.nodes), "--threads", str(threads)]
        begin = time.monotonic()
        process = subprocess.Popen([*command, f"--json={out}"], stderr=subprocess.DEVNULL)
        samples = []
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            samples.append(resident_mebibytes(process.pid))
            time.sleep(0.2)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        worked = ended[2].ru_utime + ended[2].ru_stime
        with out.open(encoding="utf-8") as lines:
            games = sum(1 for _ in lines)
        samples = [sample for sample in samples if sample]
        later = samples[len(samples) // 10 :]
        print(
            f"{threads:7}   {games:5}   {games / seconds:14.2f}   {worked / games:18.2f}   {later[0]:17.1f}   {max(later):13.1f}   {later[-1]:10.1f}",
            flush=True,
        )
