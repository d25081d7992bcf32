"""A short match against the multi-variant Stockfish: an opponent of other parents, which disagrees where rules are misread."""

import chess.engine
import pytest

from harness import openings

GAMES = 6
LIMITS = {"fission": chess.engine.Limit(time=0.05), "stockfish": chess.engine.Limit(time=0.05)}


@pytest.mark.parametrize("number", range(GAMES))
def test_a_game_is_legal_to_its_end(client, peer, number):
    # Each opening is played twice, colours swapped.
    board = openings(GAMES // 2)[number // 2]
    fission_is_white = number % 2 == 0
    client_game, peer_game = object(), object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 400:
        if board.turn is fission_is_white:
            move = client.play(board, LIMITS["fission"], game=client_game).move
        else:
            move = peer.play(board, LIMITS["stockfish"], game=peer_game).move
            if move is None:
                break  # about once in 200 games it says "(none)" where it could move: the game is over, and not by our fault
        assert move in board.legal_moves, f"{move} in {board.fen()}"
        board.push(move)
