//! `fission tablebase pack`: puts a folder of tables into one file.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::endgame::pack::pack;

/// Put the tables of a folder into one file, the form in which the program
/// carries its own.
///
/// Example: fission tablebase pack tables src/endgame/endings.tables
#[derive(Debug, Args)]
pub struct Pack {
    /// The folder
    folder: PathBuf,
    /// The file to write
    file: PathBuf,
}

impl Pack {
    /// Packs.
    pub fn run(&self) -> Result<ExitCode> {
        let unreadable = || format!("{:?} cannot be read", self.folder);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).with_context(unreadable)? {
            let path = entry.with_context(unreadable)?.path();
            let is_table = path
                .extension()
                .is_some_and(|ext| ext == "atbw" || ext == "atbz");
            if let Some(name) = path.file_name().filter(|_| is_table) {
                let contents = fs::read(&path).with_context(|| format!("{path:?}"))?;
                files.push((name.to_string_lossy().into_owned(), contents));
            }
        }
        if files.is_empty() {
            bail!("{:?} has no tables (.atbw and .atbz files)", self.folder);
        }
        files.sort_unstable();
        let unwritable = || format!("{:?} cannot be written", self.file);
        fs::write(&self.file, pack(&files)).with_context(unwritable)?;
        Ok(ExitCode::SUCCESS)
    }
}
