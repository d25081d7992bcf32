//! The position the search works on.
//!
//! shakmaty's [`Atomic`] is the authority on the rules but hides its fields
//! and cannot hold a position in which the side to move could take the king,
//! which ICC rules allow. [`Position`] therefore holds the same public parts
//! plus hash keys. It is copied, never unmade.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Color, FromSetup, Move, MoveList, Piece,
    Position as _, PositionError, Role, Setup, Square, attacks, variant::Atomic,
};

use super::{
    blast,
    legality::Legality,
    movegen,
    ruleset::Ruleset,
    zobrist::{self, Keys},
};

/// A position, its ruleset and its hash keys.
///
/// ```
/// use fission::rules::{Position, Ruleset};
///
/// let mut position = Position::startpos(Ruleset::Lichess);
/// for text in ["g1f3", "d7d5", "f3e5", "f7f6", "e5d7", "b7b6", "d7f8"] {
///     let m = position.parse_uci(text)?;
///     position.play(m);
/// }
/// assert!(position.legal_moves().is_empty()); // the black king exploded
/// # Ok::<(), fission::rules::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) board: Board,
    pub(super) castles: Castles,
    pub(super) ep_square: Option<Square>,
    pub(super) turn: Color,
    ruleset: Ruleset,
    halfmoves: u32,
    fullmoves: NonZeroU32,
    keys: Keys,
}

impl PartialEq for Position {
    /// Compares what the rules compare for repetition, and the ruleset.
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board
            && self.turn == other.turn
            && self.ruleset == other.ruleset
            && self.ep_square == other.ep_square
            && self.castles.castling_rights() == other.castles.castling_rights()
    }
}

impl Eq for Position {}

impl Position {
    /// The start of a game.
    #[must_use]
    pub fn startpos(ruleset: Ruleset) -> Position {
        Position::from_parts(Setup::initial(), Castles::new(), ruleset)
    }

    /// Builds a position from parts already found valid. An en-passant square
    /// stays only if the capture is legal.
    pub(super) fn from_parts(setup: Setup, castles: Castles, ruleset: Ruleset) -> Position {
        let mut position = Position {
            board: setup.board,
            castles,
            ep_square: None,
            turn: setup.turn,
            ruleset,
            halfmoves: setup.halfmoves,
            fullmoves: setup.fullmoves,
            keys: Keys::default(),
        };
        if let Some(square) = setup.ep_square
            && position.en_passant_is_legal(square)
        {
            position.ep_square = Some(square);
        }
        position.keys = position.fresh_keys();
        position
    }

    /// Where the men stand.
    #[inline]
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Castling rights and the squares they need.
    #[inline]
    #[must_use]
    pub const fn castles(&self) -> &Castles {
        &self.castles
    }

    /// The square on which a pawn can legally be taken en passant.
    #[inline]
    #[must_use]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep_square
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    #[must_use]
    pub const fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// The number of the move to be played, from 1.
    #[inline]
    #[must_use]
    pub const fn fullmoves(&self) -> NonZeroU32 {
        self.fullmoves
    }

    /// The rules in force.
    #[inline]
    #[must_use]
    pub const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// The Zobrist key: equal for positions that count as repeated.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.keys.full
    }

    /// The key of the whole position and of its parts.
    #[inline]
    #[must_use]
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The men of the side to move.
    #[inline]
    #[must_use]
    pub const fn us(&self) -> Bitboard {
        self.board.by_color(self.turn)
    }

    /// The men of the side not to move.
    #[inline]
    #[must_use]
    pub const fn them(&self) -> Bitboard {
        self.board.by_color(self.turn.other())
    }

    /// Where the king of `color` stands, unless it exploded.
    #[inline]
    #[must_use]
    pub const fn king(&self, color: Color) -> Option<Square> {
        self.board.king_of(color)
    }

    /// Whether a king has exploded, which ended the game.
    #[inline]
    #[must_use]
    pub const fn king_is_gone(&self) -> bool {
        self.board.kings().count() < 2
    }

    /// The men that give check to the side to move: none while the kings
    /// touch, none under ICC rules.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        Legality::new(self).checkers()
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// Keys computed from nothing; [`keys`](Position::keys) always equals it.
    #[must_use]
    pub fn fresh_keys(&self) -> Keys {
        Keys::fresh(&self.board, &self.castles, self.ep_square, self.turn)
    }

    /// Plays a pseudo-legal move, with its blast. Whether the move was legal is
    /// [`Legality`]'s business.
    pub fn play(&mut self, m: Move) {
        let us = self.turn;
        let rights = self.castles.castling_rights();
        if let Some(square) = self.ep_square.take() {
            self.keys.full ^= zobrist::en_passant(square);
        }
        self.halfmoves = if m.is_zeroing() {
            0
        } else {
            self.halfmoves.saturating_add(1)
        };

        let mut double_push = None;
        match m {
            Move::Normal { capture: None, .. } => double_push = self.play_quiet(m),
            Move::Normal { .. } | Move::EnPassant { .. } => self.explode(m),
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                self.take(king);
                self.take(rook);
                self.put(side.king_to(us), us.king());
                self.put(side.rook_to(us), us.rook());
                self.castles.discard_color(us);
            }
            Move::Put { .. } => {}
        }

        let lost = rights ^ self.castles.castling_rights();
        if lost.any() {
            self.keys.full ^= zobrist::castling(lost);
        }
        self.turn = !us;
        self.keys.full ^= zobrist::BLACK_TO_MOVE;
        if us.is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        if let Some(square) = double_push
            && self.en_passant_is_legal(square)
        {
            self.ep_square = Some(square);
            self.keys.full ^= zobrist::en_passant(square);
        }
        debug_assert_eq!(self.keys, self.fresh_keys(), "keys after {m:?}");
    }

    /// What the key will be after a move that takes nothing, but for rights to
    /// castle and en passant that come or go; `None` for other moves.
    #[inline]
    #[must_use]
    pub fn likely_key_after(&self, m: Move) -> Option<u64> {
        let Move::Normal {
            role,
            from,
            capture: None,
            to,
            promotion,
        } = m
        else {
            return None;
        };
        let man = |role| Piece {
            color: self.turn,
            role,
        };
        Some(
            self.keys.full
                ^ zobrist::piece(from, man(role))
                ^ zobrist::piece(to, man(promotion.unwrap_or(role)))
                ^ zobrist::BLACK_TO_MOVE,
        )
    }

    /// The position after a pseudo-legal move.
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// The position after passing the turn.
    #[must_use]
    pub fn after_null(&self) -> Position {
        let mut next = self.clone();
        if let Some(square) = next.ep_square.take() {
            next.keys.full ^= zobrist::en_passant(square);
        }
        if next.turn.is_black() {
            next.fullmoves = next.fullmoves.saturating_add(1);
        }
        next.turn = !next.turn;
        next.keys.full ^= zobrist::BLACK_TO_MOVE;
        next.halfmoves = next.halfmoves.saturating_add(1);
        next
    }

    /// All legal moves; none once a king is gone. Under Lichess rules the list
    /// is shakmaty's, under ICC rules our own.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        match self.to_atomic() {
            Some(atomic) => atomic.legal_moves(),
            None => movegen::legal_moves(self),
        }
    }

    /// Whether `m` is legal here. Any move may be asked about.
    #[must_use]
    pub fn is_legal(&self, m: Move) -> bool {
        self.legal_moves().contains(&m)
    }

    /// This position as shakmaty's own type. `None` under ICC rules, and for
    /// positions that [`Atomic`] cannot hold.
    #[must_use]
    pub fn to_atomic(&self) -> Option<Atomic> {
        if !self.ruleset.has_check() {
            return None;
        }
        Atomic::from_setup(self.to_setup(), CastlingMode::Chess960)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }

    /// The public parts as shakmaty's setup.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
        Setup {
            board: self.board.clone(),
            turn: self.turn,
            castling_rights: self.castles.castling_rights(),
            ep_square: self.ep_square,
            halfmoves: self.halfmoves,
            fullmoves: self.fullmoves,
            ..Setup::empty()
        }
    }

    /// Whether castling moves need Chess960 notation: some right belongs to a
    /// king or rook off its classical square.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            self.castles.has_color(color)
                && (self.king(color) != Some(color.fold_wb(Square::E1, Square::E8))
                    || (self.castles.castling_rights() & color.backrank() & !Bitboard::CORNERS)
                        .any())
        })
    }

    /// The same position with colours and board turned round.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        let setup = self.to_setup().into_mirrored();
        let castles =
            Castles::from_setup(&setup, CastlingMode::Chess960).unwrap_or_else(|castles| castles);
        Position::from_parts(setup, castles, self.ruleset)
    }

    /// Removes the man on `square`, with its key.
    #[inline]
    fn take(&mut self, square: Square) {
        if let Some(man) = self.board.remove_piece_at(square) {
            self.keys.toggle(square, man);
        }
    }

    /// Puts a man on an empty square, with its key.
    #[inline]
    fn put(&mut self, square: Square, man: shakmaty::Piece) {
        self.board.set_piece_at(square, man);
        self.keys.toggle(square, man);
    }

    /// Plays a move that takes nothing. Returns the square passed over by a
    /// pawn that went two squares and can be seen by an enemy pawn.
    #[inline]
    fn play_quiet(&mut self, m: Move) -> Option<Square> {
        let Move::Normal {
            role,
            from,
            to,
            promotion,
            ..
        } = m
        else {
            return None;
        };
        let us = self.turn;
        self.board.discard_piece_at(from);
        self.keys.toggle(from, role.of(us));
        self.put(to, promotion.unwrap_or(role).of(us));
        match role {
            Role::King => {
                self.castles.discard_color(us);
                None
            }
            Role::Rook => {
                self.castles.discard_rook(from);
                None
            }
            Role::Pawn if from.distance(to) == 2 => {
                let passed = Square::from_coords(
                    from.file(),
                    us.fold_wb(shakmaty::Rank::Third, shakmaty::Rank::Sixth),
                );
                let watchers =
                    attacks::pawn_attacks(us, passed) & self.board.by_piece((!us).pawn());
                watchers.any().then_some(passed)
            }
            _ => None,
        }
    }

    /// Plays a capture: everything that the blast reaches goes, castling
    /// rights with it.
    fn explode(&mut self, m: Move) {
        let removed = blast::removed(&self.board, m);
        if (removed & self.board.kings()).any() {
            for color in Color::ALL {
                if (removed & self.board.by_piece(color.king())).any() {
                    self.castles.discard_color(color);
                }
            }
        }
        for square in removed {
            self.take(square);
        }
        for rook in removed & self.castles.castling_rights() {
            self.castles.discard_rook(rook);
        }
    }

    /// Whether the side to move can legally take en passant on `square`.
    #[cold]
    fn en_passant_is_legal(&self, square: Square) -> bool {
        let pawns =
            attacks::pawn_attacks(!self.turn, square) & self.board.by_piece(self.turn.pawn());
        if pawns.is_empty() {
            return false;
        }
        let legality = Legality::new(self);
        pawns
            .into_iter()
            .any(|from| legality.allows(Move::EnPassant { from, to: square }))
    }
}
