//! Games as training data: the file format, its reader and its writer.
//!
//! Networks and classical weights are fitted to games of our own, and those
//! games are kept whole: a start position, then a move and a score a ply, about
//! four bytes a position. Positions are made again by playing the moves, so a
//! reader may filter as it likes, and a blast that removes ten men costs no
//! more to store than a pawn's step.
//!
//! # File format, version 1
//!
//! All numbers are little-endian. A file starts with the eight bytes
//! `FISSGAME` and a `u32` version. Frames follow, one a game:
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | marker, [`file::MARKER`] |
//! | 2 | length of the payload |
//! | 4 | CRC-32 of the length and the payload |
//! | length | payload |
//!
//! The payload is the start position and the plies:
//!
//! | bytes | meaning |
//! |---|---|
//! | 8 | occupied squares, bit 0 is a1 |
//! | (men + 1) / 2 | four bits a man in the order of squares, the low half first: pawn to king of White 0 to 5, of Black 6 to 11, a rook with its castling right 12 or 13 |
//! | 1 | bit 0 Black to move, bit 1 ICC rules, bits 2 and 3 the result (0 Black won, 1 draw, 2 White won), bits 4 to 7 how it ended |
//! | 1 | en-passant square, 64 for none |
//! | 1 | plies since the last capture or pawn move |
//! | 2 | move number |
//! | 4 each | a ply: [`PackedMove`](crate::rules::PackedMove) and score |
//!
//! A game may be an unfinished piece of one, then its result means nothing.
//!
//! A score is in centipawns from the view of the side to move, mates from
//! ±[`MATE`] inwards. A game is written by a single call, so a kill loses at
//! most the games not finished; a torn tail or a flipped byte costs the games
//! it touches and is reported with its offset, and reading goes on at the next
//! marker.

pub mod file;
mod game;
mod selfplay;

pub use file::{FileError, Reader, Writer};
pub use game::{Ending, Game, GameError, MATE, Ply, PlyPosition};
pub use selfplay::SelfPlay;
