//! Boards in letters or Unicode chess men, with colours for a terminal.

use std::fmt::Write;

use shakmaty::{Color, File, Piece, Rank, Role, Square};

use super::{Blast, Scene};
use crate::rules::Position;

/// How boards are written.
#[derive(Copy, Clone, Debug, Default)]
pub struct Style {
    /// Letters instead of chess men.
    pub ascii: bool,
    /// Escape sequences for colours.
    pub color: bool,
    /// The side that is drawn below.
    pub below: Option<Color>,
}

const RESET: &str = "\x1b[0m";
const LIGHT: &str = "\x1b[48;5;180m";
const DARK: &str = "\x1b[48;5;137m";
const MOVED: &str = "\x1b[48;5;143m";
const BLASTED: &str = "\x1b[48;5;167m";
const CHECKED: &str = "\x1b[48;5;203m";
const WHITE_MAN: &str = "\x1b[38;5;231m";
const BLACK_MAN: &str = "\x1b[38;5;16m";

impl Style {
    /// The board of a scene with coordinates, ending in a newline. Without
    /// colours, the squares of the last move and of a blast are in brackets.
    #[must_use]
    pub fn board(self, scene: &Scene) -> String {
        self.draw(|square| {
            let blasted = scene
                .blast
                .as_ref()
                .is_some_and(|blast| blast.area.contains(square));
            let moved = scene
                .last
                .is_some_and(|(from, to)| from == square || to == square);
            Cell {
                sign: scene.board.piece_at(square).map(|man| self.man(man)),
                man: scene.board.piece_at(square),
                ground: if scene.check == Some(square) {
                    Some(CHECKED)
                } else if blasted {
                    Some(BLASTED)
                } else {
                    moved.then_some(MOVED)
                },
                bracketed: moved,
            }
        })
    }

    /// The moment of the explosion: the board before, with `*` for the centre
    /// and `x` for every other man that goes.
    #[must_use]
    pub fn blast(self, before: &Position, blast: &Blast) -> String {
        let (center, gone) = if self.ascii {
            ('*', 'x')
        } else {
            ('✹', '✗')
        };
        self.draw(|square| {
            let man = before.board().piece_at(square);
            let is_gone = blast.removed.iter().any(|(removed, _)| *removed == square);
            let sign = if square == blast.center {
                Some(center)
            } else if is_gone {
                Some(gone)
            } else {
                man.map(|man| self.man(man))
            };
            Cell {
                sign,
                man: man.filter(|_| !is_gone && square != blast.center),
                ground: blast.area.contains(square).then_some(BLASTED),
                bracketed: blast.area.contains(square),
            }
        })
    }

    fn draw(self, cell: impl Fn(Square) -> Cell) -> String {
        let mut ranks = Rank::ALL;
        let mut files = File::ALL;
        if self.below == Some(Color::Black) {
            files.reverse();
        } else {
            ranks.reverse();
        }
        let mut text = String::new();
        for rank in ranks {
            let _ = write!(text, " {} ", rank.char());
            for file in files {
                let square = Square::from_coords(file, rank);
                self.put(&mut text, square, &cell(square));
            }
            text.push('\n');
        }
        text.push_str("   ");
        for file in files {
            let _ = write!(text, " {} ", file.char());
        }
        // Lines end in no space.
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    fn put(self, text: &mut String, square: Square, cell: &Cell) {
        let empty = if self.ascii { '.' } else { '·' };
        let _ = if self.color {
            let ground = cell
                .ground
                .unwrap_or(if square.is_light() { LIGHT } else { DARK });
            let man = match cell.man {
                Some(man) if man.color.is_white() => WHITE_MAN,
                _ => BLACK_MAN,
            };
            write!(text, "{ground}{man} {} {RESET}", cell.sign.unwrap_or(' '))
        } else if cell.bracketed {
            write!(text, "[{}]", cell.sign.unwrap_or(empty))
        } else {
            write!(text, " {} ", cell.sign.unwrap_or(empty))
        };
    }

    /// The sign of a man. On coloured squares both sides have the full shapes,
    /// which are seen better, and differ by colour.
    fn man(self, man: Piece) -> char {
        if self.ascii {
            return man.char();
        }
        match (man.color, self.color, man.role) {
            (Color::White, false, Role::King) => '♔',
            (Color::White, false, Role::Queen) => '♕',
            (Color::White, false, Role::Rook) => '♖',
            (Color::White, false, Role::Bishop) => '♗',
            (Color::White, false, Role::Knight) => '♘',
            (Color::White, false, Role::Pawn) => '♙',
            (_, _, Role::King) => '♚',
            (_, _, Role::Queen) => '♛',
            (_, _, Role::Rook) => '♜',
            (_, _, Role::Bishop) => '♝',
            (_, _, Role::Knight) => '♞',
            (_, _, Role::Pawn) => '♟',
        }
    }
}

/// What stands on one square of the drawing.
struct Cell {
    sign: Option<char>,
    man: Option<Piece>,
    ground: Option<&'static str>,
    bracketed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    const ASCII: Style = Style {
        ascii: true,
        color: false,
        below: None,
    };

    fn knight_takes_f7() -> (Position, shakmaty::Move) {
        let fen = "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("test FEN");
        let m = position.parse_san("Nxf7").expect("test move");
        (position, m)
    }

    #[test]
    fn the_board_has_coordinates_and_can_be_turned() {
        let scene = Scene::of_position(&Position::startpos(Ruleset::Lichess));
        let text = ASCII.board(&scene);
        let lines = Vec::from_iter(text.lines());
        assert_eq!(lines[0], " 8  r  n  b  q  k  b  n  r ");
        assert_eq!(lines[8], "    a  b  c  d  e  f  g  h");
        let turned = Style {
            below: Some(Color::Black),
            ..ASCII
        };
        assert!(turned.board(&scene).starts_with(" 1  R  N  B  K  Q"));
        let men = Style::default().board(&scene);
        assert!(men.contains('♔') && men.contains('♚') && !men.contains('\x1b'));
    }

    #[test]
    fn the_explosion_is_drawn_before_the_board_after_it() {
        let (position, m) = knight_takes_f7();
        let blast = Blast::of_move(&position, m).expect("a capture");
        let text = ASCII.blast(&position, &blast);
        let lines = Vec::from_iter(text.lines());
        assert_eq!(lines[0], " 8  r  n  b  q [x][x][x] r ");
        assert_eq!(lines[1], " 7  p  p  p  . [p][*][p] p ");
        let after = ASCII.board(&Scene::of_move(&position, m));
        assert!(after.starts_with(" 8  r  n  b  q  .  .  .  r "), "{after}");
    }

    #[test]
    fn colours_are_closed_on_every_square() {
        let (position, m) = knight_takes_f7();
        let style = Style {
            color: true,
            ..Style::default()
        };
        let text = style.board(&Scene::of_move(&position, m));
        assert_eq!(text.matches(RESET).count(), 64);
        assert!(text.contains(BLASTED));
    }
}
