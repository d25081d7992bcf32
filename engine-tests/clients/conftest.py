import logging
import subprocess

import chess.engine
import pytest

from harness import LIVENESS, Uci, engine_command, peer_command


@pytest.fixture
def uci():
    """The engine, greeted and waiting; it must also end in good order."""
    engine = Uci(engine_command())
    try:
        yield engine
        engine.quit()
    finally:
        engine.kill()


@pytest.fixture
def start_uci():
    """Starts engines that the test itself ends."""
    started = []

    def start(**arguments):
        started.append(Uci(engine_command(), **arguments))
        return started[-1]

    yield start
    for engine in started:
        engine.kill()


@pytest.fixture
def client(caplog):
    """python-chess as the client. It logs what it cannot make sense of, such as an illegal move in a variation: none is allowed."""
    with chess.engine.SimpleEngine.popen_uci(engine_command(), timeout=LIVENESS) as engine:
        yield engine
    complaints = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not complaints, [record.getMessage() for record in complaints]


@pytest.fixture
def peer():
    """The multi-variant Stockfish as an opponent."""
    with chess.engine.SimpleEngine.popen_uci(peer_command(), timeout=LIVENESS) as engine:
        yield engine


@pytest.fixture
def fission():
    """Runs the program with arguments, to its end."""

    def run(*arguments, stdin="", succeeds=True):
        result = subprocess.run(
            [*engine_command(), *arguments], input=stdin, capture_output=True, text=True, timeout=LIVENESS, check=False
        )
        assert not succeeds or result.returncode == 0, result.stderr
        return result

    return run
