"""Games against the engine at a terminal."""

import random
import re
import subprocess

import chess
import chess.pgn
import pytest

from harness import LIVENESS, atomic, engine_command
from terminal import Terminal


@pytest.fixture
def play(tmp_path):
    started = []

    def start(*arguments):
        started.append(Terminal("play", "--think", "0.05", "--hash", "8", *arguments, cwd=tmp_path))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


def saved(folder):
    games = []
    with (folder / "fission-games.pgn").open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors and isinstance(game.board(), type(atomic()))
            games.append(game)
    return games


def follow(board, text):
    """Plays the moves on `board` that the terminal has shown."""
    for line in re.findall(r"^\d+\.+(\S+)$", text, re.M):
        board.push_san(line)


def test_a_whole_game_to_its_end(play, tmp_path):
    rng = random.Random(3)
    terminal = play("--color", "black", "--clock", "5+1")
    board = atomic()
    while True:
        text = terminal.until("Black> ", "The game is in")
        follow(board, text)
        if text.endswith("The game is in"):
            break
        move = rng.choice(list(board.legal_moves))
        terminal.type(rng.choice([board.san(move), move.uci()]))
    status, _ = terminal.end()
    assert status == 0 and board.outcome(claim_draw=True), board.fen()
    (game,) = saved(tmp_path)
    assert game.end().board().fen() == board.fen()
    assert game.headers["Result"] == board.result(claim_draw=True) and game.headers["Black"] == "Player"
    assert all(node.clock() is not None for node in game.mainline())


def test_the_explosion_is_shown_before_the_board_after_it(play):
    terminal = play("--fen", "rnbqkbnr/ppp1p1pp/8/3pNp2/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3", "--ascii")
    terminal.until("White> ")
    terminal.type("Nd7")
    terminal.until("White> ")
    terminal.type("Nxf8")
    text = terminal.until("The game is in")
    assert text.index(" * ") < text.index("Explosion on f8") < text.index("1-0 (king exploded)")


def test_commands(play):
    terminal = play()
    terminal.until("White> ")
    for line, answer in [
        ("help", "take back"),
        ("moves e2", "e3 e4"),
        ("g1?", "Nf3"),
        ("b1", "Na3 Nc3"),
        ("moves e5", "no legal move"),
        ("fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("undo", "no move of yours"),
        ("hint", "Try "),
        ("eval", "for you"),
        ("flip", " h  g  f  e  d  c  b  a"),
        ("Ke5", '"Ke5" is not a legal move'),
        ("nonsense", "`help` lists"),
        ("", "White> "),
    ]:
        terminal.type(line)
        terminal.until(answer)
        if line:
            terminal.until("White> ")
    terminal.type("e4")
    terminal.until("White> ")
    terminal.type("undo")
    terminal.until("White> ")
    terminal.type("fen")
    assert "RNBQKBNR w KQkq - 0 1" in terminal.until("White> ")
    terminal.type("quit")
    assert terminal.end()[0] == 0


def test_a_promotion_is_asked_for(play, tmp_path):
    terminal = play("--fen", "8/1P2k3/8/8/8/8/6p1/K7 w - - 0 1")
    terminal.until("White> ")
    terminal.type("b8")
    terminal.until("Promote to? (q, r, b, n) ")
    terminal.type("king")
    terminal.until("choose a move again", "White> ")
    terminal.type("b7b8")
    terminal.until("Promote to? (q, r, b, n) ")
    terminal.type("r")
    assert "1.b8=R" in terminal.until("White> ", "The game is in")
    terminal.type("quit")
    terminal.end()
    assert next(iter(saved(tmp_path)[0].mainline())).move == chess.Move.from_uci("b7b8r")


def test_resigning_asks_once(play, tmp_path):
    terminal = play()
    terminal.until("White> ")
    terminal.type("resign")
    terminal.until("Do you resign? (y/n) ")
    terminal.type("n")
    terminal.until("The game goes on")
    terminal.type("resign")
    terminal.until("Do you resign? (y/n) ")
    terminal.type("y")
    assert "0-1 (White resigns)" in terminal.until("The game is in")
    assert saved(tmp_path)[0].headers["Result"] == "0-1"


def test_a_draw_is_declined_and_lapses_with_the_move(play):
    # The program has a queen more.
    terminal = play("--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1")
    terminal.until("White> ")
    for answer in ("declines the draw", "stands until you move"):
        terminal.type("draw")
        terminal.until(answer)
        terminal.until("White> ")
    terminal.type("e3")
    terminal.until("White> ")
    terminal.type("draw")
    terminal.until("declines the draw")


def test_a_draw_is_accepted_where_nobody_can_win(play, tmp_path):
    # The kings touch: a queen cannot win against a bare king that stays in contact.
    terminal = play("--fen", "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1")
    terminal.until("White> ")
    terminal.type("draw")
    assert "1/2-1/2 (draw agreed)" in terminal.until("The game is in")
    assert saved(tmp_path)[0].headers["Result"] == "1/2-1/2"


@pytest.mark.parametrize(
    "fen, result",
    [("4k3/p7/8/8/8/8/1Q6/K7 w - - 0 1", "0-1 (White runs out of time)"), ("4k3/8/8/8/8/8/1Q6/K7 w - - 0 1", "1/2-1/2 (White runs")],
    ids=["loses", "draws against a bare king"],
)
def test_the_flag_falls(play, fen, result):
    terminal = play("--clock", "0.01", "--fen", fen)
    assert result in terminal.until("The game is in")
    assert terminal.end()[0] == 0


def test_an_interrupted_game_goes_on(play, tmp_path):
    terminal = play("--clock", "3+2", "--level", "3", "--color", "black", "--rules", "nocheckatomic", "--chess960", "100")
    terminal.until("Black> ")
    terminal.type("hint")
    terminal.until("Try ")
    terminal.type(terminal.until("Black> ").split()[0].rstrip("."))
    terminal.until("Black> ")
    terminal.interrupt()
    status, said = terminal.end()
    assert status == 130 and "--continue" in said
    (before,) = [(tmp_path / "fission-games.pgn").read_text()]
    assert '[Result "*"]' in before and "[%clk" in before

    terminal = play("--continue")
    assert "level 3" in terminal.until("Black> ")
    terminal.type("fen")
    fen = terminal.until("Black> ")
    assert " b " in fen and " 2\n" in fen
    terminal.type("resign")
    terminal.until("(y/n) ")
    terminal.type("y")
    assert "1-0 (Black resigns)" in terminal.until("The game is in")
    terminal.end()
    after = (tmp_path / "fission-games.pgn").read_text()
    assert after.count("[Event ") == 1 and '[Result "1-0"]' in after
    terminal = play("--continue")
    status, said = terminal.end()
    assert status == 2 and "no unfinished game" in said


def test_bytes_that_are_no_text_do_not_end_the_game(tmp_path):
    path = tmp_path / "odd.pgn"
    command = [*engine_command(), "play", "--think", "0.05", "--save", str(path)]
    typed = b"\xff\xfe\0\n" + b"x" * 3_000_000 + b"\ne4\n"
    result = subprocess.run(command, input=typed, capture_output=True, timeout=LIVENESS, check=True)
    assert b"is not a move" in result.stdout and "1. e4" in path.read_text()


def test_the_end_of_input_saves(fission, tmp_path):
    path = tmp_path / "piped.pgn"
    result = fission("play", "--think", "0.05", "--save", str(path), stdin="e4\n")
    assert "Saved" in result.stdout and "1. e4" in path.read_text()


def test_a_game_of_others_is_not_gone_on_with(fission, tmp_path):
    path = tmp_path / "club.pgn"
    text = '[Event "Club"]\n[White "Müller"]\n[Black "B"]\n[Variant "Atomic"]\n\n1. e4 $1 {good} (1. d4) *\n'
    path.write_text(text)
    result = fission("play", "--save", str(path), "--continue", stdin="quit\n", succeeds=False)
    assert result.returncode == 2 and "Müller against B" in result.stderr and "club.pgn" in result.stderr
    assert path.read_text() == text
    path.write_text(text.replace('[Variant "Atomic"]\n', ""))
    result = fission("play", "--save", str(path), "--continue", stdin="quit\n", succeeds=False)
    assert "no Variant tag" in result.stderr and "--assume-atomic" not in result.stderr


def test_where_nothing_can_be_saved_no_game_begins(fission, tmp_path):
    result = fission("play", "--save", str(tmp_path / "none" / "x.pgn"), stdin="e4\n", succeeds=False)
    assert result.returncode == 2 and "none does not exist" in result.stderr and not result.stdout


def test_a_sitting_without_a_move_leaves_no_file(fission, tmp_path):
    result = fission("play", "--save", str(tmp_path / "x.pgn"), stdin="quit\n")
    assert "nothing was saved" in result.stdout and not list(tmp_path.iterdir())


def test_two_sittings_share_a_file(play, tmp_path):
    first, second = play(), play()
    for terminal, move in [(first, "e4"), (second, "d4"), (first, "h3"), (second, "a3")]:
        terminal.until("White> ")
        terminal.type(move)
    for terminal in (first, second):
        terminal.until("White> ")
        terminal.type("quit")
        assert terminal.end()[0] == 0
    games = saved(tmp_path)
    sans = [[game.board().san(game.variation(0).move), len(list(game.mainline()))] for game in games]
    assert sorted(sans) == [["d4", 4], ["e4", 4]]


def test_the_level_can_change_and_the_side_cannot(play, fission, tmp_path):
    terminal = play("--level", "3")
    terminal.until("White> ")
    terminal.type("e4")
    terminal.until("White> ")
    terminal.type("quit")
    terminal.end()
    terminal = play("--continue", "--level", "5")
    assert "level 5" in terminal.until("White> ")
    terminal.type("quit")
    terminal.end()
    assert saved(tmp_path)[0].headers["Level"] == "5"
    path = str(tmp_path / "fission-games.pgn")
    for settled in (["--color", "black"], ["--rules", "nocheckatomic"]):
        result = fission("play", "--save", path, "--continue", *settled, stdin="quit\n", succeeds=False)
        assert result.returncode == 2 and settled[0] in result.stderr
