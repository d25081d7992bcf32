"""Forced wins: the program's proofs, judged move by move by python-chess."""

import io

import chess
import chess.pgn
import pytest

from harness import DATA, assert_line_is_legal, atomic

# Knight to d7: nothing may take it, and the king explodes next move.
MATE_IN_TWO = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3"
DRAWN = "2q1k3/4K3/8/8/8/8/8/8 b - - 0 1"


def is_won(board, side):
    return board.is_variant_loss() and board.turn != side or board.is_checkmate() and board.turn != side


def assert_proof(board, node, side):
    """Every reply of the losing side is in the tree, and every leaf is won by `side`."""
    if is_won(board, side):
        assert not node.variations
        return 0
    moves = {child.move for child in node.variations}
    legal = set(board.legal_moves)
    if board.turn == side:
        assert len(moves) == 1 and moves <= legal
    else:
        assert moves == legal and legal
    depths = []
    for child in node.variations:
        board.push(child.move)
        depths.append(assert_proof(board, child, side))
        board.pop()
    return max(depths) + (board.turn == side)


def test_the_tree_is_a_whole_proof(fission):
    text = fission("mate", MATE_IN_TWO, "--max", "3", "--tree").stdout
    assert text.startswith("White wins in 2 and not faster")
    game = chess.pgn.read_game(io.StringIO(text[text.index("[Event") :]))
    assert not game.errors and game.headers["Result"] == "1-0"
    assert assert_proof(game.board(), game, chess.WHITE) == 2


def test_no_win_is_said_when_every_move_was_tried(fission):
    result = fission("mate", MATE_IN_TWO, "--max", "1")
    assert "no forced win in 1 or fewer" in result.stdout
    assert "no forced win" in fission("mate", DRAWN, "--max", "4").stdout


def test_a_game_that_is_over_has_no_win(fission, tmp_path):
    result = fission("mate", "8/8/8/K7/1k6/p7/Q7/8 w - - 100 90")
    assert "No forced win" in result.stdout and "fifty-move rule" in result.stdout and result.returncode == 0
    path = tmp_path / "over.epd"
    path.write_text("8/8/8/K7/1k6/p7/Q7/8 w - - hmvc 100;\n8/8/8/K7/1k6/p7/Q7/8 w - - hmvc 99;\n")
    over, won = fission("mate", str(path)).stdout.splitlines()
    assert "fifty-move rule" in over and " dm " not in over and " dm 1;" in won


def test_a_limit_leaves_the_question_open_and_the_exit_status_tells(fission):
    result = fission("mate", atomic().fen(), "--max", "20", "--nodes", "20000", succeeds=False)
    assert "Not decided" in result.stdout and result.returncode == 1


def test_a_file_is_solved_in_its_order_and_wrong_lines_are_named(fission, tmp_path):
    lines = (DATA / "mates.epd").read_text().splitlines()
    lines = [line for line in lines if not line.startswith("#")][::8]
    path = tmp_path / "some.epd"
    path.write_text("\n".join([lines[0], "nonsense", *lines[1:]]) + "\n")
    result = fission("mate", str(path), "--max", "6", succeeds=False)
    assert result.returncode == 1 and "line 2" in result.stderr and "nonsense" in result.stderr
    answers = result.stdout.splitlines()
    assert len(answers) == len(lines)
    for line, answer in zip(lines, answers):
        board, wanted = chess.variant.AtomicBoard.from_epd(line)
        same, found = chess.variant.AtomicBoard.from_epd(answer)
        assert board.epd() == same.epd() and found["dm"] == wanted["dm"]
        assert len(found["pv"]) == 2 * wanted["dm"] - 1
        for move in found["pv"]:
            board.push(move)
        assert is_won(board, same.turn)


@pytest.mark.parametrize("bad", ["hello there", "no-such-file.epd", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_a_wrong_position_is_named(fission, bad):
    result = fission("mate", bad, succeeds=False)
    assert result.returncode == 2 and bad.split()[0] in result.stderr and "panicked" not in result.stderr


def test_go_mate_reports_the_proof_and_plays_it(uci):
    uci.send(f"position fen {MATE_IN_TWO}")
    search = uci.go("mate 4")
    search.assert_legal(atomic(MATE_IN_TWO))
    assert search.bestmove == "e5d7" and search.last.mate == 2


def test_go_mate_without_a_mate_still_gives_a_move(uci):
    uci.send("position startpos")
    for limits in ("mate 2 nodes 20000", "mate 9 movetime 300", "mate 1", "mate 9 wtime 1000 btime 1000"):
        search = uci.go(limits)
        search.assert_legal(atomic())
        assert search.infos and search.last.mate is None


def test_go_mate_obeys_stop(uci):
    uci.send("position startpos", "go mate 30 infinite")
    uci.overhear(0.3)
    uci.send("stop")
    uci.result().assert_legal(atomic())


def test_go_mate_keeps_to_the_moves_asked_for(uci):
    uci.send(f"position fen {MATE_IN_TWO}")
    search = uci.go("mate 2 nodes 50000 searchmoves a2a3 b2b3")
    assert search.bestmove in ("a2a3", "b2b3")
    assert_line_is_legal(atomic(MATE_IN_TWO), [search.bestmove])
