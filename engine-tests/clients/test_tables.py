"""Endgame tables: what other programs read from the engine's files, and what the engine does with damaged ones.

The reference folder of another generator's tables is named by FISSION_TABLES; without it the engine's files are compared with
what the engine itself says, and `tablebase check` compares them with a fresh computation.
"""

import os
import random
import re
import shutil
import signal
import subprocess

import chess
import chess.syzygy
import chess.variant
import pytest

from harness import LIVENESS, engine_command

ROLES = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT, "P": chess.PAWN}

POSITIONS = 20_000

# A distance may be written in moves instead of plies: then it is read as up to one ply too short.
ROUNDED = 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tables in the engine, as files."""
    path = tmp_path_factory.mktemp("tables")
    subprocess.run([*engine_command(), "tablebase", "export", str(path)], check=True)
    return path


def opened(folder):
    tables = chess.syzygy.Tablebase(VariantBoard=chess.variant.AtomicBoard)
    assert tables.add_directory(str(folder)) > 0
    return tables


def random_position(name, rng):
    """A random legal position with these men, colours either way, en passant now and then; None if the draw was not legal."""
    board = chess.variant.AtomicBoard(None)
    swapped = rng.random() < 0.5
    for side, color in zip(name.split("v"), (not swapped, swapped)):
        for letter in side:
            square = rng.choice([square for square in chess.SQUARES if not board.piece_at(square)])
            if letter == "P" and chess.square_rank(square) in (0, 7):
                return None
            board.set_piece_at(square, chess.Piece(ROLES[letter], color))
    board.turn = rng.random() < 0.5
    if rng.random() < 0.3:
        board.ep_square = chess.square(rng.randrange(8), 5 if board.turn else 2)
        if not board.is_valid():
            board.ep_square = None
    # python-chess lets a king stay in check here, which only kings that touch may.
    apart = chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK)) > 1
    if apart and board.was_into_check():
        return None
    harmless = chess.STATUS_IMPOSSIBLE_CHECK | chess.STATUS_TOO_MANY_CHECKERS
    return None if board.status() & ~harmless else board


def positions(folder):
    names = sorted(path.stem for path in folder.glob("*.atbw"))
    assert len(names) == 35
    rng = random.Random(11)
    found = []
    while len(found) < POSITIONS:
        name = names[len(found) % len(names)]
        board = random_position(name, rng)
        if board:
            found.append((name, board))
    return found


def forced(board, tables, plies, winning=True):
    """Whether the side to move can force a win by mate, or a capture or pawn move that keeps it, within so many plies; with
    `winning` false, whether it can be forced to such a loss. Tries every move; only results after captures and pawn moves are
    looked up."""
    if plies == 0:
        return False
    for move in list(board.legal_moves):
        zeroing = board.is_zeroing(move)
        board.push(move)
        if board.is_variant_end() or not any(board.legal_moves):
            reached = winning and (board.is_variant_loss() or board.is_check())
        elif zeroing:
            reached = tables.probe_wdl(board) == (-2 if winning else 2)
        else:
            reached = forced(board, tables, plies - 1, not winning)
        board.pop()
        if reached == winning:
            return winning
    return not winning


def exact_distance(board, tables):
    """The distance to the next capture, pawn move or mate by the plain search above."""
    winning = tables.probe_wdl(board) > 0
    plies = next(plies for plies in range(1, 8) if forced(board, tables, plies, winning))
    return plies if winning else -plies


def test_python_chess_reads_the_same_from_the_files_as_the_engine_and_the_reference(folder, fission):
    """Where the reference has another distance, a plain search must say that it is the reference that errs: it has parts of
    KPvK and KBvKN with one distance for all, which the format has no room for, so that wins in three are read as wins in one."""
    sample = positions(folder)
    ours = opened(folder)
    reference = opened(os.environ["FISSION_TABLES"]) if "FISSION_TABLES" in os.environ else None
    told = fission("tablebase", "probe", "-", stdin="".join(f"{board.fen()}\n" for _, board in sample)).stdout.split("\n")
    for (_, board), line in zip(sample, told):
        wdl, dtz = ours.probe_wdl(board), ours.probe_dtz(board)
        assert line == f"{wdl} {dtz}", board.fen()
        if reference:
            assert wdl == reference.probe_wdl(board), board.fen()
            other = reference.probe_dtz(board)
            if abs(dtz - other) > ROUNDED or (dtz > 0) != (other > 0) or (dtz < 0) != (other < 0):
                exact = exact_distance(board, ours)
                assert 0 <= abs(exact) - abs(dtz) <= ROUNDED and (exact > 0) == (dtz > 0), board.fen()


def test_short_distances_are_those_of_a_plain_search(folder):
    """Also in the endings in which nearly all positions have the same distance."""
    ours = opened(folder)
    for fen in (
        "7k/6n1/8/8/8/B7/8/4K3 w - - 0 1",
        "8/8/8/3K2B1/8/8/1n6/k7 w - - 0 1",
        "8/8/5K2/k4P2/8/8/8/8 w - - 0 1",
        "1k6/1P6/8/8/8/8/7K/8 w - - 0 1",
    ):
        board = chess.variant.AtomicBoard(fen)
        exact, read = exact_distance(board, ours), ours.probe_dtz(board)
        assert 0 <= abs(exact) - abs(read) <= ROUNDED and (exact > 0) == (read > 0), fen


def test_a_folder_is_checked_against_a_fresh_computation(folder, fission, tmp_path):
    for name in ("KQvK", "KPvK"):
        for extension in ("atbw", "atbz"):
            shutil.copy(folder / f"{name}.{extension}", tmp_path)
    text = fission("tablebase", "check", str(tmp_path)).stdout
    assert text.count("right") == 2
    path = tmp_path / "KQvK.atbw"
    contents = bytearray(path.read_bytes())
    contents[700] ^= 1
    path.write_bytes(contents)
    result = fission("tablebase", "check", str(tmp_path), succeeds=False)
    assert result.returncode == 1 and "KQvK.atbw: is damaged" in result.stdout


def test_a_table_that_cannot_be_read_is_named_and_the_others_are_checked(folder, fission, tmp_path):
    (tmp_path / "KBvK.atbw").mkdir()
    for extension in ("atbw", "atbz"):
        shutil.copy(folder / f"KQvK.{extension}", tmp_path)
    result = fission("tablebase", "check", str(tmp_path), succeeds=False)
    assert result.returncode == 1 and "KBvK.atbw: cannot be read" in result.stdout
    assert "KQvK" in result.stdout and "right" in result.stdout


def test_a_line_that_is_no_position_is_named_and_the_rest_is_looked_up(fission):
    fen = "8/8/8/8/6k1/8/6KQ/8 w - - 0 1"
    result = fission("tablebase", "probe", "-", stdin=f"{fen}\n\nhello\n{fen}\n", succeeds=False)
    first, unknown, last = result.stdout.splitlines()
    assert first == last and unknown == "?"
    assert result.returncode == 1 and "line 3: " in result.stderr


def cut_short(folder, source):
    (folder / "KQvK.atbw").write_bytes((source / "KQvK.atbw").read_bytes()[:1000])


def flip_a_byte(folder, source):
    contents = bytearray((source / "KQvK.atbw").read_bytes())
    contents[800] ^= 32
    (folder / "KQvK.atbw").write_bytes(contents)


def leave_empty(folder, source):
    pass


def another_variant(folder, source):
    shutil.copy(source / "KQvK.atbw", folder / "KQvK.gtbw")


@pytest.mark.parametrize("spoil", [cut_short, flip_a_byte, leave_empty, another_variant])
def test_a_bad_folder_gets_one_clear_line_and_play_goes_on(uci, folder, tmp_path, spoil):
    spoil(tmp_path, folder)
    told = uci.say(f"setoption name SyzygyPath value {tmp_path}")
    assert len(told) == 1 and str(tmp_path) in told[0], told
    uci.send("position fen 8/8/8/8/6k1/8/6KQ/8 w - - 0 1")
    search = uci.go("depth 6")
    assert search.remarks == []
    assert any(" tbhits " in line and " tbhits 0 " not in line for line in search.lines)


def test_stats_and_probe_tell_what_an_ending_is_like(fission):
    text = fission("tablebase", "stats", "KQvK").stdout
    assert "longest win" in text and "#" in text.splitlines()[-1]
    text = fission("tablebase", "probe", "8/8/8/8/6k1/8/6KQ/8 w - - 0 1").stdout
    assert "WDL +2" in text and "wins, DTZ" in text


def test_a_win_that_may_come_a_ply_too_late_is_not_promised(uci, fission):
    """The table rounds: after Qg3+ Kh5 the win takes a ply more than it says, and the fifty moves are over before."""
    fen = "8/8/8/8/5R1K/4q3/8/7k b - - 98 1"
    text = fission("tablebase", "probe", fen).stdout
    assert "wins unless it takes one ply more" in text and not re.search(r"^\S+ +wins, ", text, re.MULTILINE), text
    uci.send(f"position fen {fen}")
    assert uci.go("depth 8").last.cp in range(-100, 100)
    assert re.search(r"^Qg3\+ +wins, ", fission("tablebase", "probe", fen.replace("98", "97")).stdout, re.MULTILINE)


def test_stats_can_be_interrupted():
    process = subprocess.Popen(
        [*engine_command(), "tablebase", "stats", "KQvK", "KQPvKP"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "KQvK\n"
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=LIVENESS)
    assert process.returncode == 130 and "interrupted" in told, told


def test_check_names_every_file_that_is_not_as_it_should_be(folder, fission, tmp_path):
    for extension in ("atbw", "atbz"):
        shutil.copy(folder / f"KQvK.{extension}", tmp_path)
    shutil.copy(folder / "KRvK.atbw", tmp_path)
    shutil.copy(folder / "KRvK.atbw", tmp_path / "rooks.atbw")
    shutil.copy(folder / "KRvK.atbw", tmp_path / "KQRBvKN.atbw")
    result = fission("tablebase", "check", "--positions", "0", str(tmp_path), succeeds=False)
    assert result.returncode == 1
    for told in (
        "rooks.atbw: is not named like a table",
        "KQRBvKN.atbw: is the table of other men",
        "KQRBvKN.atbz is missing",
        "KRvK.atbz is missing",
        "1 table has the right checksums",
    ):
        assert told in result.stdout, result.stdout


def test_build_replaces_the_table_of_other_men_and_wants_a_folder(folder, fission, tmp_path):
    shutil.copy(folder / "KRvK.atbw", tmp_path / "KQvK.atbw")
    fission("tablebase", "build", "KQvK", str(tmp_path))
    for name in ("KQvK.atbw", "KQvK.atbz"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    assert "nothing to do" in fission("tablebase", "build", "KQvK", str(tmp_path)).stdout
    result = fission("tablebase", "build", "KQvK", "KRvKN", succeeds=False)
    assert "KRvKN is a table: name the folder" in result.stderr
    result = fission("tablebase", "build", "KQvK", str(tmp_path / "KQvK.atbw"), succeeds=False)
    assert "is a file, not a folder" in result.stderr
