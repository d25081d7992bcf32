"""What the engine prints is what UCI and the clients that follow Stockfish expect, to the word."""

import re

import pytest

from harness import LIVENESS, Uci, atomic, engine_command

OPTIONS = {
    "Threads": "spin",
    "Hash": "spin",
    "Clear Hash": "button",
    "Ponder": "check",
    "MultiPV": "spin",
    "Move Overhead": "spin",
    "UCI_Variant": "combo",
    "UCI_Chess960": "check",
    "UCI_ShowWDL": "check",
    "UCI_AnalyseMode": "check",
    "UCI_LimitStrength": "check",
    "UCI_Elo": "spin",
    "Skill Level": "spin",
    "Debug Log File": "string",
}

MOVE = r"[a-h][1-8][a-h][1-8][nbrq]?"
INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp -?\d+|mate -?\d+)( wdl \d+ \d+ \d+)?( lowerbound| upperbound)?( wdl \d+ \d+ \d+)?"
    rf" nodes \d+ nps \d+( hashfull \d+)? tbhits \d+ time \d+ pv {MOVE}( {MOVE})*"
)
CURRMOVE = re.compile(rf"info depth \d+ currmove {MOVE} currmovenumber \d+")


def test_the_greeting_names_the_engine_and_ends_with_uciok(uci):
    assert any(re.fullmatch(r"id name Fission \d+\.\d+\.\d+.*", line) for line in uci.greeting)
    assert any(line.startswith("id author ") for line in uci.greeting)
    assert uci.greeting[-1] == "uciok"


def test_every_promised_option_is_declared_well(uci):
    found = {}
    for line in uci.greeting:
        if not line.startswith("option"):
            continue
        name, kind, rest = re.fullmatch(r"option name (.+?) type (spin|check|combo|button|string)(.*)", line).groups()
        found[name] = kind
        if kind == "spin":
            default, low, high = map(int, re.fullmatch(r" default (-?\d+) min (-?\d+) max (-?\d+)", rest).groups())
            assert low <= default <= high
        elif kind == "check":
            assert rest in (" default true", " default false")
        elif kind == "combo":
            default, *values = rest.removeprefix(" default ").split(" var ")
            assert default in values
        elif kind == "button":
            assert rest == ""
    assert {name: found.get(name) for name in OPTIONS} == OPTIONS


def test_hash_is_offered_from_one_mebibyte_to_one_tebibyte(uci):
    assert any("name Hash type spin" in line and line.endswith("min 1 max 1048576") for line in uci.greeting)


def test_atomic_is_the_default_variant_and_both_rule_sets_are_offered(uci):
    line = next(line for line in uci.greeting if "UCI_Variant" in line)
    assert line.startswith("option name UCI_Variant type combo default atomic ")
    assert re.findall(r"var (\S+)", line) == ["atomic", "nocheckatomic"]


def test_nothing_is_said_before_it_is_asked(start_uci):
    uci = start_uci(handshake=False)
    assert not [line for line in uci.overhear(0.5) if line.split()[0] in ("uciok", "readyok", "option", "bestmove", "info")]
    uci.quit()


@pytest.mark.parametrize("options", [{}, {"UCI_ShowWDL": "true"}, {"MultiPV": 3}, {"Threads": 2}])
def test_info_lines_are_as_stockfish_prints_them(uci, options):
    for name, value in options.items():
        uci.set(name, value)
    for moves in ("", "g1f3 d7d5", "g1f3 d7d5 f3e5"):
        uci.send("position startpos" + (f" moves {moves}" if moves else ""))
        for line in uci.go("nodes 50000").lines[:-1]:
            assert INFO.fullmatch(line) or CURRMOVE.fullmatch(line), line


def test_bestmove_and_ponder_are_moves(uci):
    uci.send("go depth 6")
    assert re.fullmatch(rf"bestmove {MOVE}( ponder {MOVE})?", uci.until("bestmove")[-1])


def test_currmove_is_told_after_three_seconds(uci):
    uci.send("go infinite")
    start = uci.overhear(2.0)
    assert not [line for line in start if "currmove" in line]
    while "currmove" not in (line := uci.line()):
        pass
    assert CURRMOVE.fullmatch(line)
    assert int(line.split()[-1]) >= 1
    uci.send("stop")
    uci.until("bestmove")


def test_d_shows_the_position(uci):
    uci.send("position startpos moves e2e4 c7c5", "d")
    fen = next(line for line in uci.ready() if line.startswith("Fen: ")).removeprefix("Fen: ")
    assert atomic(fen).epd() == atomic(moves="e2e4 c7c5").epd()


def test_eval_shows_every_term_for_both_sides(uci):
    uci.send("eval")
    text = "\n".join(uci.ready())
    assert re.search(r"white", text, re.I) and re.search(r"black", text, re.I) and len(text.splitlines()) > 8


def test_flip_changes_sides(uci):
    uci.send("position startpos moves e2e4", "flip", "d")
    fen = next(line for line in uci.ready() if line.startswith("Fen: "))
    assert fen.split()[1].startswith("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR") and fen.split()[2] == "w"


def test_help_is_there(uci):
    uci.send("help")
    assert any("go" in line for line in uci.ready())


def test_perft_prints_each_move_and_the_sum(uci):
    uci.send("go perft 2")
    lines = uci.until("Nodes searched")
    counts = [line for line in lines if re.fullmatch(rf"{MOVE}: \d+", line)]
    assert len(counts) == 20 and sum(int(line.split(": ")[1]) for line in counts) == 400
    assert lines[-1] == "Nodes searched: 400"


def test_bench_gives_the_same_node_count_from_uci_and_from_the_command_line(uci, fission):
    uci.send("bench")
    text = uci.line(LIVENESS)
    while text is not None and not text.endswith("nps"):
        text = uci.line(LIVENESS)
    count = re.compile(r"(\d+) nodes (\d+) nps")
    assert count.search(text).group(1) == count.search(fission("bench").stdout).group(1)


def test_two_engines_do_not_disturb_each_other(uci):
    other = Uci(engine_command())
    other.send("position startpos moves e2e4")
    uci.send("position startpos moves d2d4")
    other.send("go depth 8")
    uci.send("go depth 8")
    other.result().assert_legal(atomic(moves="e2e4"))
    uci.result().assert_legal(atomic(moves="d2d4"))
    other.quit()
