//! Reading commands from a client that may send anything.

use std::io::{self, BufRead, Read};

/// Longer lines are not kept: no game needs them.
const LONGEST: usize = 1 << 20;

/// One line of input.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// A line of this many bytes that was too long to keep.
    TooLong(usize),
    /// Nothing more comes.
    End,
}

/// Reads the next line. Bytes that are no text become replacement characters;
/// an error counts as the end.
pub fn read(reader: &mut impl BufRead) -> Input {
    let mut bytes = Vec::new();
    match reader.take(LONGEST as u64).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => return Input::End,
        Ok(_) => {}
    }
    if bytes.len() == LONGEST && bytes.last() != Some(&b'\n') {
        let rest = skip_line(reader).unwrap_or(0);
        return Input::TooLong(LONGEST + rest);
    }
    let text = String::from_utf8_lossy(&bytes);
    Input::Line(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Skips to the end of the line and counts the bytes.
fn skip_line(reader: &mut impl BufRead) -> io::Result<usize> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(skipped);
        }
        if let Some(end) = buffer.iter().position(|&byte| byte == b'\n') {
            reader.consume(end + 1);
            return Ok(skipped + end);
        }
        let length = buffer.len();
        skipped += length;
        reader.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped_whole_and_the_next_is_read() {
        let mut text = vec![b'x'; 3 * LONGEST];
        text.extend_from_slice(b"\nuci\r\n\xff\0\nlast");
        let mut reader = text.as_slice();
        assert_eq!(read(&mut reader), Input::TooLong(3 * LONGEST));
        assert_eq!(read(&mut reader), Input::Line("uci".to_owned()));
        assert_eq!(read(&mut reader), Input::Line("\u{fffd}\0".to_owned()));
        assert_eq!(read(&mut reader), Input::Line("last".to_owned()));
        assert_eq!(read(&mut reader), Input::End);
    }
}
