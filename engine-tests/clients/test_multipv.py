"""MultiPV: several variations at once, best first, each with a first move of its own."""

import chess.engine

from harness import atomic, openings


def test_variations_start_differently_and_are_ordered(uci):
    uci.set("MultiPV", 4)
    for opening in openings(5):
        uci.send(f"position fen {opening.fen()}")
        search = uci.go("depth 7")
        search.assert_legal(opening)
        lines = {info.multipv: info for info in search.infos if info.depth == 7 and info.bound is None}
        assert set(lines) == {1, 2, 3, 4}
        assert len({info.pv[0] for info in lines.values()}) == 4
        scores = [lines[number].order for number in (1, 2, 3, 4)]
        assert scores == sorted(scores, reverse=True)
        assert search.bestmove == search.last.pv[0]


def test_no_more_variations_than_legal_moves(uci):
    fen = "7k/8/8/8/8/8/6q1/K7 w - - 0 1"
    moves = {move.uci() for move in atomic(fen).legal_moves}
    uci.set("MultiPV", 50)
    uci.send(f"position fen {fen}")
    search = uci.go("depth 5")
    assert {info.pv[0] for info in search.infos if info.depth == 5} == moves
    assert max(info.multipv for info in search.infos) == len(moves)


def test_all_legal_moves_can_be_shown(client):
    board = atomic()
    infos = client.analyse(board, chess.engine.Limit(depth=4), multipv=256)
    assert {info["pv"][0] for info in infos} == set(board.legal_moves)


def test_one_variation_again_after_several(uci):
    uci.set("MultiPV", 3)
    uci.go("depth 4")
    uci.set("MultiPV", 1)
    assert {info.multipv for info in uci.go("depth 6").infos} == {1}


def test_the_losing_moves_of_a_known_trap_are_all_seen(uci):
    # After 1.Nf3 d5 2.Ne5 every reply loses within two moves.
    moves = "g1f3 d7d5 f3e5"
    uci.set("MultiPV", 30)
    uci.send(f"position startpos moves {moves}")
    search = uci.go("depth 8")
    last = {info.pv[0]: info for info in search.infos if info.depth == 8}
    assert set(last) == {move.uci() for move in atomic(moves=moves).legal_moves}
    assert all(info.mate is not None and -2 <= info.mate < 0 for info in last.values())
