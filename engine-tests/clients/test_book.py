"""Opening books, held against python-chess's reader and keys of the Polyglot format."""

import random

import chess
import chess.pgn
import chess.polyglot
import pytest

from harness import atomic

LINES = ["g1f3 f7f6 f3d4", "g1f3 f7f6 e2e3", "g1f3 e7e5 f3g5", "e2e4 d7d5 e4e5 f7f5"]


def write_games(path, lines):
    with path.open("w") as file:
        for line in lines:
            game = chess.pgn.Game.from_board(atomic(moves=line))
            game.headers["Variant"] = "Atomic"
            print(game, file=file, end="\n\n")


@pytest.fixture
def book(fission, tmp_path):
    games, path = tmp_path / "games.pgn", tmp_path / "book.bin"
    write_games(games, LINES)
    fission("book", "build", str(games), "--out", str(path))
    return path


def test_python_chess_finds_every_move_in_the_book(book):
    with chess.polyglot.open_reader(book) as reader:
        for line in LINES:
            board = atomic()
            for text in line.split():
                move = chess.Move.from_uci(text)
                assert move in {entry.move for entry in reader.find_all(board)}
                board.push(move)


def test_keys_agree_in_random_games(fission, tmp_path):
    rng = random.Random(5)
    lines = []
    for _ in range(20):
        board = atomic()
        while not board.is_game_over() and board.ply() < 60:
            moves = list(board.legal_moves)
            pushes = [move for move in moves if board.piece_type_at(move.from_square) == chess.PAWN]
            board.push(rng.choice(pushes if pushes and rng.random() < 0.5 else moves))
        lines.append(" ".join(move.uci() for move in board.move_stack))
    games, path = tmp_path / "games.pgn", tmp_path / "book.bin"
    write_games(games, lines)
    fission("book", "build", str(games), "--out", str(path), "--plies", "60")
    with chess.polyglot.open_reader(path) as reader:
        for line in lines:
            board = atomic()
            for text in line.split():
                move = chess.Move.from_uci(text)
                assert move in {entry.move for entry in reader.find_all(board, minimum_weight=0)}, board.fen()
                board.push(move)


def test_the_engine_plays_from_the_book_only_when_told(uci, book):
    uci.set("BookFile", book)
    uci.send("position startpos moves g1f3")
    assert uci.go("nodes 2000").infos
    uci.set("OwnBook", "true")
    seen = set()
    for _ in range(40):
        search = uci.go("nodes 2000")
        assert not search.infos
        seen.add(search.bestmove)
    assert seen == {"f7f6", "e7e5"}
    uci.send("position startpos moves a2a3")
    assert uci.go("nodes 2000").infos


def test_a_bad_book_is_refused_and_the_old_one_kept(uci, book, tmp_path):
    uci.set("OwnBook", "true")
    uci.set("BookFile", book)
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"no book")
    for path in (broken, tmp_path / "missing.bin", tmp_path / "missing.pgn"):
        (remark,) = uci.say(f"setoption name BookFile value {path}")
        assert str(path) in remark
    uci.send("position startpos moves g1f3")
    assert not uci.go("nodes 2000").infos


def test_the_embedded_book_varies_the_first_move(uci):
    uci.set("OwnBook", "true")
    uci.send("position startpos")
    assert len({uci.go("nodes 2000").bestmove for _ in range(40)}) >= 3


def test_a_book_is_shown(fission, book):
    assert "f6" in fission("book", "show", "Nf3", "--book", str(book)).stdout
    assert "Nf3" in fission("book", "show").stdout
