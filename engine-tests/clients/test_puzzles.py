"""Puzzles: mined from games, written in three formats, solved at the keyboard."""

import io
import json

import chess
import chess.pgn
import chess.variant
import pytest

# Rook to g7 with check and on to g8: the only way to win.
GAME = """[Variant "Atomic"]
[SetUp "1"]
[FEN "1r1r2k1/3R4/5ppp/p1P2P2/7P/8/P5P1/2K5 w - - 0 1"]

1. Rg7+ Kf8 2. Rg8+ Ke7 3. Rxd8# 1-0

"""


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAME)
    return str(path)


def test_a_game_gives_its_puzzle_in_every_format(fission, games):
    epd = fission("puzzles", games, "--nodes", "20000").stdout.splitlines()
    assert len(epd) == 1
    board, operations = chess.variant.AtomicBoard.from_epd(epd[0])
    assert operations["bm"] == [operations["pv"][0]] and operations["dm"] == 3
    for move in operations["pv"]:
        board.push(move)
    assert board.is_variant_loss()

    (line,) = fission("puzzles", games, "--nodes", "20000", "--format", "json").stdout.splitlines()
    puzzle = json.loads(line)
    assert puzzle["mate"] == operations["dm"] and "explosion" in puzzle["themes"]

    game = chess.pgn.read_game(io.StringIO(fission("puzzles", games, "--nodes", "20000", "--format", "pgn").stdout))
    assert not game.errors and game.headers["Variant"] == "Atomic" and game.end().board().is_variant_loss()


def test_a_wrong_game_is_named_and_the_rest_goes_on(fission, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text('[Variant "Crazyhouse"]\n\n1. e4 e5 *\n\n' + GAME)
    result = fission("puzzles", str(path), "--nodes", "20000", succeeds=False)
    assert result.returncode == 1 and "Crazyhouse" in result.stderr and len(result.stdout.splitlines()) == 1


PUZZLE = 'rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - bm Nd7; dm 2; pv Nd7 d4 Nxf8#; c1 "900"; id "x";\n'


@pytest.fixture
def puzzles(tmp_path):
    path = tmp_path / "puzzles.epd"
    path.write_text(PUZZLE)
    return str(path)


def test_the_puzzle_of_the_day_is_solved_after_errors(fission, puzzles):
    text = fission("puzzles", "play", puzzles, "--ascii", stdin="Nd9\nNf3\nhint\ne5d7\nNxf8\n").stdout
    assert "Nf3 does not win" in text and "Look at e5" in text and "Solved" in text


def test_the_day_decides_the_puzzle(fission):
    def board(day):
        return fission("puzzles", "play", "--ascii", "--date", day, stdin="quit\n").stdout

    assert board("2026-01-31") == board("2026-01-31")
    assert len({board(f"2026-02-{day:02}") for day in range(1, 8)}) > 3


def test_a_race_counts_what_was_solved(fission, puzzles):
    assert "1 of 1 solved" in fission("puzzles", "play", puzzles, "--race", stdin="Nd7\nNxf8\n").stdout
    assert "0 of 1 solved" in fission("puzzles", "play", puzzles, "--race", stdin="Nf3\n").stdout


def test_a_wrong_date_is_named(fission):
    assert "tomorrow" in fission("puzzles", "play", "--date", "tomorrow", succeeds=False).stderr
