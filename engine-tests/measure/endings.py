"""Games against the multi-variant Stockfish from won and drawn endings of five and six men, with and without the embedded tables.

Each position of `engine-tests/data/endings.epd` is played twice, once with Fission on each side. What counts is what Fission
makes of the side that should win, of the side that should lose, and of draws. Nodes are fixed, so a busy machine changes nothing.
`--make SEED` prints new positions instead: random ones that a search with the tables calls won or drawn.
"""

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

import chess.pgn
import chess.variant
from measure import engine_command, peer_command, rows, start

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--nodes", type=int, default=3000, help="nodes of each search of both engines")
parser.add_argument("--positions", type=int, default=100, help="how many of each kind")
parser.add_argument("--concurrency", type=int, default=1)
parser.add_argument("--make", type=int, metavar="SEED", help="print new positions")
arguments = parser.parse_args()

SOON = 5  # moves: what is mated sooner tells little
VERIFYING = (1_000, 30_000, 100_000)  # nodes; a win need not wait for the last
CERTAIN = 19_000  # centipawns: only tables say so
LEVEL = 500  # centipawns: what is further from even at first is no draw worth more nodes


def random_ending(rng):
    """A legal position of five or six men, pawns among them more often than not; None if the draw was not legal."""
    board = chess.variant.AtomicBoard(None)
    white = rng.randrange(1, 4)
    black = rng.randrange(max(1, 3 - white), 5 - white)
    for color, count in ((chess.WHITE, white), (chess.BLACK, black)):
        for symbol in ["k", *rng.choices("ppppqrrbn", k=count)]:
            piece = chess.Piece(chess.Piece.from_symbol(symbol).piece_type, color)
            squares = chess.SquareSet(~board.occupied & ~(chess.BB_BACKRANKS if symbol == "p" else 0))
            board.set_piece_at(rng.choice(list(squares)), piece)
    board.turn = rng.random() < 0.5
    apart = chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK)) > 1
    legal = board.is_valid() and not board.was_into_check()
    return board if apart and legal and not board.is_check() else None


def verdict(engine, board):
    """What a search with the tables says, "won" (for the side to move) or "drawn"; None if another thing, or at first sight."""
    for nodes in VERIFYING:
        engine.send(f"position fen {board.fen()}")
        last = engine.go(f"nodes {nodes}").last
        if last.mate is not None and (last.mate <= SOON or nodes == VERIFYING[0]):
            return None
        won = last.mate is not None or last.cp > CERTAIN
        if won and not last.bound and nodes > VERIFYING[0]:
            return "won"
        if not won and abs(last.cp) > LEVEL:
            return None
    return "drawn" if last.cp == 0 and not last.bound else None


def make(seed):
    rng = random.Random(seed)
    engine = start(engine_command(), Threads=1, Hash=16)
    wanted = {"won": arguments.positions, "drawn": arguments.positions}
    while any(wanted.values()):
        board = random_ending(rng)
        kind = board and verdict(engine, board)
        if kind and wanted[kind]:
            wanted[kind] -= 1
            print(board.epd(c0=kind), flush=True)
    engine.quit()


def play(boards, limit, folder):
    """Plays the positions and returns the games."""
    openings, pgn = folder / "openings.epd", folder / "games.pgn"
    openings.write_text("".join(f"{board.epd()}\n" for board in boards))
    pgn.unlink(missing_ok=True)
    fission, peer = " ".join(engine_command()), " ".join(peer_command())
    command = [*engine_command(), "match"]
    command += ["--engine", f"cmd={fission}", "name=Fission", f"option.SyzygyProbeLimit={limit}"]
    command += ["--engine", f"cmd={peer}", "name=peer"]
    command += ["--nodes", str(arguments.nodes), "--games", str(2 * len(boards)), "--openings", str(openings)]
    command += ["--concurrency", str(arguments.concurrency), "--max-moves", "150", "--silence", "300"]
    command += ["--pgn", str(pgn), "--journal", str(folder / "journal")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (folder / "journal").unlink(missing_ok=True)
    with pgn.open() as file:
        while game := chess.pgn.read_game(file):
            yield game


def score(games, side):
    """Wins, draws and losses of Fission in the games in which it has that side: "first" moves first, "second" does not."""
    won = drawn = lost = 0
    for game in games:
        color = game.headers["White"] == "Fission"
        if side is None or (game.board().turn == color) == (side == "first"):
            result = game.headers["Result"]
            won += result == ("1-0" if color else "0-1")
            lost += result == ("0-1" if color else "1-0")
            drawn += result == "1/2-1/2"
    return f"+{won} ={drawn} -{lost}"


def compare():
    positions = {"won": [], "drawn": []}
    for row in rows("endings.epd"):
        board, operations = chess.variant.AtomicBoard.from_epd(row)
        positions[operations["c0"]].append(board)
    with tempfile.TemporaryDirectory() as folder:
        for limit, tables in ((7, "with the tables"), (0, "without tables")):
            won = list(play(positions["won"][: arguments.positions], limit, Path(folder)))
            drawn = list(play(positions["drawn"][: arguments.positions], limit, Path(folder)))
            print(f"{tables}: as the side that wins {score(won, 'first')}, as the side that loses {score(won, 'second')}", end="")
            print(f", from draws {score(drawn, None)}", flush=True)


if arguments.make is None:
    compare()
else:
    make(arguments.make)
