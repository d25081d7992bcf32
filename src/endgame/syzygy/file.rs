//! The layout of a table file.
//!
//! A header (magic number, men, their order), then for each part of the table
//! the description of its code, the maps of DTZ values, and for each part a
//! sparse index into its blocks, the number of values in each block, and the
//! blocks. At the end stands a checksum of all that.

use rayon::prelude::*;
use shakmaty::{Color, Piece, Role};

use super::{
    checksum::checksum,
    huffman::{Code, code_lengths},
    numbering::Numbering,
    pairs::{Paired, Symbol, pair},
};
use crate::endgame::material::Material;

/// What a file says about positions.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Wins, draws and losses.
    Wdl,
    /// Distances to the next capture or pawn move.
    Dtz,
}

impl Kind {
    /// The other file of a table.
    #[must_use]
    pub const fn other(self) -> Kind {
        match self {
            Kind::Wdl => Kind::Dtz,
            Kind::Dtz => Kind::Wdl,
        }
    }

    /// The ending of the file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "atbw",
            Kind::Dtz => "atbz",
        }
    }

    /// The first four bytes of a file of atomic chess.
    #[must_use]
    pub const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Wdl => [0x55, 0x8d, 0xa4, 0x49],
            Kind::Dtz => [0x91, 0xa9, 0x5e, 0xeb],
        }
    }
}

/// How many bytes of a file [`is_about`] looks at.
pub const HEADER: usize = 16;

/// Whether a file that begins with `header` has the table of these men, with
/// either side as White.
#[must_use]
pub fn is_about(header: &[u8], material: Material) -> bool {
    // Magic number, number of men and layout, one or two bytes of order.
    let both_have_pawns = Color::ALL
        .into_iter()
        .all(|color| material.pawns_of(color) > 0);
    let begin = if both_have_pawns { 7 } else { 6 };
    let count = material.men();
    let Some(men) = header.get(begin..begin + count) else {
        return false;
    };
    let sorted = |codes: &mut dyn Iterator<Item = u8>| {
        let mut codes: Vec<u8> = codes.collect();
        codes.sort_unstable();
        codes
    };
    let found = sorted(&mut men.iter().map(|code| code & 15));
    let fits = |material: Material| found == sorted(&mut material.pieces().map(piece_code));
    usize::from(header[4] >> 4) == count && (fits(material) || fits(material.swapped()))
}

/// The values of one part for one side to move, by number.
#[derive(Clone, Debug)]
pub struct Part {
    /// Flags that readers want: see [`flag`].
    pub flags: u8,
    /// Each below `count`.
    pub values: Vec<u16>,
    /// How many different values there may be.
    pub count: u16,
    /// The DTZ values that `values` stand for, for wins, losses, cursed wins
    /// and blessed losses. Empty if they stand for themselves.
    pub maps: Vec<Vec<u8>>,
}

/// Bits of [`Part::flags`].
pub mod flag {
    /// A DTZ table of positions with Black to move.
    pub const BLACK: u8 = 1;
    /// DTZ values are looked up in a map.
    pub const MAPPED: u8 = 2;
    /// DTZ values of wins count plies, not moves.
    pub const WIN_PLIES: u8 = 4;
    /// DTZ values of losses count plies, not moves.
    pub const LOSS_PLIES: u8 = 8;
    /// One value for all.
    pub(super) const SINGLE: u8 = 128;
}

/// One side of a table: the order of its men and its parts.
#[derive(Clone, Debug)]
pub struct Side {
    /// The order.
    pub numbering: Numbering,
    /// One part, or one a file.
    pub parts: Vec<Part>,
}

/// The most values that a block may hold.
const MAX_IN_BLOCK: usize = 1 << 16;
/// Blocks for each entry of the sparse index, about.
const BLOCKS_PER_ENTRY: u64 = 16;

/// A part as it goes into the file.
struct Packed {
    header: Vec<u8>,
    index: Vec<u8>,
    lengths: Vec<u8>,
    blocks: Vec<u8>,
}

/// The bytes of a table file: of one side to move (DTZ, or both sides alike)
/// or of two, White first.
#[must_use]
pub fn write(kind: Kind, sides: &[Side]) -> Vec<u8> {
    let first = &sides[0].numbering;
    let men = &first.men;
    let has_pawns = men.iter().any(|man| man.role == Role::Pawn);
    let symmetric = Material::from_men(men.iter().copied()).is_symmetric();
    let mut out = kind.magic().to_vec();
    let layout = u8::from(!symmetric) | u8::from(has_pawns) << 1;
    out.push((men.len() as u8) << 4 | layout);
    let second = sides.get(1).or((kind == Kind::Wdl).then_some(&sides[0]));
    for _ in 0..first.parts() {
        let orders = [Some(&sides[0]), second].map(|side| side.map(|side| &side.numbering));
        for place in 0..2 {
            if first.order[place] != 15 {
                out.push(nibbles(orders, |numbering| numbering.order[place]));
            }
        }
        for man in 0..men.len() {
            out.push(nibbles(orders, |numbering| piece_code(numbering.men[man])));
        }
    }
    pad(&mut out, 2);

    let largest = match kind {
        Kind::Wdl => 6,
        Kind::Dtz => 10,
    };
    let parts: Vec<&Part> = (0..first.parts())
        .flat_map(|part| sides.iter().map(move |side| &side.parts[part]))
        .collect();
    let packed: Vec<Packed> = parts
        .par_iter()
        .map(|part| pack(part, kind, largest))
        .collect();
    for part in &packed {
        out.extend(&part.header);
    }
    for map in parts.iter().flat_map(|part| &part.maps) {
        out.push(map.len() as u8);
        out.extend(map);
    }
    pad(&mut out, 2);
    for part in &packed {
        out.extend(&part.index);
    }
    for part in &packed {
        out.extend(&part.lengths);
    }
    for part in &packed {
        pad(&mut out, 64);
        out.extend(&part.blocks);
    }
    pad(&mut out, 64);
    let sum = checksum(&out);
    out.extend(sum);
    out
}

fn pad(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

/// White's value in the low half of a byte, Black's in the high half.
fn nibbles(sides: [Option<&Numbering>; 2], value: impl Fn(&Numbering) -> u8) -> u8 {
    let [white, black] = sides.map(|side| side.map_or(0, &value));
    white & 15 | black << 4
}

fn piece_code(man: Piece) -> u8 {
    u8::from(man.role) | u8::from(man.color.is_black()) << 3
}

fn pack(part: &Part, kind: Kind, largest: u32) -> Packed {
    let lone = part.values.first().filter(|&&first| {
        // Readers take a lone DTZ value for 0, whatever it is, so only that
        // may stand alone: in KPvK and KBvKN, where nearly all distances are
        // the same, wins in three plies would be read as wins in one or two.
        let representable = kind == Kind::Wdl || first == 0 && part.maps.is_empty();
        representable && part.values.iter().all(|&value| value == first)
    });
    if let Some(&lone) = lone {
        return Packed {
            header: vec![part.flags | flag::SINGLE, lone as u8],
            index: Vec::new(),
            lengths: Vec::new(),
            blocks: Vec::new(),
        };
    }
    let paired = pair(part.values.clone(), part.count);
    let mut counts = vec![0; paired.symbols.len()];
    for &symbol in &paired.text {
        counts[usize::from(symbol)] += 1;
    }
    let code = Code::new(&code_lengths(&counts));
    let block_bits = (5..=largest)
        .min_by_key(|&bits| {
            let blocks = split(&paired, &code, bits);
            blocks.len() * ((1 << bits) + 2)
        })
        .unwrap_or(largest);
    let blocks = split(&paired, &code, block_bits);
    let size = part.values.len() as u64;

    let per_entry = size * BLOCKS_PER_ENTRY / blocks.len() as u64;
    let span_bits = per_entry.max(2).ilog2().min(30);
    let (index, padding) = sparse_index(&blocks, size, span_bits);
    let mut header = vec![part.flags, block_bits as u8, span_bits as u8, padding as u8];
    header.extend((blocks.len() as u32).to_le_bytes());
    header.extend([code.max_len, code.min_len]);
    for lowest in &code.lowest {
        header.extend(lowest.to_le_bytes());
    }
    header.extend((code.order.len() as u16).to_le_bytes());
    header.extend(symbol_table(&paired, &code));

    let lengths = blocks
        .iter()
        .map(|block| (block.values - 1) as u16)
        .chain(std::iter::repeat_n(u16::MAX, padding))
        .flat_map(u16::to_le_bytes)
        .collect();
    Packed {
        header,
        index,
        lengths,
        blocks: blocks
            .iter()
            .flat_map(|block| encode(&paired.text[block.begin..block.end], &code, block_bits))
            .collect(),
    }
}

/// The pair or value that each symbol stands for, in the order of the code,
/// twelve bits each half.
fn symbol_table(paired: &Paired, code: &Code) -> Vec<u8> {
    let mut numbers = vec![0_u16; code.order.len()];
    for (number, &symbol) in code.order.iter().enumerate() {
        numbers[usize::from(symbol)] = number as u16;
    }
    let mut table = Vec::new();
    for &symbol in &code.order {
        let (left, right) = match paired.symbols[usize::from(symbol)] {
            Symbol::Value(value) => (value, 0xfff),
            Symbol::Pair(left, right) => (numbers[usize::from(left)], numbers[usize::from(right)]),
        };
        let [low, high] = left.to_le_bytes();
        table.extend([low, high | (right << 4) as u8, (right >> 4) as u8]);
    }
    pad(&mut table, 2);
    table
}

/// A stretch of the text that is written into one block.
struct Block {
    begin: usize,
    end: usize,
    values: usize,
}

/// Cuts the text into blocks of `1 << block_bits` bytes.
fn split(paired: &Paired, code: &Code, block_bits: u32) -> Vec<Block> {
    let room = 8 << block_bits;
    let mut blocks = Vec::new();
    let (mut begin, mut bits, mut values) = (0, 0, 0);
    for (at, &symbol) in paired.text.iter().enumerate() {
        let symbol = usize::from(symbol);
        let len = usize::from(code.codes[symbol].1);
        let more = paired.values[symbol] as usize;
        if bits + len > room || values + more > MAX_IN_BLOCK {
            blocks.push(Block {
                begin,
                end: at,
                values,
            });
            (begin, bits, values) = (at, 0, 0);
        }
        bits += len;
        values += more;
    }
    blocks.push(Block {
        begin,
        end: paired.text.len(),
        values,
    });
    blocks
}

/// For the middle of each span of numbers, the block that has its value and
/// the place in it; and how many empty blocks must follow the real ones so
/// that the middle of the last span is in one, too.
fn sparse_index(blocks: &[Block], size: u64, span_bits: u32) -> (Vec<u8>, usize) {
    let span = 1_u64 << span_bits;
    let entries = size.div_ceil(span);
    let last = (entries - 1) * span + span / 2;
    let padding = (last + 1)
        .saturating_sub(size)
        .div_ceil(MAX_IN_BLOCK as u64);
    let mut index = Vec::new();
    let (mut block, mut begin) = (0, 0);
    let len = |block: usize| blocks.get(block).map_or(MAX_IN_BLOCK, |block| block.values) as u64;
    for entry in 0..entries {
        let middle = entry * span + span / 2;
        while middle >= begin + len(block) {
            begin += len(block);
            block += 1;
        }
        index.extend((block as u32).to_le_bytes());
        index.extend(((middle - begin) as u16).to_le_bytes());
    }
    (index, padding as usize)
}

/// The bits of a block, the first in the highest bit of the first byte.
fn encode(text: &[u16], code: &Code, block_bits: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << block_bits);
    let (mut buffer, mut filled) = (0_u64, 0);
    for &symbol in text {
        let (bits, len) = code.codes[usize::from(symbol)];
        buffer = buffer << len | u64::from(bits);
        filled += u32::from(len);
        while filled >= 8 {
            filled -= 8;
            out.push((buffer >> filled) as u8);
        }
    }
    if filled > 0 {
        out.push((buffer << (8 - filled)) as u8);
    }
    out.resize(1 << block_bits, 0);
    out
}
