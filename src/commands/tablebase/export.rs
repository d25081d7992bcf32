//! `fission tablebase export`: the tables in the program as files.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::Args;
use fission::endgame::embedded_files;

/// Write the tables that the program carries into a folder, for other programs
/// that read Syzygy files.
///
/// Example: fission tablebase export tables
#[derive(Debug, Args)]
pub struct Export {
    /// The folder; files of the same names are replaced
    folder: PathBuf,
}

impl Export {
    /// Writes the files.
    pub fn run(&self) -> Result<ExitCode> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("{:?} cannot be made", self.folder))?;
        for (name, contents) in embedded_files() {
            let path = self.folder.join(name);
            fs::write(&path, contents).with_context(|| format!("{path:?} cannot be written"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
