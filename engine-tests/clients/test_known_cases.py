"""Positions that engines are known to have misjudged: the verdict must be right."""

import pytest

from harness import LIVENESS, atomic, rows

DEEPEST = 40


def draw_at_every_depth(uci, board):
    search = uci.go(f"depth {DEEPEST}")
    search.assert_legal(board)
    assert {info.depth for info in search.infos} == set(range(1, DEEPEST + 1))
    assert [info.line for info in search.infos if info.cp != 0] == []


def wins_in(moves, first=None):
    def check(uci, board):
        search = uci.go(f"mate {moves}")
        search.assert_legal(board)
        assert search.last.mate is not None and 0 < search.last.mate <= moves
        if first:
            assert search.bestmove == first

    return check


def loses_in(moves):
    def check(uci, board):
        search = uci.go("depth 10")
        search.assert_legal(board)
        assert search.last.mate is not None and -moves <= search.last.mate < 0

    return check


CHECKS = {
    "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1": draw_at_every_depth,
    "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1": wins_in(15),  # mate in ten against the best defence
    "8/8/8/K7/1k6/p7/Q7/8 w - - 8 22": wins_in(1, "a2a3"),
    "rnb1kbnr/ppp1pppp/8/3q4/8/7P/PPPP1PP1/RNBQKBNR b KQkq - 0 1": wins_in(1),
    "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2": loses_in(2),
    "r1bqkbnr/pppnpppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 2 3": wins_in(1, "e5d7"),
    "rnbqkb1r/pppppppp/8/8/3Pn3/4PN2/PPP2PPP/RNBQKB1R b KQkq - 0 3": wins_in(1, "e4f2"),
}

CASES = [row.split("\t") for row in rows("known-cases.tsv")]


@pytest.mark.parametrize("fen, verdict, kind", CASES, ids=[kind for _, _, kind in CASES])
def test_known_case(uci, fen, verdict, kind):
    assert fen in CHECKS, f"no check for the case {fen!r} ({verdict})"
    uci.send(f"position fen {fen}")
    CHECKS[fen](uci, atomic(fen))


DECIDED = [case for case in CASES if CHECKS.get(case[0]) is not draw_at_every_depth]


@pytest.mark.parametrize("fen, verdict, kind", DECIDED, ids=[kind for _, _, kind in DECIDED])
def test_a_plain_search_sees_the_mate(uci, fen, verdict, kind):
    # The same without being told that there is a mate: the search goes on until it announces it.
    uci.send(f"position fen {fen}", f"go movetime {int(LIVENESS * 1000)}")
    decided = False
    while not decided:
        line = uci.line()
        assert not line.startswith("bestmove"), f"{verdict}: not seen"
        decided = " score mate " in line and "bound" not in line
    uci.send("stop")
    uci.result().assert_legal(atomic(fen))


def test_a_win_stays_won_when_played_out(uci):
    # Queen against pawn, kings touching: the engine makes good on the mate it announces, against its own defence.
    fen = "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1"
    board = atomic(fen)
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        moves = " ".join(move.uci() for move in board.move_stack)
        uci.send(f"position fen {fen}" + (f" moves {moves}" if moves else ""))
        board.push_uci(uci.go("nodes 500000").bestmove)
    assert board.result() == "1-0"
