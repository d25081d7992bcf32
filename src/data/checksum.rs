//! CRC-32 (the polynomial of zlib and Ethernet), for game frames and network
//! files.

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

/// A running CRC-32.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Crc32 {
        Crc32(!0)
    }
}

impl Crc32 {
    /// The sum over `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> u32 {
        Crc32::default().with(bytes).value()
    }

    /// The sum continued over `bytes`.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Crc32 {
        Crc32(bytes.iter().fold(self.0, |crc, byte| {
            TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8)
        }))
    }

    /// The sum so far.
    #[must_use]
    pub const fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_check_value_comes_out() {
        assert_eq!(Crc32::of(b"123456789"), 0xcbf4_3926);
        assert_eq!(
            Crc32::default().with(b"1234").with(b"56789").value(),
            0xcbf4_3926
        );
    }
}
