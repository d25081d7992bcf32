"""Input that no well-behaved client sends: one remark that says what was wrong and what was kept, and the engine goes on."""

import signal

import pytest

from harness import atomic

HERE = "e2e4 e7e5 g1f3"  # the position that has to survive all of it


@pytest.fixture
def game(uci):
    assert uci.say(f"position startpos moves {HERE}") == []
    return uci


def assert_kept(uci):
    """The position before the fault is still there, and the engine plays in it."""
    board = atomic(moves=HERE)
    assert uci.legal_moves() == {move.uci() for move in board.legal_moves}
    uci.go("depth 3").assert_legal(board)


def assert_one_remark(remarks, *naming):
    assert len(remarks) == 1, remarks
    for text in naming:
        assert text in remarks[0], f"{remarks[0]!r} does not name {text!r}"


@pytest.mark.parametrize("line", ["hello", "Uci", "\u00fcci", "go2", "positions startpos", "[Event]", "<xml/>", "debugger"])
def test_an_unknown_command_is_named(game, line):
    assert_one_remark(game.say(line), line)
    assert_kept(game)


@pytest.mark.parametrize("line", ["", "   ", "\t", "\r"])
def test_an_empty_line_is_nothing(game, line):
    assert game.say(line) == []


MALFORMED = [
    "",
    "hello",
    "8/8/8/8/8/8/8/8 w - - 0 1",  # no kings
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",  # seven ranks
    "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # nine ranks
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # nine squares
    "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # nine pawns in a rank
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBXR w KQkq - 0 1",  # no such piece
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",  # no such side
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxx - 0 1",  # no such castling right
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",  # no such square
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - many 1",  # no such number
    "rnbqkknr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # two kings of a side
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",  # a pawn on the last rank
    "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",  # White could take the king
    "KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK w - - 0 1",
    "\x00\x01\x02",
]


@pytest.mark.parametrize("fen", MALFORMED)
def test_a_malformed_fen_changes_nothing(game, fen):
    assert_one_remark(game.say(f"position fen {fen}"))
    assert_kept(game)


@pytest.mark.parametrize("words", ["", "e2e4", "start", "moves e2e4", "fen", "startposs"])
def test_a_position_command_without_a_position_changes_nothing(game, words):
    assert_one_remark(game.say(f"position {words}"))
    assert_kept(game)


@pytest.mark.parametrize(
    "moves, wrong",
    [
        ("e2e5", "e2e5"),  # not how a pawn moves
        ("e7e5", "e7e5"),  # the other side's
        ("e2e4 e2e4", "e2e4"),  # nothing there any more
        ("e2e4 e7e5 0000", "0000"),
        ("e2e4 xyzzy e7e5", "xyzzy"),
        ("e2e4 e7e5 e4", "e4"),
        ("g1f3 d7d5 f3e5 f7f6 e5d7 c8d7", "c8d7"),  # would explode one's own king
        ("g1f3 d7d5 f3e5 f7f6 e5d7 h7h6 d7f8 a7a6", "a7a6"),  # the game is over
        ("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1g1", "e1g1"),  # may not castle any more
        ("a2a4q", "a2a4q"),
        ("\u265e", "\u265e"),
    ],
)
def test_an_illegal_move_changes_nothing_and_is_named(game, moves, wrong):
    assert_one_remark(game.say(f"position startpos moves {moves}"), wrong)
    assert_kept(game)


OUT_OF_RANGE = [
    ("Hash", "0"),
    ("Hash", "-1"),
    ("Hash", "99999999999999999999999"),
    ("Hash", "much"),
    ("Hash", "16.5"),
    ("Hash", ""),
    ("Threads", "0"),
    ("Threads", "1000000"),
    ("MultiPV", "0"),
    ("MultiPV", "x"),
    ("Move Overhead", "-1"),
    ("Skill Level", "21"),
    ("UCI_Elo", "1"),
    ("UCI_Elo", "9999"),
    ("Ponder", "perhaps"),
    ("UCI_Chess960", "960"),
    ("UCI_ShowWDL", ""),
    ("UCI_LimitStrength", "yes"),
    ("UCI_AnalyseMode", "2"),
    ("UCI_Variant", "chess"),
    ("UCI_Variant", ""),
]


@pytest.mark.parametrize("name, value", OUT_OF_RANGE)
def test_a_value_out_of_range_is_refused_and_the_old_one_kept(game, name, value):
    assert_one_remark(game.say(f"setoption name {name} value {value}"), name)
    assert_kept(game)


@pytest.mark.parametrize("option", ["EvalFile", "BookFile"])
def test_what_is_no_file_is_refused_at_once(game, tmp_path, option):
    for path in ("/dev/zero", tmp_path):
        assert_one_remark(game.say(f"setoption name {option} value {path}"), option, str(path))
    assert_kept(game)


@pytest.mark.parametrize(
    "line", ["setoption", "setoption name", "setoption Hash 3", "setoption name NoSuchOption value 1", "setoption name value 3"]
)
def test_an_option_that_does_not_exist_is_told(game, line):
    assert_one_remark(game.say(line))
    assert_kept(game)


def test_option_names_match_in_any_letter_case(game):
    assert game.say("setoption name hash value 8", "setoption name MULTIPV value 2", "setoption name clear hash") == []
    assert {info.multipv for info in game.go("depth 3").infos} == {1, 2}


def test_a_hash_that_cannot_be_had_is_refused_and_the_table_kept(game):
    # One tebibyte: refused on most machines, used on the few that have it.
    remarks = game.say("setoption name Hash value 1048576")
    assert len(remarks) <= 1
    assert_kept(game)


def test_a_log_file_that_cannot_be_written_is_told(game, tmp_path):
    assert_one_remark(game.say(f"setoption name Debug Log File value {tmp_path / 'nowhere' / 'log'}"))
    assert_kept(game)


def test_the_log_file_has_both_directions(game, tmp_path):
    log = tmp_path / "traffic.log"
    assert game.say(f"setoption name Debug Log File value {log}") == []
    game.go("depth 1")
    game.ready()
    text = log.read_text()
    assert "go depth 1" in text and "bestmove" in text


@pytest.mark.parametrize(
    "arguments, wrong",
    [
        ("depth x", "x"),
        ("depth", "depth"),
        ("nodes 99999999999999999999999", "99999999999999999999999"),
        ("movetime 1e3", "1e3"),
        ("wtime soon btime 1000", "soon"),
        ("searchmoves e2e5 depth 2", "e2e5"),
        ("slowly", "slowly"),
    ],
)
def test_a_limit_that_is_not_understood_is_named_and_the_search_still_answers(game, arguments, wrong):
    game.send(f"go {arguments}")
    game.send("stop")
    search = game.result()
    search.assert_legal(atomic(moves=HERE))
    assert search.remarks and wrong in search.remarks[0]
    game.ready()
    assert_kept(game)


def test_negative_limits_still_bring_an_answer(game):
    for arguments in (
        "depth -3",
        "nodes -1",
        "movetime -100",
        "mate -2 depth 2",
        "depth 0",
        "nodes 0",
        "movetime 0",
        "mate 0 depth 2",
    ):
        game.go(arguments).assert_legal(atomic(moves=HERE))


def test_go_before_any_position_searches_the_start_position(start_uci):
    uci = start_uci(handshake=False)
    uci.send("go depth 4")
    uci.result().assert_legal(atomic())
    uci.quit()


def test_stop_and_ponderhit_without_a_search_are_told(game):
    assert_one_remark(game.say("stop"), "stop")
    assert_one_remark(game.say("ponderhit"), "ponderhit")
    assert_kept(game)


def test_nul_bytes_and_bytes_that_are_no_text_are_survived(game):
    assert_one_remark(game.say(b"is\0ready\n"))
    assert_one_remark(game.say(b"\0\n"))
    assert_one_remark(game.say(b"\xff\xfe\xfd\n"))
    assert_one_remark(game.say(b"position fen \0\n"))
    assert_one_remark(game.say(b"position startpos moves e2e4\0\n"))
    assert_one_remark(game.say(b"setoption name Hash value 1\x006\n"))
    assert_kept(game)


@pytest.mark.parametrize(
    "start, filler",
    [("", "x"), ("position startpos moves ", "e2e4 "), ("position fen ", "8/"), ("setoption name ", "Hash "), ("go depth ", "9")],
    ids=["noise", "moves", "fen", "option", "go"],
)
def test_a_line_of_ten_megabytes_is_told_and_passed_over(game, start, filler):
    line = start + filler * (10_000_000 // len(filler))
    remarks = game.say(line) if not start.startswith("go") else game.say(line, "stop")
    assert remarks and all(len(remark) < 1000 for remark in remarks)
    if not start.startswith("go"):
        assert len(remarks) == 1
    assert_kept(game)


def test_a_long_game_is_not_too_long(game):
    # Two hundred thousand plies are more than any game has; twenty thousand are taken.
    moves = " ".join(["g1f3 g8f6 f3g1 f6g8"] * 5000)
    assert game.say(f"position startpos moves {moves}") == []
    game.go("depth 3").assert_legal(atomic())


def test_windows_line_ends_and_stray_blanks_are_understood(uci):
    assert uci.say(b"  position   startpos\tmoves  e2e4 \r\n") == []
    assert uci.legal_moves() == {move.uci() for move in atomic(moves="e2e4").legal_moves}


def test_commands_during_a_search_do_not_disturb_it(game):
    game.send("go infinite", "position startpos", "setoption name Hash value 8", "ucinewgame", "nonsense", "isready")
    game.until("readyok")
    game.send("stop")
    game.result().assert_legal(atomic(moves=HERE))
    # What came during the search counts after it.
    game.ready()
    assert game.legal_moves() == {move.uci() for move in atomic().legal_moves}


def test_a_second_go_during_a_search_gets_its_own_answer(game):
    game.send("go infinite", "go depth 2", "stop")
    game.result().assert_legal(atomic(moves=HERE))
    game.result().assert_legal(atomic(moves=HERE))
    game.ready()


def test_the_end_of_input_ends_the_engine(start_uci):
    uci = start_uci()
    uci.close_input()
    assert uci.wait() == 0 and uci.errors() == ""


@pytest.mark.parametrize("search", ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 3", "go movetime 100"])
def test_the_end_of_input_ends_a_search(start_uci, search):
    uci = start_uci()
    uci.send("position startpos", search)
    uci.close_input()
    uci.result().assert_legal(atomic())
    assert uci.wait() == 0 and uci.errors() == ""


def test_input_without_a_last_line_end_is_done_too(start_uci):
    uci = start_uci()
    uci.send(b"position startpos moves e2e4\ngo depth 2")
    uci.close_input()
    uci.result().assert_legal(atomic(moves="e2e4"))
    assert uci.wait() == 0


@pytest.mark.parametrize("last", ["uci", "go depth 20", "d", "nonsense"])
def test_a_client_that_reads_no_more_ends_the_engine_quietly(start_uci, last):
    uci = start_uci()
    uci.process.stdout.close()
    for _ in range(1000):  # enough to fill any buffer on the way
        try:
            uci.send(last)
        except BrokenPipeError:
            break
        if uci.process.poll() is not None:
            break
    code = uci.wait()
    assert code in (0, 1, -signal.SIGPIPE), code
    assert "panicked" not in uci.errors(), uci.errors()
