//! Many table files in one: the form in which the program carries its own.
//!
//! A line of text, the number of files, for each its name and size, and then
//! all contents in the same order. Numbers are 32 bits, the lowest byte first.

use thiserror::Error;

const MAGIC: &[u8] = b"Fission tables 1\n";

/// The bytes are not a packed folder.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("not a file of packed endgame tables, or a damaged one")]
pub struct PackError;

/// Packs files with their names.
#[must_use]
pub fn pack(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((files.len() as u32).to_le_bytes());
    for (name, contents) in files {
        out.extend((name.len() as u32).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend((contents.len() as u32).to_le_bytes());
    }
    for (_, contents) in files {
        out.extend(contents);
    }
    out
}

/// The names and contents of packed files.
///
/// # Errors
///
/// [`PackError`] if that is not what `bytes` are.
pub fn unpack(bytes: &[u8]) -> Result<Vec<(&str, &[u8])>, PackError> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(PackError)?;
    let mut sizes = Vec::new();
    for _ in 0..number(&mut rest)? {
        let len = number(&mut rest)?;
        let name = std::str::from_utf8(take(&mut rest, len)?).map_err(|_| PackError)?;
        sizes.push((name, number(&mut rest)?));
    }
    let mut files = Vec::new();
    for (name, size) in sizes {
        files.push((name, take(&mut rest, size)?));
    }
    if rest.is_empty() {
        Ok(files)
    } else {
        Err(PackError)
    }
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8], PackError> {
    let (taken, left) = rest.split_at_checked(len).ok_or(PackError)?;
    *rest = left;
    Ok(taken)
}

fn number(rest: &mut &[u8]) -> Result<usize, PackError> {
    let bytes = take(rest, 4)?;
    let bytes = bytes.try_into().map_err(|_| PackError)?;
    usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| PackError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_out_as_they_went_in_and_damage_is_seen() {
        let files = [("KQvK.atbw", 7), ("KRvK.atbz", 0)]
            .map(|(name, len)| (name.to_owned(), (0..len).collect::<Vec<u8>>()));
        let packed = pack(&files);
        let unpacked = unpack(&packed).expect("packed above");
        assert_eq!(unpacked[0], ("KQvK.atbw", files[0].1.as_slice()));
        assert_eq!(unpacked.len(), 2);
        for len in 0..packed.len() {
            assert_eq!(unpack(&packed[..len]), Err(PackError), "{len} bytes");
        }
    }
}
