"""Peak memory of Fission beyond its hash table, for several sizes of it (Linux only: reads /proc)."""

import argparse

from measure import MIDDLEGAMES, engine_command, start

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--sizes", type=int, nargs="+", default=[1, 16, 256, 1024], help="hash sizes in MiB")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--time", type=int, default=2000, help="milliseconds of search before memory is read")
arguments = parser.parse_args()


def peak_mebibytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


print("Hash (MiB)   peak (MiB)   beyond Hash (MiB)")
for size in arguments.sizes:
    engine = start(engine_command(), Threads=arguments.threads, Hash=size)
    engine.send(f"position fen {MIDDLEGAMES[0]}")
    engine.go(f"movetime {arguments.time}")
    peak = peak_mebibytes(engine.process.pid)
    print(f"{size:10}   {peak:10.1f}   {peak - size:17.1f}")
    engine.quit()
