"""The commands of the program, as somebody at a terminal uses them."""

import json
import re
from pathlib import Path

import pytest

from harness import atomic

COMMANDS = [
    "analyse", "bench", "book", "mate", "match", "perft", "play", "puzzles", "show", "tablebase", "traps"
]


def test_help_lists_every_command(fission):
    text = fission("--help").stdout
    assert all(command in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(fission, command):
    text = fission(command, "--help").stdout
    assert f"fission {command}" in text and re.search(r"example", text, re.I)


def test_version_is_told(fission):
    assert re.match(r"fission \d+\.\d+\.\d+", fission("--version").stdout)


def test_no_argument_speaks_uci(fission):
    text = fission(stdin="uci\nposition startpos moves g1f3 d7d5 f3e5 f7f6\ngo depth 6\n").stdout
    assert "uciok" in text and "bestmove e5d7" in text


def test_analyse_shows_a_table_with_moves_as_people_write_them(fission):
    text = fission("analyse", "--depth", "6").stdout
    line = text.splitlines()[-1]
    assert re.search(r"\b(Nf3|Nh3|Nc3|e3|e4|d4|b4|a3)\b", text), text
    assert line


def test_analyse_reads_a_position(fission):
    text = fission("analyse", "--fen", "8/8/8/K7/1k6/p7/Q7/8 w - - 8 22", "--depth", "5").stdout
    assert "Qxa3" in text


def test_analyse_writes_json(fission):
    fen = "r1bqkbnr/pppnpppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 2 3"
    text = fission("analyse", "--fen", fen, "--depth", "5", "--multipv", "2", "--json").stdout
    for line in [text] if text.lstrip().startswith("{\n") or text.lstrip().startswith("[") else text.splitlines():
        json.loads(line)
    assert "e5d7" in text or "Nxd7" in text


@pytest.mark.parametrize("limit", [("--depth", "3"), ("--nodes", "2000"), ("--time", "0.05")])
def test_analyse_keeps_to_its_limit(fission, limit):
    assert fission("analyse", *limit).stdout


def test_perft_counts(fission):
    assert "197326" in fission("perft", "4").stdout.replace(",", "").replace("'", "")


def test_perft_divides_by_first_move(fission):
    text = fission("perft", "3", "--divide").stdout
    counts = re.findall(r"^\s*([a-h][1-8][a-h][1-8])\W+(\d+)", text, re.M)
    assert len(counts) == 20 and sum(int(count) for _, count in counts) == 8902


def test_perft_with_threads_counts_the_same(fission):
    assert "197326" in fission("perft", "4", "--threads", "3").stdout.replace(",", "").replace("'", "")


@pytest.mark.parametrize(
    "arguments, naming",
    [
        (("analyse", "--fen", "hello"), "hello"),
        (("perft", "3", "--fen", "hello"), "hello"),
        (("analyse", "--depth", "deep"), "deep"),
        (("perft", "many"), "many"),
        (("nonsense",), "nonsense"),
        (("analyse", "--nonsense"), "--nonsense"),
    ],
)
def test_a_wrong_argument_is_named_and_the_exit_code_tells(fission, arguments, naming):
    result = fission(*arguments, succeeds=False)
    assert naming in result.stderr and "panicked" not in result.stderr and result.returncode not in (0, 101)


def test_outputs_of_a_match_do_not_overwrite_each_other(fission, tmp_path):
    same = tmp_path / "same.x"
    outputs = ("--pgn", str(same), "--json", str(same))
    result = fission("match", "--engine", "name=one", "--engine", "name=two", *outputs, succeeds=False)
    assert result.returncode == 2 and str(same) in result.stderr
    assert not same.exists()


def test_a_wrong_word_of_an_engine_brings_the_usage_of_match(fission):
    result = fission("match", "--engine", "name=one", "foo=3", succeeds=False)
    assert result.returncode == 2 and "foo=3" in result.stderr and "Usage: fission match" in result.stderr


def test_a_training_is_not_overwritten(fission, tmp_path):
    path = tmp_path / "checkpoint.bin"
    path.write_text("precious")
    result = fission("train", str(tmp_path / "missing.games"), "--out", str(tmp_path), succeeds=False)
    assert result.returncode == 2 and str(tmp_path) in result.stderr and "--resume" in result.stderr
    assert path.read_text() == "precious"


@pytest.mark.parametrize("options, says", [(["--width", "128", "--plain"], "--plain"), (["--width", "64"], "--width 128")])
def test_a_warm_start_takes_nothing_away(fission, tmp_path, options, says):
    network = Path(__file__).parents[2] / "src/evaluation/nnue/fission.nnue"
    folder = tmp_path / "net"
    result = fission("train", str(tmp_path), "--out", str(folder), *options, "--warm", str(network), succeeds=False)
    assert result.returncode == 2 and "fission.nnue" in result.stderr and says in result.stderr
    assert not folder.exists()


def test_a_short_match_from_the_command_line_is_legal(fission, tmp_path):
    pgn = tmp_path / "games.pgn"
    fission(
        "match",
        "--engine",
        "name=one",
        "--engine",
        "name=two",
        "--nodes",
        "500",
        "--games",
        "2",
        "--seed",
        "1",
        "--pgn",
        str(pgn),
    )
    with pgn.open() as file:
        games = read_games(file)
    assert len(games) == 2
    for game in games:
        assert isinstance(game.board(), type(atomic())) and not game.errors
        assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2")


def read_games(file):
    import chess.pgn

    games = []
    while (game := chess.pgn.read_game(file)) is not None:
        games.append(game)
    return games
