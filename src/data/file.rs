//! Files of games: frames with a checksum, read as a stream, appended to.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{Game, GameError};

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"FISSGAME";
/// The version of the format that this code reads and writes.
pub const VERSION: u32 = 1;
/// The first bytes of every frame.
pub const MARKER: [u8; 2] = [0xb1, 0xa5];
/// How names of game files end.
pub const EXTENSION: &str = "games";

const HEADER: usize = MAGIC.len() + 4;
const FRAME_HEADER: usize = 8;
const BLOCK: usize = 1 << 18;

/// What is wrong with a file of games.
#[derive(Debug, Error)]
pub enum FileError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file does not start as a file of games.
    #[error("{0}: not a file of games (its first bytes are not FISSGAME)")]
    Magic(PathBuf),
    /// A later version wrote it.
    #[error("{path}: version {found} of the format, this program reads version {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: u32,
    },
    /// Bytes that are no frame, or whose checksum is wrong; reading goes on
    /// behind them.
    #[error("{path}: {bytes} damaged bytes at offset {offset} skipped")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damage starts.
        offset: u64,
        /// How far the next good frame is.
        bytes: u64,
    },
    /// The file ends within a frame.
    #[error("{path}: the last {bytes} bytes, from offset {offset}, are an unfinished game")]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where the unfinished frame starts.
        offset: u64,
        /// How long it is.
        bytes: u64,
    },
    /// A sound frame that holds no sound game; reading goes on behind it.
    #[error("{path}: game at offset {offset}: {source}")]
    Game {
        /// The file.
        path: PathBuf,
        /// Where the frame starts.
        offset: u64,
        /// Why.
        source: GameError,
    },
}

/// Reads a file of games as a stream. After an error about one game the
/// iterator goes on with the next.
#[derive(Debug)]
pub struct Reader<R> {
    path: PathBuf,
    source: R,
    buffer: Vec<u8>,
    /// The first byte of the buffer not yet used.
    used: usize,
    /// The offset of that byte in the file.
    offset: u64,
    ended: bool,
}

/// A frame: where it starts and what it holds.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Offset of the frame in its file.
    pub offset: u64,
    /// The bytes of the game.
    pub payload: Vec<u8>,
}

impl Reader<File> {
    /// Opens a file of games.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it cannot be read or is no file of games.
    pub fn open(path: &Path) -> Result<Reader<File>, FileError> {
        let file = File::open(path).map_err(|source| FileError::Io {
            path: path.to_owned(),
            source,
        })?;
        Reader::new(file, path)
    }
}

impl<R: Read> Reader<R> {
    /// Reads from any source; `path` is its name in messages.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the source does not start as a file of games.
    pub fn new(source: R, path: &Path) -> Result<Reader<R>, FileError> {
        let mut reader = Reader {
            path: path.to_owned(),
            source,
            buffer: Vec::new(),
            used: 0,
            offset: 0,
            ended: false,
        };
        reader.fill(HEADER)?;
        let found = reader
            .pending()
            .strip_prefix(&MAGIC)
            .and_then(|rest| rest.first_chunk())
            .map(|version| u32::from_le_bytes(*version))
            .ok_or_else(|| FileError::Magic(path.to_owned()))?;
        if found != VERSION {
            return Err(FileError::Version {
                path: path.to_owned(),
                found,
            });
        }
        reader.advance(HEADER);
        Ok(reader)
    }

    /// The next frame, its game not yet decoded.
    pub fn next_frame(&mut self) -> Option<Result<Frame, FileError>> {
        let mut damage = None;
        loop {
            if let Err(error) = self.fill(FRAME_HEADER) {
                self.stop();
                return Some(Err(error));
            }
            let length = match self.frame_length() {
                Ok(length) => length,
                Err(error) => {
                    self.stop();
                    return Some(Err(error));
                }
            };
            if let Some(length) = length {
                if let Some(offset) = damage {
                    return Some(Err(FileError::Damaged {
                        path: self.path.clone(),
                        offset,
                        bytes: self.offset - offset,
                    }));
                }
                let frame = Frame {
                    offset: self.offset,
                    payload: self.pending()[FRAME_HEADER..length].to_vec(),
                };
                self.advance(length);
                return Some(Ok(frame));
            }
            if self.pending().is_empty() {
                return damage.map(|offset| {
                    Err(FileError::Truncated {
                        path: self.path.clone(),
                        offset,
                        bytes: self.offset - offset,
                    })
                });
            }
            damage.get_or_insert(self.offset);
            let behind = &self.pending()[1..];
            let step = behind
                .iter()
                .position(|&byte| byte == MARKER[0])
                .unwrap_or(behind.len());
            self.advance(1 + step);
        }
    }

    /// The length of the sound frame that starts here, if there is one.
    fn frame_length(&mut self) -> Result<Option<usize>, FileError> {
        let Some(&[m0, m1, l0, l1, c0, c1, c2, c3]) = self.pending().first_chunk() else {
            return Ok(None);
        };
        if [m0, m1] != MARKER {
            return Ok(None);
        }
        let length = FRAME_HEADER + usize::from(u16::from_le_bytes([l0, l1]));
        self.fill(length)?;
        let sound = self
            .pending()
            .get(FRAME_HEADER..length)
            .is_some_and(|payload| {
                frame_sum([l0, l1], payload) == u32::from_le_bytes([c0, c1, c2, c3])
            });
        Ok(sound.then_some(length))
    }

    fn pending(&self) -> &[u8] {
        &self.buffer[self.used..]
    }

    fn advance(&mut self, bytes: usize) {
        self.used += bytes;
        self.offset += bytes as u64;
    }

    fn stop(&mut self) {
        self.ended = true;
        self.used = self.buffer.len();
    }

    /// Makes `wanted` bytes pending unless the source ends before.
    fn fill(&mut self, wanted: usize) -> Result<(), FileError> {
        while !self.ended && self.pending().len() < wanted {
            self.buffer.drain(..self.used);
            self.used = 0;
            let before = self.buffer.len();
            let read = (&mut self.source)
                .take(BLOCK as u64)
                .read_to_end(&mut self.buffer)
                .map_err(|source| FileError::Io {
                    path: self.path.clone(),
                    source,
                })?;
            debug_assert_eq!(self.buffer.len(), before + read);
            self.ended = read == 0;
        }
        Ok(())
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FileError>;

    fn next(&mut self) -> Option<Result<Game, FileError>> {
        let frame = self.next_frame()?;
        Some(frame.and_then(|frame| {
            Game::decode(&frame.payload).map_err(|source| FileError::Game {
                path: self.path.clone(),
                offset: frame.offset,
                source,
            })
        }))
    }
}

/// Appends games to a file, each by one call.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// Makes a new file, or opens one to append to. An unfinished game at its
    /// end, left by a kill, is cut off.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the file cannot be written or is no file of games.
    pub fn append(path: &Path) -> Result<Writer, FileError> {
        let io = |source| FileError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut end = length;
        if length < HEADER as u64 {
            let mut start = Vec::new();
            file.read_to_end(&mut start).map_err(io)?;
            if !header().starts_with(&start) {
                return Err(FileError::Magic(path.to_owned()));
            }
            file.rewind().map_err(io)?;
            file.write_all(&header()).map_err(io)?;
            end = HEADER as u64;
        } else {
            let mut reader = Reader::new(&file, path)?;
            while let Some(frame) = reader.next_frame() {
                match frame {
                    Err(FileError::Truncated { offset, .. }) => end = offset,
                    Err(error @ FileError::Io { .. }) => return Err(error),
                    _ => {}
                }
            }
        }
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(Writer {
            path: path.to_owned(),
            file,
        })
    }

    /// Makes a new file in place of any that is there.
    ///
    /// # Errors
    ///
    /// [`FileError::Io`] if it cannot be written.
    pub fn create(path: &Path) -> Result<Writer, FileError> {
        let file = File::create(path).map_err(|source| FileError::Io {
            path: path.to_owned(),
            source,
        })?;
        let mut writer = Writer {
            path: path.to_owned(),
            file,
        };
        writer.write_all(&header())?;
        Ok(writer)
    }

    /// Writes a game.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it is too long to store or the file cannot be written.
    pub fn write(&mut self, game: &Game) -> Result<(), FileError> {
        let payload = game.encode().map_err(|source| FileError::Game {
            path: self.path.clone(),
            offset: 0,
            source,
        })?;
        self.write_payload(&payload)
    }

    /// Writes the payload of a frame as it was read.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the file cannot be written.
    pub fn write_payload(&mut self, payload: &[u8]) -> Result<(), FileError> {
        let length = u16::try_from(payload.len())
            .map_err(|_| FileError::Game {
                path: self.path.clone(),
                offset: 0,
                source: GameError::TooLong(payload.len() / 4),
            })?
            .to_le_bytes();
        let mut frame = Vec::with_capacity(FRAME_HEADER + payload.len());
        frame.extend(MARKER);
        frame.extend(length);
        frame.extend(frame_sum(length, payload).to_le_bytes());
        frame.extend(payload);
        self.write_all(&frame)
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(|source| FileError::Io {
            path: self.path.clone(),
            source,
        })
    }
}

fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..MAGIC.len()].copy_from_slice(&MAGIC);
    header[MAGIC.len()..].copy_from_slice(&VERSION.to_le_bytes());
    header
}

fn frame_sum(length: [u8; 2], payload: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&length);
    sum.update(payload);
    sum.finalize()
}
