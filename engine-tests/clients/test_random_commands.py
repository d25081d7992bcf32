"""Whatever a client sends, in whatever order: every `go` gets exactly one answer, and the engine ends in good order."""

import random
import time

import pytest

from harness import LIVENESS, rows

FENS = [row.split(";")[0].strip() for row in rows("perft.epd")] + [row.split("\t")[0] for row in rows("rules.tsv")]
FENS += ["8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/4K3 b - - 0 1", "nonsense"]
MOVES = "e2e4 e7e5 g1f3 d7d5 f3e5 f7f6 e5d7 e1g1 e1h1 e8c8 a7a8q 0000 e2e5 xx".split()


def position(choice):
    start = choice.choice(["startpos", f"fen {choice.choice(FENS)}"])
    moves = " ".join(choice.choice(MOVES) for _ in range(choice.randrange(6)))
    return f"position {start}" + (f" moves {moves}" if moves else "")


def go(choice):
    limits = [
        f"depth {choice.randint(-1, 6)}",
        f"nodes {choice.randint(-1, 3000)}",
        f"movetime {choice.randint(-5, 30)}",
        f"wtime {choice.randint(-10, 300)} btime {choice.randint(-10, 300)}",
        "winc 3 binc 3",
        f"movestogo {choice.randint(-1, 5)}",
        f"searchmoves {choice.choice(MOVES)}",
        "ponder",
        "infinite",
        f"mate {choice.randint(-1, 2)}",
        "nonsense",
    ]
    return " ".join(["go", *choice.sample(limits, choice.randint(0, 3))])


def option(choice):
    name, low, high = choice.choice(
        [
            ("Threads", 0, 5),
            ("Hash", 0, 40),
            ("MultiPV", 0, 6),
            ("Skill Level", -1, 21),
            ("UCI_Elo", 700, 2900),
            ("Move Overhead", 0, 100),
        ]
    )
    switch = choice.choice(["UCI_Chess960", "UCI_ShowWDL", "UCI_AnalyseMode", "UCI_LimitStrength", "Ponder", "OwnBook"])
    variant = choice.choice(["atomic", "nocheckatomic", "chess"])
    return choice.choice(
        [
            f"setoption name {name} value {choice.randint(low, high)}",
            f"setoption name {switch} value {choice.choice(['true', 'false'])}",
            f"setoption name UCI_Variant value {variant}",
            "setoption name Clear Hash",
        ]
    )


def noise(choice):
    return "".join(chr(choice.randrange(1, 300)) for _ in range(choice.randrange(30))).replace("\n", " ")


def fixed(choice):
    return choice.choice(["stop", "stop", "ponderhit", "isready", "uci", "ucinewgame", "d", "eval", "flip", "help", ""])


@pytest.mark.parametrize("seed", range(5))
def test_every_go_among_random_commands_gets_exactly_one_answer(uci, seed):
    choice = random.Random(seed)
    searches = 0
    for _ in range(150):
        line = choice.choices([position, go, option, noise, fixed], [3, 4, 1, 1, 4])[0](choice)
        searches += line.startswith("go")
        uci.send(line.encode("utf-8") + b"\n")
        if choice.random() < 0.2:
            time.sleep(choice.random() * 0.03)
    answers = 0
    end = time.monotonic() + LIVENESS
    while answers < searches and time.monotonic() < end:
        uci.send("stop")
        answers += sum(line.startswith("bestmove") for line in uci.overhear(0.05))
    answers += sum(line.startswith("bestmove") for line in uci.ready())
    assert answers == searches
