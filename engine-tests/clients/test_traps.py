"""The trap collection: every game is read, and every claim is held against python-chess."""

import re

import chess
import chess.pgn
import pytest

from harness import REPOSITORY

FILES = sorted((REPOSITORY / "opening-traps").glob("*.pgn"))


def games(path):
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            yield game


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_every_trap_is_a_legal_game_with_a_marked_mistake(path):
    count = 0
    for game in games(path):
        assert not game.errors and game.headers["Variant"] == "Atomic"
        marked = [node for node in game.mainline() if chess.pgn.NAG_BLUNDER in node.nags]
        assert len(marked) == 1 and marked[0].ply() <= 16, game.headers["Event"]
        proof = game.headers["Proof"]
        if won := re.fullmatch(r"win in (\d+)", proof):
            end = game.end()
            board = end.board()
            assert board.is_variant_loss() or board.is_checkmate(), game.headers["Event"]
            assert end.ply() - marked[0].ply() == 2 * int(won.group(1)) - 1, game.headers["Event"]
        else:
            assert re.fullmatch(r"score \d+ at \d+ nodes", proof)
        count += 1
    assert count


def test_traps_are_listed_and_replayed(fission):
    listed = fission("traps").stdout.splitlines()
    assert len(listed) >= 120
    assert any("1.Nf3 d5?? 2.Ne5" in line for line in listed)
    assert "Fool's Mate" in fission("traps", "list", "e4 d5 exd5").stdout
    text = fission("traps", "show", "Nf3 d5 Ne5", "--ascii").stdout
    assert "1...d5??" in text and "2.Ne5" in text


def test_a_few_claims_are_proved_and_the_search_finds_them(fission):
    for number in ("1", "20", "40"):
        text = fission("traps", "check", number).stdout
        assert "1 of 1 traps hold" in text, text


def test_an_unknown_name_is_told(fission):
    result = fission("traps", "show", "no such trap", succeeds=False)
    assert result.returncode == 2 and "no such trap" in result.stderr


def test_a_trap_is_found_in_a_game(fission, tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text('[Variant "Atomic"]\n\n1. Nf3 d5 2. Ne5 Nd7 3. Nxd7# 1-0\n')
    text = fission("traps", "find", str(path)).stdout
    assert "1. Nf3 d5 $4 2. Ne5" in text and '[Proof "win in 3"]' in text
