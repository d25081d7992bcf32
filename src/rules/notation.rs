//! Positions and moves as text: FEN, UCI and SAN.
//!
//! FEN is read in all its castling spellings (classical, X-FEN, Shredder-FEN)
//! and in the four-field form of EPD. Castling moves are read as the king's
//! own step (`e1g1`) and as king takes rook (`e1h1`).

use shakmaty::{
    Castles, CastlingMode, Color, File, FromSetup, Move, PositionErrorKinds, Rank, Setup, Square,
    fen::{Fen, ParseFenError},
    san::{San, SanError},
    uci::UciMove,
    variant::Atomic,
};
use thiserror::Error;

use super::{legality, movegen, position::Position, ruleset::Ruleset};

/// The most men of one colour that a position may have.
const MAX_MEN: usize = 16;

/// Why a FEN is no position to play from.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
pub enum FenError {
    /// The text is not a FEN.
    #[error("{text:?} is not a FEN ({source})")]
    Syntax {
        /// What was read.
        text: String,
        /// What is wrong with it.
        source: ParseFenError,
    },
    /// The FEN is well-formed but breaks a rule.
    #[error("{text:?} is no playable position: {fault}")]
    Illegal {
        /// What was read.
        text: String,
        /// The first rule broken.
        fault: SetupFault,
    },
}

/// What makes a well-formed FEN unplayable or in need of repair.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Error)]
pub enum SetupFault {
    /// Somebody has no king, and not because it just exploded.
    #[error("a king is missing")]
    MissingKing,
    /// Somebody has more than one king.
    #[error("a side has more than one king")]
    TooManyKings,
    /// A pawn stands on the first or last rank.
    #[error("a pawn stands on the first or last rank")]
    PawnOnBackrank,
    /// More than sixteen men of a colour.
    #[error("a side has more than {MAX_MEN} men")]
    TooManyMen,
    /// The side that just moved left its king in check.
    #[error("the side not to move is in check")]
    OppositeCheck,
    /// A castling right has no king and rook to go with it.
    #[error("a castling right has no king and rook in place")]
    CastlingRight,
    /// No pawn has just passed the en-passant square.
    #[error("no pawn has just passed the en-passant square")]
    EnPassantSquare,
}

/// Why a text is no move here.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
pub enum MoveError {
    /// The text is not in the notation expected.
    #[error("{0:?} is not a move: expected one like {1}")]
    Syntax(String, &'static str),
    /// No legal move reads so.
    #[error("{text:?} is not a legal move in {fen}")]
    Illegal {
        /// What was read.
        text: String,
        /// The position it was read in.
        fen: String,
    },
    /// More than one legal move reads so.
    #[error("{text:?} could be more than one move in {fen}")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The position it was read in.
        fen: String,
    },
}

impl Position {
    /// Reads a FEN strictly.
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is no FEN or no playable position, also if only
    /// a castling right or the en-passant square is wrong.
    pub fn from_fen(fen: &str, ruleset: Ruleset) -> Result<Position, FenError> {
        match Position::from_fen_repaired(fen, ruleset)? {
            (position, None) => Ok(position),
            (_, Some(fault)) => Err(FenError::Illegal {
                text: fen.to_owned(),
                fault,
            }),
        }
    }

    /// Reads a FEN but drops wrong castling rights or a wrong en-passant
    /// square, and tells which it was.
    ///
    /// # Errors
    ///
    /// [`FenError`] if there is more wrong than that.
    pub fn from_fen_repaired(
        fen: &str,
        ruleset: Ruleset,
    ) -> Result<(Position, Option<SetupFault>), FenError> {
        let mut setup = fen
            .trim()
            .parse::<Fen>()
            .map_err(|source| FenError::Syntax {
                text: fen.to_owned(),
                source,
            })?
            .into_setup();
        let illegal = |fault| FenError::Illegal {
            text: fen.to_owned(),
            fault,
        };
        let kinds = Atomic::from_setup(setup.clone(), CastlingMode::Chess960)
            .map_or_else(|error| error.kinds(), |_| PositionErrorKinds::empty());
        fatal_fault(&setup, kinds, ruleset).map_or(Ok(()), |fault| Err(illegal(fault)))?;

        let mut repaired = None;
        if kinds.contains(PositionErrorKinds::INVALID_EP_SQUARE) {
            setup.ep_square = None;
            repaired = Some(SetupFault::EnPassantSquare);
        }
        let castles = Castles::from_setup(&setup, CastlingMode::Chess960).unwrap_or_else(|valid| {
            repaired = Some(SetupFault::CastlingRight);
            valid
        });
        setup.castling_rights = castles.castling_rights();
        Ok((Position::from_parts(setup, castles, ruleset), repaired))
    }

    /// The FEN, with castling rights in X-FEN and an en-passant square only
    /// when the capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        Fen::try_from_setup(self.to_setup())
            .unwrap_or_else(shakmaty::fen::LossyFenError::ignore)
            .to_string()
    }

    /// Reads a legal move in UCI notation.
    ///
    /// # Errors
    ///
    /// [`MoveError`] if the text is no move or the move is not legal.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let uci: UciMove = text
            .parse()
            .map_err(|_| MoveError::Syntax(text.to_owned(), "e2e4 or e7e8q"))?;
        let illegal = || MoveError::Illegal {
            text: text.to_owned(),
            fen: self.fen(),
        };
        self.legal_moves()
            .into_iter()
            .find(|m| m.to_uci(CastlingMode::Chess960) == uci)
            .or_else(|| {
                self.legal_moves().into_iter().find(|m| {
                    m.is_castle() && !self.is_chess960() && m.to_uci(CastlingMode::Standard) == uci
                })
            })
            .ok_or_else(illegal)
    }

    /// A move in UCI notation: castling as king takes rook when `chess960`,
    /// otherwise as the king's step.
    #[must_use]
    pub fn uci(&self, m: Move, chess960: bool) -> String {
        m.to_uci(CastlingMode::from_chess960(chess960)).to_string()
    }

    /// Reads a legal move in SAN; marks of check, mate and comment are ignored.
    ///
    /// # Errors
    ///
    /// [`MoveError`] if the text is no SAN, or no legal move, or more than one.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let san: San = bare
            .parse()
            .map_err(|_| MoveError::Syntax(text.to_owned(), "Nf3, exd5 or O-O"))?;
        san.to_move(&Rules(self)).map_err(|error| {
            let (text, fen) = (text.to_owned(), self.fen());
            match error {
                SanError::IllegalSan => MoveError::Illegal { text, fen },
                SanError::AmbiguousSan => MoveError::Ambiguous { text, fen },
            }
        })
    }

    /// A legal move in SAN, with `#` when it mates or explodes the king and
    /// `+` when it checks.
    #[must_use]
    pub fn san(&self, m: Move) -> String {
        let mut san = San::from_move(&Rules(self), m).to_string();
        let after = self.after(m);
        if after.king_is_gone() {
            san.push('#');
        } else if after.is_check() {
            san.push(if movegen::has_legal_move(&after) {
                '+'
            } else {
                '#'
            });
        }
        san
    }

    /// A line of legal moves from here in SAN.
    #[must_use]
    pub fn san_line(&self, line: &[Move]) -> Vec<String> {
        let mut position = self.clone();
        line.iter()
            .map(|&m| {
                let san = position.san(m);
                position.play(m);
                san
            })
            .collect()
    }

    /// The board as a small drawing in letters, White below, ending in a
    /// newline.
    #[must_use]
    pub fn diagram(&self) -> String {
        let rule = " +---+---+---+---+---+---+---+---+\n";
        let mut text = String::from(rule);
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let man = self.board().piece_at(Square::from_coords(file, rank));
                text.push_str(" | ");
                text.push(man.map_or(' ', |man| man.char()));
            }
            text.push_str(&format!(" | {}\n{rule}", rank.char()));
        }
        text.push_str("   a   b   c   d   e   f   g   h\n");
        text
    }
}

fn fatal_fault(setup: &Setup, kinds: PositionErrorKinds, ruleset: Ruleset) -> Option<SetupFault> {
    let overfull = Color::ALL
        .into_iter()
        .any(|color| setup.board.by_color(color).count() > MAX_MEN);
    [
        (
            kinds.intersects(PositionErrorKinds::MISSING_KING | PositionErrorKinds::EMPTY_BOARD),
            SetupFault::MissingKing,
        ),
        (
            kinds.contains(PositionErrorKinds::TOO_MANY_KINGS),
            SetupFault::TooManyKings,
        ),
        (
            kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK),
            SetupFault::PawnOnBackrank,
        ),
        (overfull, SetupFault::TooManyMen),
        (
            ruleset.has_check() && kinds.contains(PositionErrorKinds::OPPOSITE_CHECK),
            SetupFault::OppositeCheck,
        ),
    ]
    .into_iter()
    .find_map(|(broken, fault)| broken.then_some(fault))
}

/// A position seen through shakmaty's own interface, so that its SAN reader
/// and writer serve both rulesets.
#[derive(Clone)]
struct Rules<'a>(&'a Position);

impl shakmaty::Position for Rules<'_> {
    fn board(&self) -> &shakmaty::Board {
        self.0.board()
    }

    fn promoted(&self) -> shakmaty::Bitboard {
        shakmaty::Bitboard::EMPTY
    }

    fn pockets(&self) -> Option<&shakmaty::ByColor<shakmaty::ByRole<u8>>> {
        None
    }

    fn turn(&self) -> Color {
        self.0.turn()
    }

    fn castles(&self) -> &Castles {
        self.0.castles()
    }

    fn maybe_ep_square(&self) -> Option<Square> {
        self.0.ep_square()
    }

    fn remaining_checks(&self) -> Option<&shakmaty::ByColor<shakmaty::RemainingChecks>> {
        None
    }

    fn halfmoves(&self) -> u32 {
        self.0.halfmoves()
    }

    fn fullmoves(&self) -> std::num::NonZeroU32 {
        self.0.fullmoves()
    }

    fn legal_moves(&self) -> shakmaty::MoveList {
        self.0.legal_moves()
    }

    fn king_attackers(
        &self,
        square: Square,
        attacker: Color,
        occupied: shakmaty::Bitboard,
    ) -> shakmaty::Bitboard {
        let kings_touch = self
            .0
            .king(attacker)
            .is_some_and(|king| super::blast::zone(king).contains(square));
        if kings_touch || !self.0.ruleset().has_check() {
            shakmaty::Bitboard::EMPTY
        } else {
            legality::attackers(self.0.board(), square, attacker, occupied)
        }
    }

    fn is_variant_end(&self) -> bool {
        self.0.king_is_gone()
    }

    fn has_insufficient_material(&self, _color: Color) -> bool {
        false
    }

    fn variant_outcome(&self) -> shakmaty::Outcome {
        shakmaty::Outcome::Unknown
    }

    fn play_unchecked(&mut self, _m: Move) {}

    fn update_zobrist_hash<V: shakmaty::zobrist::ZobristValue>(
        &self,
        _current: V,
        _m: Move,
        _mode: shakmaty::EnPassantMode,
    ) -> Option<V> {
        None
    }
}
