//! `fission tablebase check`: whether the tables of a folder are right.

use std::{
    fs,
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::endgame::{
    Tables,
    build::{Computation, files},
    material::Material,
    syzygy::{
        checksum::is_intact,
        file::{Kind, is_about},
    },
    verify::compare,
};

/// The exit status when a table is wrong.
const WRONG: u8 = 1;

/// Check the tables of a folder: checksums, and the values of positions
/// against a fresh computation.
///
/// Example: fission tablebase check --positions 100000 tables
#[derive(Debug, Args)]
pub struct Check {
    /// How many random positions of each table to compare; 0 for checksums only
    #[arg(long, default_value_t = 20_000)]
    positions: usize,
    /// Where the choice of positions begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder
    folder: PathBuf,
}

impl Check {
    /// Checks and prints a line for each table.
    pub fn run(&self) -> Result<ExitCode> {
        if !self.folder.is_dir() {
            bail!("{:?} is no folder that can be read", self.folder);
        }
        let mut out = stdout().lock();
        let mut wrong = false;
        let mut found = Vec::new();
        for material in (3..=5).flat_map(Material::all) {
            let paths = files(&self.folder, material);
            let mut intact = true;
            for (path, kind) in paths.iter().zip([Kind::Wdl, Kind::Dtz]) {
                if !path.exists() {
                    intact = false;
                    continue;
                }
                let bytes = fs::read(path).with_context(|| format!("{path:?} cannot be read"))?;
                let fault = if !bytes.starts_with(&kind.magic()) {
                    "is not a table of atomic chess"
                } else if !is_intact(&bytes) {
                    "is damaged: its checksum is wrong"
                } else if !is_about(&bytes, material) {
                    "is the table of other men than its name says"
                } else {
                    continue;
                };
                writeln!(out, "{}: {fault}", path.display())?;
                (wrong, intact) = (true, false);
            }
            if intact {
                found.push(material);
            }
        }
        if found.is_empty() && !wrong {
            bail!("{:?} has no tables of three to five men", self.folder);
        }
        if self.positions > 0 {
            wrong |= self.compare(&found, &mut out)?;
        } else {
            writeln!(out, "{} tables have the right checksums", found.len())?;
        }
        Ok(if wrong {
            ExitCode::from(WRONG)
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Compares with a fresh computation; returns whether anything is wrong.
    fn compare(&self, found: &[Material], out: &mut impl Write) -> Result<bool> {
        let interrupted = super::super::interruption()?;
        // What is wrong with files was told already.
        let (tables, _) = Tables::of_folder(&self.folder);
        let mut wrong = false;
        let mut computation = Computation::new(found);
        while let Some(solution) = computation.next(&interrupted) {
            let material = solution.space.material;
            if !found.contains(&material) {
                continue;
            }
            let difference = compare(&solution, &tables, self.positions, self.seed);
            writeln!(out, "{material:<8} {difference}")?;
            wrong |= !difference.is_clean();
        }
        if interrupted() {
            bail!("interrupted before the last table");
        }
        Ok(wrong)
    }
}
