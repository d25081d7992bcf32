//! Writes endgame tables as Syzygy files, which other programs read as well.

pub mod checksum;
pub mod file;
mod huffman;
mod numbering;
mod pairs;
pub mod table;
