"""Judged games: what is said of them, in which forms, and that a long analysis can be interrupted."""

import io
import json
import signal
import subprocess
import time

import chess.pgn
import pytest

import browser
from harness import LIVENESS, atomic, engine_command

# White threw a won game into a draw by repetition in the second game.
LOST = """[Event "Club"]
[White "Anna"]
[Black "Bert"]
[Result "1-0"]
[Variant "Atomic"]

{from the club} 1. Nf3 {[%clk 0:03:00] [%eval 0.1]} d5 $1 (1... f6 {sound} 2. e3) 2. Ne5 f6 3. Nd7 b6 4. Nxf8# 1-0

"""
THROWN = """[Event "Thrown"]
[White "Anna"]
[Black "Bert"]
[Result "1/2-1/2"]
[Variant "Atomic"]

1. Nf3 d5 2. Ne5 f6 3. Nf3 Nh6 4. e3 1/2-1/2

"""
NODES = ("--nodes", "4000")


def read_all(text):
    games = list(iter(lambda stream=io.StringIO(text): chess.pgn.read_game(stream), None))
    assert all(not game.errors and isinstance(game.board(), type(atomic())) for game in games)
    return games


@pytest.fixture
def club(tmp_path):
    path = tmp_path / "club.pgn"
    path.write_text(LOST + THROWN, encoding="utf-8")
    return path


def test_python_chess_reads_the_annotated_games(fission, club):
    lost, thrown = read_all(fission("analyse", str(club), *NODES).stdout)
    blunder = lost[0][0]
    assert blunder.san() == "d5" and blunder.nags == {chess.pgn.NAG_BLUNDER}
    assert blunder.eval().is_mate() and blunder.eval().white().mate() > 0
    better = [node for node in lost[0].variations if not node.is_main_variation()]
    assert len(better) == 2, "the better line, and the variation that was there"
    assert "sound" in str(better[1]) + better[1].comment
    assert "The losing move was 1...d5: 2.Ne5" in " ".join(lost.comment.split())
    assert "explodes the king" in lost.comment and "from the club" in lost.comment
    assert lost[0].clock() == 180.0, "clocks stay"
    assert lost.headers["White"] == "Anna" and lost.headers["Annotator"].startswith("Fission")
    assert all(node.eval() is not None for node in list(thrown.mainline())), "every move has its evaluation"


def test_a_missed_win_is_a_blunder_and_a_prolonged_mate_is_not(fission, club):
    lost, thrown = map(json.loads, fission("analyse", str(club), *NODES, "--json").stdout.splitlines())
    assert lost["losing_ply"] == 2 and lost["white"] == "Anna"
    assert lost["accuracy"]["white"] > lost["accuracy"]["black"]
    assert [move.get("judgement") for move in lost["moves"][1:]] == ["blunder"] + [None] * 5
    assert lost["moves"][6]["explosion"]["center"] == "f8" and lost["moves"][6]["evaluation"]["over"] == "king exploded"
    assert "explodes the king in 2" == lost["moves"][3]["evaluation"]["forced"]
    missed = thrown["moves"][4]
    assert missed["san"] == "Nf3" and missed["judgement"] == "blunder" and missed["better"]["san"][0] == "Nd7"
    for line in (lost, thrown):
        board = atomic(line["fen"])
        for move in line["moves"]:
            board.push_uci(move["uci"])
            assert board.fen() == atomic(move["fen"]).fen()


def test_words_name_threats_and_captures_that_are_illegal(fission, club):
    text = " ".join(fission("analyse", str(club), *NODES, "--explain").stdout.split())
    assert "king on e8 stands in the blast" in text
    fen = "rnbqkbnr/pppNp1pp/5p2/3p4/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 3"
    text = fission("analyse", "--fen", fen, "--depth", "6", "--explain").stdout
    assert "White threatens to explode Black's king by a capture on f8 with the next move" in text
    assert "Black's bishop on f8 dooms its king on e8: 4.Nxf8# would blow up both." in text
    assert "Black cannot take the knight on d7" in text and "the blast would reach its own king on e8" in text


def test_folders_positions_and_standard_input(fission, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.pgn").write_text(LOST)
    (tmp_path / "a.epd").write_text('# one\n\n8/8/8/p3Q3/8/3Kk3/8/8 w - - bm Kc4; id "zugzwang";\n')
    (tmp_path / "notes.txt").write_text("not a game")
    lines = fission("analyse", str(tmp_path), *NODES, "--json").stdout.splitlines()
    position, game = map(json.loads, lines)
    assert position["moves"] == [] and position["start"]["best"]["san"] and game["white"] == "Anna"
    for text in (LOST, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"):
        assert read_all(fission("analyse", "-", *NODES, stdin=text).stdout)


def test_more_threads_give_the_same_reports(fission, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text((LOST + THROWN) * 4)
    one, two = (fission("analyse", str(path), "--nodes", "1000", "--threads", threads).stdout for threads in "13")
    assert one == two and len(read_all(one)) == 8


def test_an_interrupted_analysis_goes_on_to_the_same_files(fission, tmp_path):
    games = tmp_path / "games.pgn"
    bad = '[Event "no variant"]\n\n1. e4 *\n\n'
    games.write_text(bad + (LOST + THROWN) * 40)
    arguments = [str(games), "--nodes", "2000", "--threads", "2"]

    def outputs(name):
        files = [tmp_path / f"{name}.{kind}" for kind in ("jsonl", "pgn", "html")]
        options = (f"--json={files[0]}", "--pgn", str(files[1]), "--html", str(files[2]))
        return files, ["analyse", *arguments, *options]

    whole, command = outputs("whole")
    assert fission(*command, succeeds=False).returncode == 1

    parts, command = outputs("parts")
    process = subprocess.Popen([*engine_command(), *command], stderr=subprocess.PIPE)
    end = time.monotonic() + LIVENESS
    while (not parts[0].exists() or parts[0].stat().st_size < 20_000) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIVENESS)
    assert process.returncode == 130 and b"--resume" in said, said
    assert parts[0].stat().st_size < whole[0].stat().st_size

    # It asks before it overwrites what is there, and goes on when told so.
    assert "--resume" in fission(*command, succeeds=False).stderr
    assert fission(*command, "--resume", succeeds=False).returncode == 1
    for finished, resumed in zip(whole, parts):
        assert finished.read_bytes() == resumed.read_bytes(), resumed.name
    assert not list(tmp_path.glob("*.progress*"))


def test_a_folder_of_pages_has_one_for_each_game(fission, club, tmp_path):
    folder = tmp_path / "pages"
    fission("analyse", str(club), *NODES, "--html", f"{folder}/")
    assert sorted(path.name for path in folder.iterdir()) == ["game-00001.html", "game-00002.html", "index.html"]
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert 'href="game-00002.html"' in index and "Anna – Bert, 1-0" in index


def test_names_cannot_break_out_of_the_page(fission, tmp_path):
    games, page = tmp_path / "games.pgn", tmp_path / "page.html"
    games.write_text(LOST.replace("Anna", "</title><script>alert(1)</script>"))
    fission("analyse", str(games), *NODES, "--html", str(page))
    assert "<script>alert" not in page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (folder / "club.pgn").write_text(LOST + THROWN)
    path = folder / "page.html"
    command = [*engine_command(), "analyse", str(folder / "club.pgn"), *NODES, "--explain", "--html", str(path)]
    subprocess.run(command, check=True, timeout=LIVENESS)
    return path


@pytest.fixture(scope="module")
def shown(page):
    if browser.find() is None:
        pytest.skip("no Chromium is installed")
    tab = browser.Browser()
    tab.open(page)
    yield tab
    tab.close()


def ply(tab):
    return int(tab.js("document.querySelector('section.game:not([hidden])').dataset.shown"))


def test_keys_step_through_the_game(shown):
    shown.key("Home")
    for key, expected in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 7), ("ArrowRight", 7), ("ArrowUp", 2)]:
        shown.key(key)
        assert ply(shown) == expected, key
    assert shown.js("document.querySelectorAll('section:not([hidden]) .ply.shown').length") == 1
    note = shown.js("document.querySelector('.note').textContent")
    assert "1...d5??" in note and "loses by force" in note


def test_the_mouse_steps_through_the_game(shown):
    shown.click("[data-do=first]")
    assert ply(shown) == 0
    shown.click(".moves button[data-ply='7']")
    assert ply(shown) == 7
    assert shown.js("document.querySelectorAll('.ply.shown .ghosts use').length") == 4  # knight, bishop, king, knight
    shown.click(".board > svg", across=0.1)
    assert ply(shown) == 6
    shown.click(".board > svg", across=0.9)
    assert ply(shown) == 7
    shown.click(".graph", across=0.3)
    assert ply(shown) == 2
    shown.click("[data-do=first]")
    shown.click(".key button[data-ply='2']")
    assert ply(shown) == 2
    shown.wheel(".board", 100)
    assert ply(shown) == 3


def test_one_of_several_games_is_shown(shown):
    assert shown.js("document.querySelectorAll('section.game:not([hidden])').length") == 1
    choose = "(() => { const s = document.querySelector('select'); s.value = %d; s.dispatchEvent(new Event('change')); })()"
    shown.js(choose % 1)
    assert "1/2-1/2" in shown.js("document.querySelector('section.game:not([hidden]) h2').textContent")
    shown.js(choose % 0)


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(shown, width):
    shown.size(width, 800, mobile=width < 500)
    assert shown.js("document.documentElement.scrollWidth") <= width
    shown.size(1280, 900)


def test_the_page_asks_for_nothing_but_itself(shown, page):
    assert set(shown.requests) == {page.resolve().as_uri()}
