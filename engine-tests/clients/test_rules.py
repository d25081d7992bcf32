"""The rules as a client meets them: move lists and outcomes of both rule sets, Chess960 included."""

import random

import pytest

from harness import atomic, rows

RULES = [row.split("\t") for row in rows("rules.tsv")]


def setup(uci, fen, chess960="false", variant="atomic"):
    assert (
        uci.say(
            f"setoption name UCI_Variant value {variant}", f"setoption name UCI_Chess960 value {chess960}", f"position fen {fen}"
        )
        == []
    )


@pytest.mark.parametrize("fen, chess960, move, legal, result, why", RULES, ids=[row[5] for row in RULES])
def test_rule(uci, fen, chess960, move, legal, result, why):
    setup(uci, fen, chess960)
    moves = uci.legal_moves()
    assert (move in moves) is (legal == "yes"), why
    remarks = uci.say(f"position fen {fen} moves {move}")
    assert bool(remarks) is (legal == "no"), f"{why}: {remarks}"
    if legal == "yes" and result in ("1-0", "0-1"):
        assert uci.go("depth 3").bestmove == "(none)", "the king is gone: no move is left"


def perft_cases():
    for row in rows("perft.epd"):
        fen, chess960, *counts = (field.strip() for field in row.split(";"))
        yield fen, chess960.split()[1], dict(count.split() for count in counts)


CASES = list(perft_cases())


@pytest.mark.parametrize("fen, chess960, counts", CASES, ids=[case[0] for case in CASES])
def test_perft_under_both_rule_sets(uci, fen, chess960, counts):
    for variant, letter in (("atomic", "D"), ("nocheckatomic", "N")):
        setup(uci, fen, chess960, variant)
        for depth in (1, 2, 3):
            assert uci.perft(depth) == int(counts[f"{letter}{depth}"])


@pytest.mark.parametrize("seed", range(4))
def test_every_position_of_a_random_game_has_the_moves_that_python_chess_says(uci, seed):
    choice = random.Random(seed)
    for _ in range(4):
        chess960 = choice.random() < 0.5
        start = atomic()
        if chess960:
            start.set_chess960_pos(choice.randrange(960))
            start.chess960 = True
        setup(uci, start.fen(shredder=chess960), "true" if chess960 else "false")
        board = start.copy()
        while not board.is_game_over() and board.ply() < 150:
            board.push(choice.choice(list(board.legal_moves)))
            moves = " ".join(move.uci() for move in board.move_stack)
            uci.send(f"position fen {start.fen(shredder=chess960)} moves {moves}")
            expected = set() if board.is_variant_end() else {move.uci() for move in board.legal_moves}
            assert uci.legal_moves() == expected, board.fen()


def test_atomic_is_played_without_being_asked_for(start_uci):
    uci = start_uci()
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6")
    assert uci.go("depth 6").last.mate == 2
    uci.quit()


@pytest.mark.parametrize("name", ["atomic", "Atomic", "ATOMIC", "nocheckatomic", "NoCheckAtomic"])
def test_variant_names_match_in_any_letter_case(uci, name):
    assert uci.say(f"setoption name UCI_Variant value {name}") == []
    # Castling through an attacked square tells the rule sets apart.
    uci.send("position fen r3k3/8/8/8/8/8/8/3RK3 b q - 0 1")
    assert ("e8c8" in uci.legal_moves()) is (name.lower() == "nocheckatomic")


def test_under_icc_rules_a_king_may_be_left_in_attack_and_is_exploded(uci):
    # A rook attacks e8; the engine may ignore it as Black, and as White explodes the king through the pawn beside it.
    setup(uci, "4k3/3p4/8/8/8/8/8/3QK2R b - - 0 1", variant="nocheckatomic")
    assert "d7d5" in uci.legal_moves() and "e8f7" in uci.legal_moves()
    setup(uci, "4k3/3p4/8/8/8/8/8/3QK2R w - - 0 1", variant="nocheckatomic")
    search = uci.go("depth 4")
    assert search.bestmove == "d1d7" and search.last.mate == 1


def test_under_icc_rules_a_king_that_can_be_taken_is_a_position(uci):
    # The queen attacks the king and it is White's move: impossible under lichess rules, a win under ICC rules.
    fen = "3qk3/8/8/8/8/8/8/3QK3 w - - 0 1"
    setup(uci, fen, variant="nocheckatomic")
    search = uci.go("depth 3")
    assert search.bestmove == "d1d8" and search.last.mate == 1


def test_under_icc_rules_having_no_move_is_a_draw(uci):
    # Three pieces on the only squares a king could go to, which it cannot take.
    fen = "kQ6/RN6/8/8/8/8/8/7K b - - 0 1"
    setup(uci, fen, variant="nocheckatomic")
    assert uci.legal_moves() == set()
    search = uci.go("depth 3")
    assert search.bestmove == "(none)" and "score cp 0" in search.lines[-2]


def test_a_whole_game_under_icc_rules_is_legal_to_its_end(uci):
    # The engine checks every move it is sent: had it played an illegal one, it would complain at the next position.
    uci.set("UCI_Variant", "nocheckatomic")
    moves = []
    while len(moves) < 300:
        assert uci.say("position startpos" + (" moves " + " ".join(moves) if moves else "")) == []
        legal = uci.legal_moves()
        search = uci.go("nodes 2000")
        if not legal:
            assert search.bestmove == "(none)"
            break
        assert search.bestmove in legal
        moves.append(search.bestmove)


@pytest.mark.parametrize(
    "x_fen, shredder_fen",
    [
        ("rkr5/ppp5/8/8/8/8/PPP5/RKR5 w KQkq - 0 1", "rkr5/ppp5/8/8/8/8/PPP5/RKR5 w CAca - 0 1"),
        ("2kr3r/8/8/8/8/8/8/2KR3R w Kk - 0 1", "2kr3r/8/8/8/8/8/8/2KR3R w Hh - 0 1"),
    ],
)
def test_both_notations_for_castling_rights_are_read(uci, x_fen, shredder_fen):
    setup(uci, x_fen, "true")
    expected = uci.legal_moves()
    assert expected == {move.uci() for move in atomic(x_fen, chess960=True).legal_moves}
    setup(uci, shredder_fen, "true")
    assert uci.legal_moves() == expected


def test_a_chess960_castling_move_is_king_takes_rook(uci):
    fen = "rkr5/ppp5/8/8/8/8/PPP5/RKR5 w KQkq - 0 1"
    setup(uci, fen, "true")
    assert "b1c1" in uci.legal_moves()
    board = atomic(fen, "b1c1", chess960=True)
    assert uci.say(f"position fen {fen} moves b1c1") == []
    assert uci.legal_moves() == {move.uci() for move in board.legal_moves}
