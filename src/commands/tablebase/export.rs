//! `fission tablebase export`: the tables in the program as files.

use std::{
    fs,
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::Args;
use fission::endgame::{build::write_whole, embedded_files};

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
        super::expect_folder(&self.folder)?;
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("{:?} cannot be made", self.folder))?;
        let mut count = 0;
        for (name, contents) in embedded_files() {
            write_whole(&self.folder.join(name), contents)?;
            count += 1;
        }
        writeln!(stdout(), "{count} files in {}", self.folder.display())?;
        Ok(ExitCode::SUCCESS)
    }
}
