"""Whole games, as a client plays them: every move legal, every game ends as the rules say."""

import time

import chess.engine
import pytest

from harness import atomic, openings

# Past this many plies a game counts as not decided; nothing is wrong with it.
LONGEST_GAME = 400


def play(board, white, black, think):
    """Plays on until the game is over; `think(engine, board)` gives the next move, checked here once more."""
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST_GAME:
        engine = white if board.turn else black
        move = think(engine, board, game)
        assert move in board.legal_moves, f"{move} is illegal in {board.fen()}"
        board.push(move)
    return board


def by_nodes(nodes):
    def think(engine, board, game):
        return engine.play(board, chess.engine.Limit(nodes=nodes), game=game).move

    return think


class Clock:
    """A chess clock for both sides, in seconds. A flag falls late here: a busy test machine may stop the engine for a while."""

    GRACE = 5.0

    def __init__(self, base, increment):
        self.left = {True: base, False: base}
        self.increment = increment

    def think(self, engine, board, game):
        limit = chess.engine.Limit(
            white_clock=self.left[True], black_clock=self.left[False], white_inc=self.increment, black_inc=self.increment
        )
        start = time.perf_counter()
        move = engine.play(board, limit, game=game).move
        self.left[board.turn] += self.increment - (time.perf_counter() - start)
        assert self.left[board.turn] > -self.GRACE, f"no time left at move {board.fullmove_number}"
        return move


@pytest.mark.parametrize("opening", openings(4), ids=lambda board: board.fen())
def test_a_game_against_itself_is_legal_to_its_end(client, opening):
    board = play(opening.copy(), client, client, by_nodes(3000))
    assert board.is_valid() or board.is_variant_end()


def test_a_game_from_the_start_position_is_legal_to_its_end(client):
    play(atomic(), client, client, by_nodes(10_000))


def test_a_game_with_more_threads_is_legal_to_its_end(client):
    client.configure({"Threads": 4})
    play(atomic(moves="g1h3 g8h6"), client, client, by_nodes(10_000))


@pytest.mark.parametrize("number", [0, 1, 356, 518, 690, 959])
def test_a_chess960_game_is_legal_to_its_end(client, number):
    # python-chess writes castling as king takes rook and the castling rights as rook files, as UCI_Chess960 asks for.
    start = chess.Board.from_chess960_pos(number)
    play(atomic(start.fen(), chess960=True), client, client, by_nodes(2000))


@pytest.mark.parametrize("base, increment", [(2.0, 0.02), (2.0, 0.0)], ids=["increment", "sudden death"])
def test_a_whole_game_fits_on_the_clock(client, base, increment):
    play(atomic(moves="e2e3 e7e6"), client, client, Clock(base, increment).think)


def test_several_games_in_one_process_do_not_disturb_each_other(client):
    for opening in openings(3):
        play(opening, client, client, by_nodes(300))


def test_a_pondering_engine_plays_legal_games(client):
    # With ponder=True python-chess lets the engine think on the opponent's time, and stops it or tells it of a ponder hit.
    board = atomic()
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        result = client.play(
            board, chess.engine.Limit(white_clock=3, black_clock=3, white_inc=0.05, black_inc=0.05), ponder=True, game=game
        )
        assert result.move in board.legal_moves
        board.push(result.move)
        if board.is_game_over(claim_draw=True):
            break
        # The opponent plays the expected move every other time.
        replies = list(board.legal_moves)
        expected = result.ponder if result.ponder in replies and board.ply() % 4 == 1 else replies[board.ply() % len(replies)]
        board.push(expected)
