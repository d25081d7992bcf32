"""Files as they are found: what cannot be read is named and skipped, and the rest is analysed."""

import io
import json
import os
import subprocess

import chess.pgn
import pytest

from harness import LIVENESS, atomic, engine_command

GOOD = '[Event "good"]\n[White "Good"]\n[Variant "Atomic"]\n[Result "1-0"]\n\n1. Nf3 d5 2. Ne5 f6 1-0\n\n'
ATOMIC = '[Event "bad"]\n[Variant "Atomic"]\n\n'


def analyse(content, *options, name="games.pgn", folder=None):
    """Analyses one file, given as bytes; returns exit status, JSON lines and what was said."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    command = [*engine_command(), "analyse", str(path), "--nodes", "200", "--json", *options]
    result = subprocess.run(command, capture_output=True, timeout=LIVENESS, check=False)
    said = result.stderr.decode()
    assert "panicked" not in said, said
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()], said


# Each stands between two good games, so it is game 2 and begins at line 8.
BAD = {
    "another variant": ('[Event "x"]\n[Variant "Crazyhouse"]\n\n1. e4 e5 2. P@d4 *\n\n', 8, "Crazyhouse"),
    "no variant tag": ('[Event "x"]\n[Result "*"]\n\n1. e4 e5 *\n\n', 8, "no Variant tag"),
    "an illegal move": (ATOMIC + "1. e4 e5\n2. Ke3 *\n\n", 12, '"Ke3"'),
    "a capture that explodes the own king": (ATOMIC + "1. Nf3 d5 2. Ne5 f6\n3. Nd7 Qxd7 *\n\n", 12, "Qxd7"),
    "an ambiguous move": (
        '[Event "x"]\n[Variant "Atomic"]\n[FEN "4k3/p7/8/8/8/8/4K3/R6R w - - 0 1"]\n\n1. Rd1 *\n\n',
        12,
        "more than one move",
    ),
    "a start that is none": ('[Event "x"]\n[Variant "Atomic"]\n[FEN "8/8 w - -"]\n\n1. e4 *\n\n', 8, "FEN"),
    "nested comments": (ATOMIC + "1. e4 {a\n{b} c} e5 *\n\n", 12, "nested"),
    "a comment that does not end": (ATOMIC + "1. e4 {never closed e5 *\n\n", 11, "not closed"),
    "a variation that does not end": (ATOMIC + "1. e4 (1. d4 d5 e5 *\n\n", 13, "parentheses"),
    "moves in another language": (ATOMIC + "1. Sf3 d5 *\n\n", 11, "Sf3"),
    "a null move": (ATOMIC + "1. e4 -- 2. d4 *\n\n", 11, "--"),
    "no moves": (ATOMIC + "*\n\n", 8, "no moves"),
    "binary data": (ATOMIC + "1. e4 \x00\x01\x02 e5 *\n\n", 11, "neither move"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_game_is_named_and_skipped(tmp_path, bad):
    text, line, says = bad
    status, games, said = analyse(GOOD + text + GOOD, folder=tmp_path)
    assert status == 1
    assert [game["white"] for game in games] == ["Good", "Good"]
    assert f"game 2, line {line}: " in said and says in said, said


def test_a_bad_variation_is_left_out_alone(tmp_path):
    text = ATOMIC + "1. e4 e5 (1... Qd4 2. e5) (1... d6) 2. d3 *\n\n"
    path = tmp_path / "games.pgn"
    path.write_text(text)
    command = [*engine_command(), "analyse", str(path), "--nodes", "200"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LIVENESS, check=False)
    assert result.returncode == 1 and "game 1, line 4: variation left out" in result.stderr
    text = " ".join(result.stdout.split())
    assert "1... d6" in text and "Qd4" not in text


def test_foreign_encodings_and_line_ends_are_understood(tmp_path):
    text = "\ufeff" + GOOD.replace('"Good"', '"Müller"') + GOOD
    for content in (text.encode(), text.replace("\n", "\r\n").encode(), text.replace("\ufeff", "").encode("latin-1")):
        status, games, said = analyse(content, folder=tmp_path)
        assert (status, said) == (0, "")
        assert [game["white"] for game in games] == ["Müller", "Good"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_text_in_utf_16_is_named(tmp_path, encoding):
    status, games, said = analyse(("\ufeff" + GOOD).encode(encoding), folder=tmp_path)
    assert status == 1 and not games and "games.pgn: cannot be read: its text is in UTF-16" in said


@pytest.mark.parametrize("end", ["", " *", "\n\n", "\n\n2. d3"])
def test_unfinished_games_are_analysed(tmp_path, end):
    status, games, _ = analyse(ATOMIC + "1. e4 e5" + end, folder=tmp_path)
    assert status == 0 and games[0]["result"] == "*" and games[0]["moves"][0]["san"] == "e4"


def test_castling_may_be_written_with_zeros(tmp_path):
    text = ATOMIC + "1. Nf3 f6 2. e3 e6 3. Be2 Be7 4.0-0 Nh6 5. c3 0-0 *\n"
    status, games, said = analyse(text, folder=tmp_path)
    assert (status, said) == (0, "") and games[0]["moves"][-1]["san"] == "O-O"


def test_games_without_variant_can_be_taken_for_atomic(tmp_path):
    text = '[Event "x"]\n\n1. Nf3 d5 2. Ne5 f6 3. Nd7 b6 4. Nxf8# 1-0\n'
    status, games, _ = analyse(text, "--assume-atomic", folder=tmp_path)
    assert status == 0 and len(games[0]["moves"]) == 7


def test_a_bad_position_is_named_by_its_line(tmp_path):
    text = "8/8/8/p3Q3/8/3Kk3/8/8 w - -\n\n8/8/8/8/8/8/8/4K3 w - -\nnonsense\n8/8/8/p3Q3/8/3Kk3/8/8 w - -\n"
    status, games, said = analyse(text, name="positions.epd", folder=tmp_path)
    assert status == 1 and len(games) == 2
    assert "line 3: " in said and "line 4: " in said and "nonsense" in said


def test_files_that_are_not_there_or_empty_are_named(tmp_path, fission):
    (tmp_path / "empty.pgn").write_text("")
    (tmp_path / "good.pgn").write_text(GOOD)
    files = [str(tmp_path / name) for name in ("missing.pgn", "empty.pgn", "good.pgn")]
    result = fission("analyse", *files, "--nodes", "200", succeeds=False)
    assert result.returncode == 1 and "missing.pgn" in result.stderr and "empty.pgn" in result.stderr
    assert chess.pgn.read_game(io.StringIO(result.stdout)).headers["White"] == "Good"


def test_a_file_of_100_megabytes_needs_little_memory(tmp_path):
    other = '[Event "other"]\n[Variant "Chess960"]\n\n' + "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} " * 40 + "*\n\n"
    block = (other * 200).encode()
    path = tmp_path / "large.pgn"
    with path.open("wb") as file:
        written = 0
        while written < 100_000_000:
            written += file.write(block)
        file.write(GOOD.encode())
    out, errors = tmp_path / "out.jsonl", tmp_path / "errors"
    command = [*engine_command(), "analyse", str(path), "--nodes", "200", "--threads", "2", f"--json={out}"]
    with errors.open("wb") as stream:
        process = subprocess.Popen(command, stderr=stream)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    assert json.loads(out.read_text())["white"] == "Good"
    assert usage.ru_maxrss < 200_000, f"{usage.ru_maxrss} KiB"
    with errors.open() as lines:
        assert sum("Chess960" in line for line in lines) == written // len(other)


def test_a_line_that_is_not_text_does_no_harm(tmp_path):
    status, games, said = analyse(GOOD.encode() + bytes(range(256)) * 20_000 + b"\n\n" + GOOD.encode(), folder=tmp_path)
    assert status == 1 and games and "game 2" in said
    assert all(atomic(game["fen"]) for game in games)


@pytest.mark.parametrize("link", [None, os.link, os.symlink], ids=["itself", "hard link", "symbolic link"])
@pytest.mark.parametrize(
    "command",
    [
        ("analyse", "--nodes", "100", "{games}", "--pgn", "{out}"),
        ("analyse", "--nodes", "100", "{games}", "--json={out}"),
        ("analyse", "--nodes", "100", "{games}", "--html", "{out}"),
        ("analyse", "--nodes", "100", "{folder}", "--json={new}", "--pgn", "{out}", "--resume"),
        ("puzzles", "{games}", "--out", "{out}"),
        ("book", "build", "{games}", "--out", "{out}"),
    ],
    ids=" ".join,
)
def test_games_are_not_overwritten_by_what_is_made_of_them(fission, tmp_path, command, link):
    games = tmp_path / "games.pgn"
    games.write_text(GOOD)
    out = games
    if link:
        out = tmp_path / "out.pgn"
        link(games, out)
    names = {"games": games, "folder": tmp_path, "out": out, "new": tmp_path / "new"}
    result = fission(*(word.format(**names) for word in command), succeeds=False)
    assert result.returncode == 2 and out.name in result.stderr and "overwritten" in result.stderr, result.stderr
    assert games.read_text() == GOOD and not names["new"].exists()


def test_two_reports_need_two_files(fission, tmp_path):
    games = tmp_path / "games.pgn"
    games.write_text(GOOD)
    both = str(tmp_path / "both")
    result = fission("analyse", str(games), "--pgn", both, f"--json={both}", succeeds=False)
    assert result.returncode == 2 and "two outputs" in result.stderr


def test_a_folder_without_games_is_named(fission, tmp_path):
    result = fission("analyse", str(tmp_path), succeeds=False)
    assert result.returncode == 2 and str(tmp_path) in result.stderr


@pytest.mark.parametrize("command", ["analyse", "puzzles"])
def test_messages_do_not_quote_a_whole_file(fission, tmp_path, command):
    path = tmp_path / "long.pgn"
    path.write_text(ATOMIC + "1. " + "e" * 100_000 + " *\n")
    result = fission(command, str(path), succeeds=False)
    assert result.returncode == 1 and "long.pgn: game 1, line " in result.stderr
    assert len(result.stderr) < 1000 and ": : " not in result.stderr
