//! Where tables are read from: the program itself, or folders.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

use super::pack;

/// Packed by `make tablebases`.
static PACKED: &[u8] = include_bytes!("endings.tables");

/// The contents of the tables in the program, by name.
fn embedded() -> &'static HashMap<&'static str, &'static [u8]> {
    static FILES: OnceLock<HashMap<&str, &[u8]>> = OnceLock::new();
    FILES.get_or_init(|| {
        pack::unpack(PACKED)
            .unwrap_or_default()
            .into_iter()
            .collect()
    })
}

/// The names and contents of the table files in the program.
pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    embedded().iter().map(|(&name, &contents)| (name, contents))
}

/// Stands for the folder of the tables in the program.
fn inside() -> &'static Path {
    Path::new("<embedded>")
}

/// The paths of the tables in the program.
pub(super) fn embedded_paths() -> impl Iterator<Item = PathBuf> {
    embedded().keys().map(|name| inside().join(name))
}

/// Reads from the program what lies there, and everything else from the disk.
#[derive(Debug, Default)]
pub(super) struct Storage {
    disk: OsFilesystem,
}

fn find(path: &Path) -> Option<&'static [u8]> {
    let name = path.strip_prefix(inside()).ok()?.to_str()?;
    embedded().get(name).copied()
}

impl Filesystem for Storage {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        match find(path) {
            Some(contents) => Ok(contents.len() as u64),
            None => self.disk.regular_file_size(path),
        }
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(path)?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<_>>>()?;
        paths.sort_unstable();
        Ok(paths)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        match find(path) {
            Some(contents) => Ok(Box::new(Embedded(contents))),
            None => self.disk.open(path),
        }
    }
}

struct Embedded(&'static [u8]);

impl RandomAccessFile for Embedded {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let begin = usize::try_from(offset).map_or(self.0.len(), |at| at.min(self.0.len()));
        let rest = &self.0[begin..];
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}
