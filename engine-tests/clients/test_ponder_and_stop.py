"""Thinking on the opponent's time, and stopping: one answer to every `go`, and none before it is asked for."""

import pytest

from harness import START, Search, atomic


def assert_no_answer(uci, seconds=0.5):
    """The search goes on for at least this long."""
    assert not [line for line in uci.overhear(seconds) if line.startswith("bestmove")], "an answer that nobody asked for"


def until_depth(uci, depth):
    """Waits until the search has reported this depth."""
    while True:
        line = uci.line()
        if f"depth {depth} " in line:
            return


def test_stop_brings_an_answer(uci):
    uci.send("go infinite")
    until_depth(uci, 4)
    uci.send("stop")
    uci.result().assert_legal(atomic())


def test_stop_right_after_go_brings_a_legal_answer(uci):
    # Not even depth one may be finished by then.
    for _ in range(100):
        uci.send("position startpos moves e2e4", "go infinite", "stop")
        uci.result().assert_legal(atomic(moves="e2e4"))
    assert uci.ready() == []


def test_every_go_gets_exactly_one_answer(uci):
    answers = 0
    for round_ in range(50):
        uci.send(f"go depth {1 + round_ % 6}")
        uci.result()
        answers += 1
    assert not [line for line in uci.ready() if line.startswith("bestmove")] and answers == 50


def test_an_infinite_search_ends_only_when_told(uci):
    # Mate in two is found at once; the answer waits for `stop` all the same.
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6", "go infinite")
    until_depth(uci, 5)
    assert_no_answer(uci)
    uci.send("stop")
    assert uci.result().bestmove == "e5d7"


def test_an_infinite_search_of_a_finished_game_ends_only_when_told(uci):
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6 e5d7 h7h6 d7f8", "go infinite")
    assert_no_answer(uci)
    uci.send("stop")
    assert uci.result().bestmove == "(none)"


def test_a_ponder_search_waits_for_the_ponder_hit(uci):
    uci.set("Ponder", "true")
    uci.send("position startpos moves e2e4 e7e5", "go ponder wtime 500 btime 500 winc 0 binc 0")
    assert_no_answer(uci, 1.5)  # three times the clock
    uci.send("ponderhit")
    uci.result().assert_legal(atomic(moves="e2e4 e7e5"))


def test_a_ponder_search_can_be_stopped(uci):
    uci.set("Ponder", "true")
    uci.send("position startpos moves e2e4 e7e5", "go ponder wtime 60000 btime 60000")
    until_depth(uci, 3)
    uci.send("stop")
    uci.result().assert_legal(atomic(moves="e2e4 e7e5"))
    uci.send("position startpos moves e2e4 e7e6")
    uci.go("depth 5").assert_legal(atomic(moves="e2e4 e7e6"))


@pytest.mark.parametrize("limit", ["depth 3", "nodes 1000", "movetime 50"])
def test_a_limit_reached_while_pondering_is_kept_for_the_ponder_hit(uci, limit):
    uci.send("position startpos moves e2e4 e7e5", f"go ponder {limit}")
    assert_no_answer(uci)
    uci.send("ponderhit")
    uci.result().assert_legal(atomic(moves="e2e4 e7e5"))


def test_a_ponder_hit_turns_the_search_into_one_on_the_clock(uci):
    uci.send("position startpos", "go ponder wtime 2000 btime 2000 winc 100 binc 100")
    until_depth(uci, 3)
    uci.send("ponderhit")
    uci.result().assert_legal(atomic())  # ends by itself


def test_the_ponder_move_is_the_reply_the_engine_expects(uci):
    for moves in ("", "e2e4", "g1f3 f7f6", "e2e3 e7e6 f1b5"):
        uci.send(f"position startpos moves {moves}" if moves else "position startpos")
        search = uci.go("depth 8")
        board = atomic(START, moves)
        search.assert_legal(board)
        board.push_uci(search.bestmove)
        assert search.ponder is not None or board.is_game_over()


def test_the_engine_answers_isready_while_it_searches(uci):
    uci.send("go infinite")
    until_depth(uci, 3)
    uci.ready()
    uci.send("stop")
    uci.until("bestmove")


def test_pondering_on_a_move_that_ends_the_game_is_survived(uci):
    # A client may ponder on a reply that explodes the king: nothing to think about, but an answer when it is stopped.
    uci.send("position startpos moves g1f3 d7d5 f3e5 f7f6 e5d7 h7h6 d7f8", "go ponder wtime 1000 btime 1000")
    assert_no_answer(uci)
    uci.send("stop")
    assert uci.result().bestmove == "(none)"


def test_quit_ends_a_search(start_uci):
    uci = start_uci()
    uci.send("go infinite")
    until_depth(uci, 2)
    uci.quit()


def test_a_search_does_not_outlive_a_new_game(uci):
    uci.send("go infinite")
    until_depth(uci, 2)
    uci.send("stop")
    uci.until("bestmove")
    uci.send("ucinewgame", "position startpos moves e2e4")
    assert isinstance(uci.go("depth 4"), Search)
