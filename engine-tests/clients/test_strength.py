"""Playing below full strength: always legal, and really below."""

import chess.engine
import pytest

from harness import atomic, openings


def declared(uci, name):
    """The least and the greatest value of a spin option."""
    words = next(line for line in uci.greeting if line.startswith(f"option name {name} type spin")).split()
    return int(words[words.index("min") + 1]), int(words[words.index("max") + 1])


@pytest.mark.parametrize("level", [0, 5, 10, 15, 20])
def test_every_skill_level_plays_legal_moves(uci, level):
    uci.set("Skill Level", level)
    for opening in openings(6):
        uci.send(f"position fen {opening.fen()}")
        uci.go("nodes 5000").assert_legal(opening)


def test_every_declared_rating_plays_legal_moves(uci):
    uci.set("UCI_LimitStrength", "true")
    low, high = declared(uci, "UCI_Elo")
    for rating in (low, (low + high) // 2, high):
        uci.set("UCI_Elo", rating)
        for opening in openings(4):
            uci.send(f"position fen {opening.fen()}")
            uci.go("movetime 30").assert_legal(opening)


def test_the_weakest_level_does_not_play_like_the_strongest(uci):
    def answers():
        moves = []
        for opening in openings(20):
            uci.send("ucinewgame", f"position fen {opening.fen()}")
            moves.append(uci.go("depth 6").bestmove)
        return moves

    strongest = answers()
    uci.set("Skill Level", 0)
    assert answers() != strongest


def test_a_rating_counts_only_when_strength_is_limited(uci):
    def answer():
        uci.send("ucinewgame", "position startpos moves e2e3")
        search = uci.go("depth 7")
        return search.bestmove, search.last.nodes

    full = answer()
    uci.set("UCI_Elo", declared(uci, "UCI_Elo")[0])
    assert answer() == full


def test_a_weak_engine_still_plays_the_only_move(uci):
    # After 1.Nf3 d5 2.Ne5 f6 3.Nd7 Black may do anything; here is a king with one square to go to.
    fen = "7k/8/8/8/8/8/6q1/K7 w - - 0 1"
    uci.set("Skill Level", 0)
    uci.send(f"position fen {fen}")
    uci.go("depth 4").assert_legal(atomic(fen))


def test_a_weak_engine_plays_a_whole_game(client):
    client.configure({"Skill Level": 0})
    board = atomic()
    while not board.is_game_over(claim_draw=True) and board.ply() < 120:
        board.push(client.play(board, chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.02, black_inc=0.02)).move)


def test_full_strength_comes_back(uci):
    def answer():
        uci.send("ucinewgame", "position startpos")
        search = uci.go("depth 7")
        return search.bestmove, search.last.nodes

    full = answer()
    uci.set("Skill Level", 3)
    answer()
    uci.set("Skill Level", 20)
    assert answer() == full
