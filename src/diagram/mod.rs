//! Boards as pictures, for terminals and as SVG.
//!
//! What makes a picture of atomic chess is the blast: a [`Scene`] holds the
//! board after a move together with everything that the move blew up, so that
//! a drawing can mark the blast and show what is gone.

pub mod svg;
pub mod text;

use shakmaty::{Bitboard, Board, Color, Move, Piece, Role, Square};

use crate::rules::{Position, blast};

/// One picture: a board and what just happened on it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The men that are left.
    pub board: Board,
    /// Where the last move came from and went to.
    pub last: Option<(Square, Square)>,
    /// The explosion that the last move set off.
    pub blast: Option<Blast>,
    /// The king that is in check.
    pub check: Option<Square>,
}

/// An explosion.
#[derive(Clone, Debug)]
pub struct Blast {
    /// The square that exploded.
    pub center: Square,
    /// The centre and the squares around it.
    pub area: Bitboard,
    /// The men that are gone and where they stood before the move: the
    /// capturer first, then its victim, then the bystanders.
    pub removed: Vec<(Square, Piece)>,
}

impl Scene {
    /// A position about which nothing is known but itself.
    #[must_use]
    pub fn of_position(position: &Position) -> Scene {
        Scene {
            board: position.board().clone(),
            last: None,
            blast: None,
            check: position
                .is_check()
                .then(|| position.king(position.turn()))
                .flatten(),
        }
    }

    /// The position after the legal move `m` in `before`.
    #[must_use]
    pub fn of_move(before: &Position, m: Move) -> Scene {
        Scene {
            last: Some((m.from().unwrap_or_else(|| m.to()), m.to())),
            blast: Blast::of_move(before, m),
            ..Scene::of_position(&before.after(m))
        }
    }
}

impl Blast {
    /// What the move `m` in `before` blows up, if it takes anything.
    #[must_use]
    pub fn of_move(before: &Position, m: Move) -> Option<Blast> {
        let board = before.board();
        let center = blast::center(m)?;
        let first = [m.from(), blast::victim(m)];
        let others = blast::bystanders(board, center);
        let squares = first.into_iter().flatten().chain(
            others
                .into_iter()
                .filter(|square| !first.contains(&Some(*square))),
        );
        Some(Blast {
            center,
            area: blast::zone(center).with(center),
            removed: squares
                .filter_map(|square| Some((square, board.piece_at(square)?)))
                .collect(),
        })
    }

    /// The explosion in words, such as `Explosion on f7: White loses the
    /// capturing knight; Black loses pawn f7 and king e8. White wins.`
    #[must_use]
    pub fn describe(&self) -> String {
        let mut losses = Vec::new();
        let mut winner = String::new();
        let capturer = self.removed.first().map(|(_, man)| man.color);
        let order = [capturer, capturer.map(|color| !color)];
        for color in order.into_iter().flatten() {
            let men: Vec<String> = self
                .removed
                .iter()
                .enumerate()
                .filter(|(_, (_, man))| man.color == color)
                .map(|(index, (square, man))| match index {
                    0 => format!("the capturing {}", role_name(man.role)),
                    _ => format!("{} {square}", role_name(man.role)),
                })
                .collect();
            if !men.is_empty() {
                losses.push(format!("{} loses {}", side_name(color), listed(&men)));
            }
            let king_is_gone = self.removed.iter().any(|(_, man)| *man == color.king());
            if king_is_gone {
                winner = format!(" {} wins.", side_name(!color));
            }
        }
        format!(
            "Explosion on {}: {}.{winner}",
            self.center,
            losses.join("; ")
        )
    }
}

/// `White` or `Black`.
#[must_use]
pub const fn side_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// The English name of a kind of man.
#[must_use]
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// Words as people list them: `a, b and c`.
#[must_use]
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn blast(fen: &str, san: &str) -> Blast {
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("test FEN");
        let m = position.parse_san(san).expect("test move");
        Blast::of_move(&position, m).expect("a capture")
    }

    #[test]
    fn a_blast_is_told_man_by_man() {
        let blast = blast(
            "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 2",
            "Nxf7",
        );
        assert_eq!(
            blast.describe(),
            "Explosion on f7: White loses the capturing knight; \
             Black loses pawn f7, king e8, bishop f8 and knight g8. White wins."
        );
    }

    #[test]
    fn the_pawn_taken_en_passant_is_not_in_the_centre() {
        let blast = blast("8/3k4/8/3Pp3/8/8/8/4K3 w - e6 0 1", "dxe6");
        assert_eq!(blast.center, Square::E6);
        let squares = Vec::from_iter(blast.removed.iter().map(|(square, _)| *square));
        assert_eq!(squares, [Square::D5, Square::E5, Square::D7]);
    }

    #[test]
    fn words_are_listed() {
        let words = ["a", "b", "c"].map(String::from);
        assert_eq!(listed(&words), "a, b and c");
        assert_eq!(listed(&words[..1]), "a");
    }
}
