//! Canonical Huffman codes, numbered as table files want them: the longer the
//! code of a symbol, the lower its number and its code.

use std::{cmp::Reverse, collections::BinaryHeap};

/// The longest code that readers understand.
const MAX_LEN: u8 = 32;

/// The code lengths of symbols that occur so often; 0 for those that do not.
/// A lone symbol has one bit.
#[must_use]
pub fn code_lengths(counts: &[u64]) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = unlimited(&counts);
        if lengths.iter().all(|&len| len <= MAX_LEN) {
            return lengths;
        }
        // Nearer frequencies make a flatter tree.
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

fn unlimited(counts: &[u64]) -> Vec<u8> {
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, &count)| Reverse((count, symbol)))
        .collect();
    let mut lengths = vec![0; counts.len()];
    if let (1, Some(Reverse((_, lone)))) = (heap.len(), heap.peek()) {
        lengths[*lone] = 1;
        return lengths;
    }
    let mut parents = vec![usize::MAX; counts.len()];
    while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
        let node = parents.len();
        parents.push(usize::MAX);
        parents[a.1] = node;
        parents[b.1] = node;
        if heap.is_empty() {
            break;
        }
        heap.push(Reverse((a.0 + b.0, node)));
    }
    let mut depths = vec![0_u8; parents.len()];
    for node in (0..parents.len()).rev() {
        if let Some(&depth) = depths.get(parents[node]) {
            depths[node] = depth.saturating_add(1);
        }
    }
    lengths.copy_from_slice(&depths[..counts.len()]);
    lengths
}

/// A code, ready for writing.
#[derive(Clone, Debug)]
pub struct Code {
    /// The symbols in the order of their numbers; those without a code last.
    pub order: Vec<u16>,
    /// The shortest length.
    pub min_len: u8,
    /// The longest length.
    pub max_len: u8,
    /// For each length from the shortest, the number of its first symbol.
    pub lowest: Vec<u16>,
    /// The code and its length, by symbol.
    pub codes: Vec<(u32, u8)>,
}

impl Code {
    /// The canonical code with these lengths, of which one is not zero.
    #[must_use]
    pub fn new(lengths: &[u8]) -> Code {
        let mut order: Vec<u16> = (0..lengths.len() as u16).collect();
        let len_of = |symbol: &u16| lengths[usize::from(*symbol)];
        order.sort_by_key(|symbol| match len_of(symbol) {
            0 => u8::MAX,
            len => MAX_LEN - len,
        });
        let used = || lengths.iter().copied().filter(|&len| len > 0);
        let (min_len, max_len) = (used().min().unwrap_or(1), used().max().unwrap_or(1));
        let lowest = (min_len..=max_len)
            .map(|len| used().filter(|&longer| longer > len).count() as u16)
            .collect();
        let mut codes = vec![(0, 0); lengths.len()];
        let (mut next, mut len) = (0_u64, max_len);
        for symbol in order.iter().filter(|symbol| len_of(symbol) > 0) {
            next >>= len - len_of(symbol);
            len = len_of(symbol);
            codes[usize::from(*symbol)] = (next as u32, len);
            next += 1;
        }
        Code {
            order,
            min_len,
            max_len,
            lowest,
            codes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_symbols_have_short_codes_and_no_code_begins_another() {
        let lengths = code_lengths(&[50, 0, 1, 1, 20, 7]);
        assert_eq!(lengths, [1, 0, 4, 4, 2, 3]);
        let code = Code::new(&lengths);
        assert_eq!(code.order, [2, 3, 5, 4, 0, 1]);
        assert_eq!(code.lowest, [4, 3, 2, 0]);
        assert_eq!(code.codes[2], (0, 4));
        assert_eq!(code.codes[5], (1, 3));
        assert_eq!(code.codes[0], (1, 1));
        assert_eq!(code_lengths(&[0, 9]), [0, 1]);
    }
}
