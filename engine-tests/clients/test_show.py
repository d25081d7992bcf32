"""Drawings of positions and explosions."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

TRAP = ["start", "1.", "Nf3", "d5", "Ne5", "Nc6", "e5f7"]


def test_the_blast_is_drawn_before_the_board_after_it(fission):
    text = fission("show", *TRAP, "--ascii").stdout
    assert text.isascii() and "\x1b" not in text
    blast, after = text.split("3.Nxf7#")[1].split("Explosion on f7")
    assert "[*]" in blast and blast.count("[x]") == 3
    assert "king e8" in after and " 8  r  .  b  q  .  .  .  r" in after
    assert text.rstrip().endswith("1-0 (king exploded)")


def test_men_are_drawn_in_unicode(fission):
    text = fission("show", "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1").stdout
    assert all(man in text for man in "♕♔♚♟") and "White to move" in text


def test_the_picture_is_sound_and_has_a_board_for_every_move(fission):
    picture = ElementTree.fromstring(fission("show", *TRAP, "--svg").stdout)
    boards = [group for group in picture if group.tag.endswith("}g")]
    assert len(boards) == 6
    ghosts = boards[-1].find(".//*[@class='ghosts']")
    assert len(ghosts) == 5  # knight, pawn f7, king, bishop f8, knight g8
    shapes = {shape.get("id") for shape in picture.iter() if shape.get("id")}
    for use in picture.iter("{http://www.w3.org/2000/svg}use"):
        assert use.get("href").lstrip("#") in shapes
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", ElementTree.tostring(picture, encoding="unicode"))


@pytest.mark.parametrize(
    "arguments, naming",
    [(("show", "nonsense"), "nonsense"), (("show", "start", "Nf6"), "Nf6"), (("show", "start", "e4", "Qh9"), "move 2")],
)
def test_wrong_input_is_named(fission, arguments, naming):
    result = fission(*arguments, succeeds=False)
    assert naming in result.stderr and result.returncode == 2
