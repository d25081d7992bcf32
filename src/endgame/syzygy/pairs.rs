//! Compression by recursive pairing: the most frequent pairs of neighbouring
//! symbols become symbols themselves, again and again.

/// The most symbols that the file format can name.
const MAX_SYMBOLS: usize = 4095;
/// The most values that one symbol may stand for.
const MAX_VALUES: u32 = 256;
/// How deep pairs may be nested: readers follow them recursively.
const MAX_DEPTH: u8 = 15;
/// A rarer pair costs more to describe than it saves.
const MIN_COUNT: u32 = 8;
/// The most pairs that are replaced in one pass.
const MAX_BATCH: usize = 256;

/// What a symbol stands for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Symbol {
    /// One value.
    Value(u16),
    /// Two symbols in a row.
    Pair(u16, u16),
}

/// A sequence of values written with symbols for pairs.
#[derive(Clone, Debug)]
pub struct Paired {
    /// The symbols; pairs come after their parts.
    pub symbols: Vec<Symbol>,
    /// How many values each symbol stands for.
    pub values: Vec<u32>,
    /// The sequence.
    pub text: Vec<u16>,
}

/// Compresses a sequence of values below `count`.
#[must_use]
pub fn pair(text: Vec<u16>, count: u16) -> Paired {
    let mut paired = Paired {
        symbols: (0..count).map(Symbol::Value).collect(),
        values: vec![1; usize::from(count)],
        text,
    };
    let mut depths = vec![0_u8; usize::from(count)];
    let mut table = Vec::new();
    while paired.symbols.len() < MAX_SYMBOLS {
        let width = paired.symbols.len();
        count_pairs(&paired.text, width, &mut table);
        let chosen = choose(&paired, &depths, &table);
        if chosen.is_empty() {
            break;
        }
        // The counts are done with: the table now names the new symbols.
        table.fill(0);
        for &(left, right) in &chosen {
            let (l, r) = (usize::from(left), usize::from(right));
            table[l * width + r] = paired.symbols.len() as u32;
            paired.symbols.push(Symbol::Pair(left, right));
            paired.values.push(paired.values[l] + paired.values[r]);
            depths.push(depths[l].max(depths[r]) + 1);
        }
        replace(&mut paired.text, width, &table);
    }
    paired
}

/// Counts how often each two symbols are neighbours, without overlap.
fn count_pairs(text: &[u16], width: usize, table: &mut Vec<u32>) {
    table.clear();
    table.resize(width * width, 0);
    let mut overlaps = false;
    for pair in text.windows(2) {
        let (l, r) = (usize::from(pair[0]), usize::from(pair[1]));
        overlaps = l == r && !overlaps;
        if l != r || overlaps {
            table[l * width + r] += 1;
        }
    }
}

/// The most frequent pairs that do not compete for the same symbols, none much
/// rarer than the first.
fn choose(paired: &Paired, depths: &[u8], table: &[u32]) -> Vec<(u16, u16)> {
    let width = paired.symbols.len();
    let fits = |l: usize, r: usize| {
        paired.values[l] + paired.values[r] <= MAX_VALUES && depths[l].max(depths[r]) < MAX_DEPTH
    };
    let mut highest = 0;
    for (l, row) in table.chunks(width).enumerate() {
        for (r, &count) in row.iter().enumerate() {
            if count > highest && fits(l, r) {
                highest = count;
            }
        }
    }
    if highest < MIN_COUNT {
        return Vec::new();
    }
    let lowest = (highest - highest / 3).max(MIN_COUNT);
    let mut candidates = Vec::new();
    for (l, row) in table.chunks(width).enumerate() {
        for (r, &count) in row.iter().enumerate() {
            if count >= lowest && fits(l, r) {
                candidates.push((std::cmp::Reverse(count), l as u16, r as u16));
            }
        }
    }
    candidates.sort_unstable();
    let (mut is_left, mut is_right) = (vec![false; width], vec![false; width]);
    let room = MAX_BATCH.min(MAX_SYMBOLS - width);
    let mut chosen = Vec::new();
    for (_, left, right) in candidates {
        let (l, r) = (usize::from(left), usize::from(right));
        if chosen.len() < room && !is_right[l] && !is_left[r] {
            is_left[l] = true;
            is_right[r] = true;
            chosen.push((left, right));
        }
    }
    chosen
}

/// Writes new symbols for the pairs that the table names.
fn replace(text: &mut Vec<u16>, width: usize, table: &[u32]) {
    let mut to = 0;
    let mut from = 0;
    while from < text.len() {
        let left = text[from];
        let symbol = text.get(from + 1).map_or(0, |&right| {
            table[usize::from(left) * width + usize::from(right)]
        });
        if symbol == 0 {
            text[to] = left;
            from += 1;
        } else {
            text[to] = symbol as u16;
            from += 2;
        }
        to += 1;
    }
    text.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(paired: &Paired, symbol: u16, out: &mut Vec<u16>) {
        match paired.symbols[usize::from(symbol)] {
            Symbol::Value(value) => out.push(value),
            Symbol::Pair(left, right) => {
                expand(paired, left, out);
                expand(paired, right, out);
            }
        }
    }

    #[test]
    fn pairs_expand_to_what_was_compressed() {
        let mut rng = fastrand::Rng::with_seed(7);
        for spread in [1, 3, 20] {
            let text: Vec<u16> = (0..20_000)
                .map(|i| {
                    if rng.u16(0..spread) == 0 {
                        2
                    } else {
                        (i / 50 % 2) as u16
                    }
                })
                .collect();
            let paired = pair(text.clone(), 3);
            let mut out = Vec::new();
            for &symbol in &paired.text {
                expand(&paired, symbol, &mut out);
            }
            assert_eq!(out, text);
            assert!(paired.text.len() < text.len() / 3);
        }
    }
}
