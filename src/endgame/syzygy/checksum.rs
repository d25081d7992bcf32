//! The checksum at the end of table files: CityHash with CRC steps (version
//! 1.0) of each 16 MiB, and of these hashes the 128-bit CityHash.

/// The bytes of the checksum.
pub const LEN: usize = 16;

const CHUNK: usize = 1 << 24;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;

/// The checksum of a file's bytes, which are all of the file but its checksum.
#[must_use]
pub fn checksum(bytes: &[u8]) -> [u8; LEN] {
    let hashes: Vec<u8> = bytes
        .chunks(CHUNK)
        .flat_map(hash_chunk)
        .flat_map(u64::to_le_bytes)
        .collect();
    let [low, high] = hash_128(&hashes);
    let mut sum = [0; LEN];
    sum[..8].copy_from_slice(&low.to_le_bytes());
    sum[8..].copy_from_slice(&high.to_le_bytes());
    sum
}

/// Whether a whole file ends with the checksum of what comes before.
#[must_use]
pub fn is_intact(file: &[u8]) -> bool {
    file.split_last_chunk::<LEN>()
        .is_some_and(|(bytes, sum)| bytes.len() % 64 == 0 && checksum(bytes) == *sum)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

const fn shift_mix(value: u64) -> u64 {
    value ^ value >> 47
}

const fn mix(low: u64, high: u64) -> u64 {
    const FACTOR: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = shift_mix((low ^ high).wrapping_mul(FACTOR));
    let b = shift_mix((high ^ a).wrapping_mul(FACTOR));
    b.wrapping_mul(FACTOR)
}

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0x82f6_3b78
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// Takes eight bytes into a CRC-32C.
fn crc(state: u64, value: u64) -> u64 {
    let mut crc = state as u32;
    for byte in value.to_le_bytes() {
        crc = crc >> 8 ^ CRC[usize::from(crc as u8 ^ byte)];
    }
    u64::from(crc)
}

/// The state of [`hash_chunk`].
struct Chunk {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    carried: u64,
    crcs: [u64; 5],
}

impl Chunk {
    /// Takes in 40 bytes.
    fn step(&mut self, bytes: &[u8], factor: u64, twist: u32) {
        let turned = |value: u64, by: u32| value.rotate_right(by ^ twist).wrapping_mul(factor);
        let old = self.a;
        self.a = turned(self.b, 41).wrapping_add(word(bytes, 0));
        self.b = turned(self.c, 27).wrapping_add(word(bytes, 8));
        self.c = turned(self.d, 41).wrapping_add(word(bytes, 16));
        self.d = turned(self.e, 33).wrapping_add(word(bytes, 24));
        self.e = turned(self.carried, 25).wrapping_add(word(bytes, 32));
        self.carried = old;
        let values = [self.a, self.b, self.c, self.d, self.e];
        for (state, value) in self.crcs.iter_mut().zip(values) {
            *state = crc(*state, value);
        }
    }
}

/// The 256-bit hash of up to 16 MiB.
fn hash_chunk(bytes: &[u8]) -> [u64; 4] {
    const BLOCK: usize = 240;
    let mut padded = [0; BLOCK];
    let (bytes, seed) = if bytes.len() < BLOCK {
        padded[..bytes.len()].copy_from_slice(bytes);
        (&padded[..], u64::from(!(bytes.len() as u32)))
    } else {
        (bytes, 0)
    };
    let len = bytes.len() as u64;
    let b = word(bytes, 96).wrapping_add(K0);
    let first = mix(b, len);
    let second = word(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let mut state = Chunk {
        a: word(bytes, 56).wrapping_add(K0),
        b,
        c: first,
        d: second,
        e: word(bytes, 184).wrapping_add(seed),
        carried: first.wrapping_add(second),
        crcs: [seed, 0, 0, 0, 0],
    };
    let blocks = bytes.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for block in blocks {
        for (step, part) in block.chunks_exact(40).enumerate() {
            let (factor, twist) = if step % 2 == 0 { (1, 1) } else { (K0, 0) };
            state.step(part, factor, twist);
        }
    }
    let parts = rest.chunks_exact(40);
    let is_whole = parts.remainder().is_empty();
    for part in parts {
        state.step(part, K0, 0);
    }
    if !is_whole {
        state.step(&bytes[bytes.len() - 40..], K0, 0);
    }

    let Chunk {
        mut a,
        mut b,
        mut c,
        mut d,
        mut e,
        carried,
        crcs: [mut f, mut g, mut h, mut i, mut j],
    } = state;
    j = j.wrapping_add(i << 32);
    a = mix(a, j);
    h = h.wrapping_add(g << 32);
    b = b.wrapping_add(h);
    c = mix(c, f).wrapping_add(i);
    d = mix(d, e.wrapping_add(first));
    j = j.wrapping_add(e);
    i = i.wrapping_add(mix(h, carried));
    e = mix(a, d).wrapping_add(j);
    f = mix(b, c).wrapping_add(a);
    g = mix(j, i).wrapping_add(c);
    let spread = |value: u64| shift_mix(value.wrapping_mul(K0)).wrapping_mul(K0);
    let r0 = e.wrapping_add(f).wrapping_add(g).wrapping_add(h);
    a = spread(a.wrapping_add(g)).wrapping_add(b);
    let r1 = second.wrapping_add(a).wrapping_add(r0);
    a = spread(a).wrapping_add(c);
    let r2 = a.wrapping_add(r1);
    a = spread(a.wrapping_add(e));
    [r0, r1, r2, a.wrapping_add(r2)]
}

/// The 128-bit hash of the hashes of all chunks.
fn hash_128(hashes: &[u8]) -> [u64; 2] {
    const LONG: usize = 900;
    if hashes.len() > LONG {
        let [_, _, third, fourth] = hash_chunk(hashes);
        return [third, fourth];
    }
    let seed = [word(hashes, 0) ^ K3, word(hashes, 8)];
    let rest = &hashes[16..];
    if rest.len() < 128 {
        murmur(rest, seed)
    } else {
        city(rest, seed)
    }
}

/// The hash of 16 to 127 bytes.
fn murmur(bytes: &[u8], [mut a, mut b]: [u64; 2]) -> [u64; 2] {
    let len = bytes.len();
    let spread = |value: u64| shift_mix(value.wrapping_mul(K1)).wrapping_mul(K1);
    let (mut c, mut d);
    if len == 16 {
        a = spread(a);
        let (x, y) = (word(bytes, 0), word(bytes, 8));
        let short = mix(x, y.wrapping_add(16).rotate_right(16)) ^ y;
        c = b.wrapping_mul(K1).wrapping_add(short);
        d = shift_mix(a.wrapping_add(x));
    } else {
        c = mix(word(bytes, len - 8).wrapping_add(K1), a);
        d = mix(
            b.wrapping_add(len as u64),
            c.wrapping_add(word(bytes, len - 16)),
        );
        a = a.wrapping_add(d);
        for at in (0..len - 16).step_by(16) {
            a = (a ^ spread(word(bytes, at))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ spread(word(bytes, at + 8))).wrapping_mul(K1);
            d ^= c;
        }
    }
    a = mix(a, c);
    b = mix(d, b);
    [a ^ b, mix(b, a)]
}

/// A weak hash of 32 bytes and two seeds.
fn weak(bytes: &[u8], at: usize, a: u64, b: u64) -> [u64; 2] {
    let a = a.wrapping_add(word(bytes, at));
    let last = word(bytes, at + 24);
    let b = b.wrapping_add(a).wrapping_add(last).rotate_right(21);
    let sum = a
        .wrapping_add(word(bytes, at + 8))
        .wrapping_add(word(bytes, at + 16));
    [
        sum.wrapping_add(last),
        b.wrapping_add(sum.rotate_right(44)).wrapping_add(a),
    ]
}

/// The hash of 128 to 900 bytes.
fn city(bytes: &[u8], [mut x, mut y]: [u64; 2]) -> [u64; 2] {
    let mut z = (bytes.len() as u64).wrapping_mul(K1);
    let turn = |value: u64, by: u32, factor: u64| value.rotate_right(by).wrapping_mul(factor);
    let v0 = turn(y ^ K1, 49, K1).wrapping_add(word(bytes, 0));
    let mut v = [v0, turn(v0, 42, K1).wrapping_add(word(bytes, 8))];
    let mut w = [
        turn(y.wrapping_add(z), 35, K1).wrapping_add(x),
        turn(x.wrapping_add(word(bytes, 88)), 53, K1),
    ];
    let whole = bytes.len() / 128 * 128;
    for at in (0..whole).step_by(64) {
        let sum = x.wrapping_add(y).wrapping_add(v[0]);
        x = turn(sum.wrapping_add(word(bytes, at + 8)), 37, K1);
        y = turn(
            y.wrapping_add(v[1]).wrapping_add(word(bytes, at + 48)),
            42,
            K1,
        );
        x ^= w[1];
        y = y.wrapping_add(v[0]).wrapping_add(word(bytes, at + 40));
        z = turn(z.wrapping_add(w[0]), 33, K1);
        v = weak(bytes, at, v[1].wrapping_mul(K1), x.wrapping_add(w[0]));
        w = weak(
            bytes,
            at + 32,
            z.wrapping_add(w[1]),
            y.wrapping_add(word(bytes, at + 16)),
        );
        std::mem::swap(&mut x, &mut z);
    }
    x = x.wrapping_add(turn(v[0].wrapping_add(z), 49, K0));
    z = z.wrapping_add(turn(w[0], 37, K0));
    let mut left = bytes.len() - whole;
    let mut end = bytes.len();
    while left > 0 {
        let at = end - 32;
        y = turn(x.wrapping_add(y), 42, K0).wrapping_add(v[1]);
        w[0] = w[0].wrapping_add(word(bytes, at + 16));
        x = x.wrapping_mul(K0).wrapping_add(w[0]);
        z = z.wrapping_add(w[1].wrapping_add(word(bytes, at)));
        w[1] = w[1].wrapping_add(v[0]);
        v = weak(bytes, at, v[0].wrapping_add(z), v[1]);
        end = at;
        left = left.saturating_sub(32);
    }
    x = mix(x, v[0]);
    y = mix(y.wrapping_add(z), w[0]);
    [
        mix(x.wrapping_add(v[1]), w[1]).wrapping_add(y),
        mix(x.wrapping_add(w[1]), y.wrapping_add(v[1])),
    ]
}
