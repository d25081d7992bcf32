"""The limits of `go`: each does what it says, alone and together."""

import pytest

from harness import START, atomic


def test_depth_is_reached_and_not_passed(uci):
    for depth in (1, 2, 5, 9):
        assert uci.go(f"depth {depth}").last.depth == depth


def test_nodes_are_kept_to(uci):
    for nodes in (1, 100, 5000, 100_000):
        search = uci.go(f"nodes {nodes}")
        search.assert_legal(atomic())
        # Checked every so often: a few thousand nodes late at the most.
        assert max((info.nodes for info in search.infos), default=0) <= nodes + 5000


def test_movetime_ends_by_itself(uci):
    for milliseconds in (1, 50, 300):
        uci.go(f"movetime {milliseconds}").assert_legal(atomic())


@pytest.mark.parametrize(
    "clock",
    [
        "wtime 1000 btime 1000",
        "wtime 1000 btime 1000 winc 100 binc 100",
        "wtime 1000 btime 1000 movestogo 10",
        "wtime 1000 btime 1000 movestogo 1",
        "wtime 1 btime 1",
        "wtime 0 btime 0",
        "wtime 0 btime 0 winc 50 binc 50",
        "wtime -50 btime -50",  # clients report a clock that has run out like this
        "wtime 500 btime 999999999",
        "wtime 500",
    ],
)
def test_every_clock_brings_an_answer(uci, clock):
    uci.go(clock).assert_legal(atomic())


def test_black_looks_at_its_own_clock(uci):
    uci.send("position startpos moves e2e4")
    uci.go("wtime 999999999 btime 300").assert_legal(atomic(moves="e2e4"))  # ends by itself


def test_an_only_move_is_played_without_much_thought(uci):
    fen = "6kr/8/8/8/8/8/5PPP/6K1 w - - 0 1"
    board = atomic(fen)
    uci.send(f"position fen {fen}")
    uci.go("wtime 3000 btime 3000").assert_legal(board)


def test_searchmoves_restricts_the_first_move(uci):
    for moves in ("a2a3", "a2a3 h2h4", "g1f3 e2e4 b1c3"):
        for arguments in (f"searchmoves {moves} depth 6", f"depth 6 searchmoves {moves}"):
            search = uci.go(arguments)
            search.assert_legal(atomic())
            assert search.bestmove in moves.split()
            assert {info.pv[0] for info in search.infos} <= set(moves.split())


def test_searchmoves_finds_the_best_of_the_bad(uci):
    # Nd7 wins; asked for another move, the engine must not announce that mate.
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6")
    search = uci.go("depth 6 searchmoves a2a3 a2a4")
    assert search.bestmove in ("a2a3", "a2a4") and search.last.mate != 2


def test_mate_search_proves_a_mate(uci):
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6")
    search = uci.go("mate 2")
    assert search.bestmove == "e5d7" and search.last.mate == 2


def test_limits_together_end_at_the_first(uci):
    assert uci.go("depth 3 nodes 100000000 movetime 100000").last.depth == 3
    assert uci.go("depth 99 nodes 3000").last.depth < 99


def test_perft_counts_the_legal_moves(uci):
    assert uci.legal_moves() == {move.uci() for move in atomic().legal_moves}
    assert [uci.perft(depth) for depth in (1, 2, 3, 4)] == [20, 400, 8902, 197326]


def test_a_search_in_a_long_game_starts_from_its_end(uci):
    shuffle = "g1f3 g8f6 f3g1 f6g8"
    moves = " ".join([shuffle] * 250) + " e2e4"
    uci.send(f"position startpos moves {moves}")
    uci.go("depth 4").assert_legal(atomic(moves="e2e4"))


def test_both_ways_to_write_a_castling_move_are_understood(uci):
    fen = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
    for move in ("e1g1", "e1h1"):
        assert uci.say(f"position fen {fen} moves {move}") == []
        board = atomic(fen, "e1g1")
        assert uci.legal_moves() == {move.uci() for move in board.legal_moves}


def test_the_start_position_by_its_fen_is_the_start_position(uci):
    uci.send("position startpos")
    by_name = uci.go("depth 6").last.nodes
    uci.send("ucinewgame", f"position fen {START}")
    assert uci.go("depth 6").last.nodes == by_name
