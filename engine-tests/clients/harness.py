"""What the client tests share: the engine as a process whose every line we see, and boards that judge its moves.

Two clients are used. `chess.engine.SimpleEngine` of python-chess is a client as users have it; `Uci` below is a bare pipe, for
what a well-behaved client never sends. Timeouts are only there so that a hang fails the test: none says how fast the engine is.
"""

import os
import queue
import re
import shlex
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import chess
import chess.variant

DATA = Path(__file__).parent.parent / "data"
REPOSITORY = Path(__file__).parent.parent.parent

# How long an answer may take before we call it a hang, in seconds. Generous: test machines are slow and busy.
LIVENESS = 120.0

START = chess.variant.AtomicBoard.starting_fen


def command_from(variable, default):
    """The command line in an environment variable, or the default one, as a list."""
    return shlex.split(os.environ.get(variable, default))


def engine_command():
    return command_from("FISSION", str(REPOSITORY / "target" / "release" / "fission"))


def peer_command():
    bridge = REPOSITORY / "engine-tests" / "bridge" / "peer-uci.js"
    package = REPOSITORY / "target" / "npm" / "node_modules" / "stockfish-mv.wasm"
    return command_from("FISSION_PEER", f"node {bridge} {package}")


def atomic(fen=START, moves="", chess960=False):
    """An atomic board after `moves`, given in UCI notation and checked for legality on the way."""
    board = chess.variant.AtomicBoard(fen, chess960=chess960)
    for move in moves.split():
        board.push_uci(move)
    return board


def rows(name, folder=DATA):
    """The lines of a data file that are neither comments nor empty."""
    text = (folder / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def openings(count):
    """`count` boards spread evenly over the opening file."""
    lines = rows("openings.epd", REPOSITORY / "src" / "tournament")
    return [atomic(line + " 0 1") for line in lines[:: len(lines) // count][:count]]


def assert_line_is_legal(board, moves):
    """Plays `moves` (UCI notation) on a copy of `board`, each of which must be legal there, and returns the copy."""
    board = board.copy()
    for index, text in enumerate(moves):
        move = chess.Move.from_uci(text)
        assert move in board.legal_moves, f"move {index + 1} ({text}) of the line {' '.join(moves)} is illegal in {board.fen()}"
        board.push(move)
    return board


class Hang(AssertionError):
    """The engine did not answer."""


class Uci:
    """A UCI engine at the other end of two pipes."""

    def __init__(self, command, handshake=True):
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if handshake:
            self.send("uci")
            self.greeting = self.until("uciok")

    def _read(self):
        try:
            for line in iter(self.process.stdout.readline, b""):
                self._lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        except (OSError, ValueError):
            pass  # a test closed the pipe
        self._lines.put(None)

    def send(self, *lines):
        for line in lines:
            data = line if isinstance(line, bytes) else line.encode() + b"\n"
            while data:  # a raw pipe may take a part only
                data = data[self.process.stdin.write(data) :]

    def line(self, timeout=LIVENESS):
        """The next line; None at the end of output."""
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            raise Hang("the answer did not come in time") from None

    def overhear(self, seconds):
        """What is said within this time."""
        end = time.monotonic() + seconds
        seen = []
        while (left := end - time.monotonic()) > 0:
            try:
                seen.append(self._lines.get(timeout=left))
            except queue.Empty:
                break
        return seen

    def until(self, prefix):
        """All lines up to and with the first one that starts with `prefix`."""
        end = time.monotonic() + LIVENESS
        seen = []
        while True:
            line = self.line(max(end - time.monotonic(), 0.0))
            assert line is not None, f"the engine ended before it said {prefix!r}; stderr: {self.errors()}"
            seen.append(line)
            if line.startswith(prefix):
                return seen

    def ready(self):
        """Waits until everything sent so far is done with; returns what was said meanwhile."""
        self.send("isready")
        return self.until("readyok")[:-1]

    def say(self, *lines):
        """Sends lines and returns the engine's remarks (`info string`) on them."""
        self.send(*lines)
        return remarks(self.ready())

    def set(self, name, value):
        assert self.say(f"setoption name {name} value {value}") == [], f"the engine complains about {name} = {value}"

    def go(self, arguments=""):
        """Starts a search and waits for its end: a `Search`."""
        self.send(f"go {arguments}".strip())
        return self.result()

    def result(self):
        return Search(self.until("bestmove"))

    def legal_moves(self):
        """The legal moves of the engine's current position, by its own `go perft 1`."""
        self.send("go perft 1")
        return {line.split(":")[0] for line in self.until("Nodes searched") if re.fullmatch(r"[a-h][1-8]\S*: 1", line)}

    def perft(self, depth):
        self.send(f"go perft {depth}")
        return int(self.until("Nodes searched")[-1].split(":")[1])

    def errors(self):
        """What the engine wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")

    def close_input(self):
        self.process.stdin.close()

    def wait(self):
        """Waits for the engine's end; returns its exit code."""
        try:
            return self.process.wait(LIVENESS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Hang("the engine did not end") from None

    def quit(self):
        """Ends the engine as a client does, and checks that it went in good order."""
        if self.process.poll() is None:
            try:
                self.send("quit")
            except BrokenPipeError:
                pass
        code = self.wait()
        assert code == 0, f"exit code {code}; stderr: {self.errors()}"
        assert "panicked" not in self.errors(), self.errors()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def remarks(lines):
    return [line.removeprefix("info string ") for line in lines if line.startswith("info string")]


class Search:
    """What an engine said from `go` to `bestmove`."""

    def __init__(self, lines):
        self.lines = lines
        words = lines[-1].split()
        assert words[0] == "bestmove" and len(words) in (2, 4) and (len(words) == 2 or words[2] == "ponder"), lines[-1]
        self.bestmove = words[1]
        self.ponder = words[3] if len(words) == 4 else None
        self.infos = [Info(line) for line in lines if line.startswith("info ") and " score " in line]
        self.remarks = remarks(lines)

    @property
    def last(self):
        """The last line of the first variation."""
        return [info for info in self.infos if info.multipv == 1][-1]

    def assert_legal(self, board):
        """Every variation and the answer are legal to their end on `board`."""
        for info in self.infos:
            assert_line_is_legal(board, info.pv)
        line = [self.bestmove] + ([self.ponder] if self.ponder else [])
        assert_line_is_legal(board, line)


class Info:
    """One `info` line with a score."""

    def __init__(self, line):
        self.line = line
        self.depth = self._number("depth")
        self.seldepth = self._number("seldepth")
        self.multipv = self._number("multipv", 1)
        self.nodes = self._number("nodes")
        self.nps = self._number("nps")
        self.time = self._number("time")
        kind, value = re.search(r" score (cp|mate) (-?\d+)", line).groups()
        self.cp = int(value) if kind == "cp" else None
        self.mate = int(value) if kind == "mate" else None
        self.bound = next((bound for bound in ("lowerbound", "upperbound") if bound in line.split()), None)
        self.pv = line.split(" pv ")[1].split() if " pv " in line else []

    def _number(self, name, default=None):
        found = re.search(rf" {name} (\d+)", self.line)
        return int(found.group(1)) if found else default

    @property
    def order(self):
        """A number that is greater for a better score, mates included."""
        if self.mate is None:
            return self.cp
        return 1_000_000 - self.mate if self.mate > 0 else -1_000_000 - self.mate
