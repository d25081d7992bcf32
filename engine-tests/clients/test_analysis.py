"""Analysis: every line the engine shows can be played on a board, and says what Stockfish's lines say."""

import chess.engine
import pytest

from harness import atomic, openings, rows

POSITIONS = [board.fen() for board in openings(6)] + [
    # middlegames, pins on touching kings, promotions, castling through the other king's zone
    "r1b1kb1r/1pp2ppp/p1p5/4q3/8/1P6/P1PPBPPP/RNBQK2R w KQkq - 0 9",
    "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1",
    "r3k1R1/pb2K2p/2n5/2pppr2/3P4/2P1P3/PP3P1P/R7 b q - 3 23",
    "8/1P1k4/8/8/3K4/8/1p6/8 w - - 0 1",
    "8/3k4/8/3Pp3/8/8/8/4K3 w - e6 0 1",
]


@pytest.mark.parametrize("fen", POSITIONS)
def test_every_line_shown_is_legal_to_its_end(uci, fen):
    uci.send(f"position fen {fen}")
    uci.go("nodes 60000").assert_legal(atomic(fen))


@pytest.mark.parametrize("fen", POSITIONS[-5:])
def test_a_client_understands_every_line(client, fen):
    # The fixture fails the test if python-chess logged anything it could not read.
    board = atomic(fen)
    with client.analysis(board, chess.engine.Limit(nodes=30_000), multipv=3) as analysis:
        infos = [info for info in analysis if "pv" in info]
        best = analysis.wait()
    assert infos and best.move in board.legal_moves
    for info in infos:
        assert {"depth", "seldepth", "score", "nodes", "nps", "time"} <= info.keys()


def test_depth_and_nodes_only_grow(uci):
    search = uci.go("nodes 100000")
    exact = [info for info in search.infos if info.bound is None]
    assert [info.depth for info in exact] == sorted({info.depth for info in exact}), "one line for each finished depth"
    for values in ([info.nodes for info in search.infos], [info.time for info in search.infos]):
        assert values == sorted(values)
    assert all(info.seldepth >= 1 for info in search.infos)


def test_the_answer_is_the_first_move_of_the_last_line(uci):
    for opening in openings(5):
        uci.send(f"position fen {opening.fen()}")
        search = uci.go("depth 7")
        assert search.last.pv[0] == search.bestmove
        if search.ponder:
            assert search.last.pv[1] == search.ponder


def test_a_score_that_announces_mate_has_a_line_of_that_length(uci):
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6")
    search = uci.go("depth 10")
    assert search.last.mate == 2
    final = assert_ends_the_game("g1f3 d7d5 f3e5 f7f6", search.last.pv)
    assert len(search.last.pv) == 3 and not final.turn


def assert_ends_the_game(moves, line):
    board = atomic(moves=moves)
    for move in line:
        board.push_uci(move)
    assert board.is_checkmate() or board.is_variant_loss(), f"the line {' '.join(line)} does not end the game"
    return board


def test_a_side_that_is_mated_sees_a_negative_mate(uci):
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6 e5d7")
    assert uci.go("depth 6").last.mate == -1


def test_no_move_and_no_score_but_mate_when_the_game_is_over(uci):
    # The king exploded: nothing to play. The score says who lost.
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6 e5d7 h7h6 d7f8")
    search = uci.go("depth 5")
    assert search.bestmove == "(none)" and search.ponder is None
    assert [info.mate for info in search.infos] in ([], [0])


@pytest.mark.parametrize(
    "fen, score",
    [("R6k/6pp/8/8/8/8/6K1/8 b - - 0 1", "mate 0"), ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "cp 0")],
    ids=["checkmate", "stalemate"],
)
def test_checkmate_and_stalemate_get_no_move_and_the_right_score(uci, fen, score):
    assert not any(atomic(fen).legal_moves)
    uci.send(f"position fen {fen}")
    search = uci.go("depth 3")
    assert search.bestmove == "(none)" and f"score {score}" in search.lines[-2]


DRAWN_BY_RULE = [
    ("fen 8/8/3k4/8/8/3K4/8/8 w - - 0 1", ""),  # bare kings
    ("fen 8/8/3k4/8/8/3KN3/8/8 w - - 0 1", ""),  # a lone knight
    ("fen 6k1/8/8/3q4/8/8/1R6/1K6 w - - 100 120", ""),  # fifty moves
    ("fen 6k1/8/8/3q4/8/8/1R6/1K6 b - - 150 145", ""),  # seventy-five moves
    ("startpos", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"),  # threefold
    ("startpos", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"),  # fivefold
]


@pytest.mark.parametrize("position, moves", DRAWN_BY_RULE)
def test_a_position_drawn_by_rule_still_gets_a_move(uci, position, moves):
    # Draws are claimed, and not every client claims them.
    board = atomic(position.removeprefix("fen ") if position != "startpos" else atomic().fen(), moves)
    uci.send(f"position {position}" + (f" moves {moves}" if moves else ""))
    uci.go("depth 6").assert_legal(board)


def test_wdl_adds_up_and_follows_the_score(uci):
    uci.set("UCI_ShowWDL", "true")
    for moves, better in (("", None), ("g1f3 d7d5 f3e5 f7f6", True), ("g1f3 d7d5 f3e5", False)):
        uci.send(f"position startpos moves {moves}" if moves else "position startpos")
        last = uci.go("depth 8").last
        words = last.line.split()
        win, draw, loss = (int(words[words.index("wdl") + 1 + offset]) for offset in range(3))
        assert win + draw + loss == 1000 and min(win, draw, loss) >= 0
        if better is not None:
            assert (win > loss) is better


def test_the_same_position_again_gives_the_same_tree(uci):
    def search():
        uci.send("ucinewgame", "position startpos moves e2e3")
        result = uci.go("depth 8")
        return result.bestmove, result.last.nodes, result.last.pv

    assert search() == search()


def test_positions_from_the_perft_suite_are_analysed_without_fault(uci):
    for row in rows("perft.epd"):
        fen, chess960 = (field.strip() for field in row.split(";")[:2])
        is_960 = chess960.endswith("true")
        uci.say("ucinewgame", f"setoption name UCI_Chess960 value {'true' if is_960 else 'false'}", f"position fen {fen}")
        uci.go("nodes 20000").assert_legal(atomic(fen, chess960=is_960))
