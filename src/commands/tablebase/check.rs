//! `fission tablebase check`: whether the tables of a folder are right.

use std::{
    fs,
    io::{Write, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, bail};
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
        Ok(if self.check(&mut stdout().lock())? {
            ExitCode::from(WRONG)
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Checks; returns whether anything is wrong.
    fn check(&self, out: &mut impl Write) -> Result<bool> {
        if !self.folder.is_dir() {
            bail!("{:?} is no folder that can be read", self.folder);
        }
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
                if let Some(fault) = fault(path, kind, material) {
                    writeln!(out, "{}: {fault}", path.display())?;
                    (wrong, intact) = (true, false);
                }
            }
            if intact {
                found.push(material);
            }
        }
        if found.is_empty() && !wrong {
            bail!("{:?} has no tables of three to five men", self.folder);
        }
        if self.positions > 0 {
            wrong |= self.compare(&found, out)?;
        } else {
            writeln!(out, "{} tables have the right checksums", found.len())?;
        }
        Ok(wrong)
    }

    /// Compares with a fresh computation; returns whether anything is wrong.
    fn compare(&self, found: &[Material], out: &mut impl Write) -> Result<bool> {
        let interrupted = super::super::interruption()?;
        // What is wrong with files was told already.
        let (tables, _) = Tables::completed(&self.folder);
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

/// What is wrong with the file of a table.
fn fault(path: &Path, kind: Kind, material: Material) -> Option<String> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Some(format!("cannot be read: {error}")),
    };
    let fault = if !bytes.starts_with(&kind.magic()) {
        "is not a table of atomic chess"
    } else if !is_intact(&bytes) {
        "is damaged: its checksum is wrong"
    } else if !is_about(&bytes, material) {
        "is the table of other men than its name says"
    } else {
        return None;
    };
    Some(fault.to_owned())
}

#[cfg(test)]
mod tests {
    use fission::endgame::embedded_files;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_does_not_keep_the_others_from_being_checked() {
        let folder = std::env::temp_dir().join(format!("fission-check-{}", std::process::id()));
        fs::create_dir_all(folder.join("KBvK.atbw")).expect("folders");
        for (name, contents) in embedded_files().filter(|(name, _)| name.starts_with("KQvK.")) {
            fs::write(folder.join(name), contents).expect("a table");
        }
        let check = Check {
            positions: 0,
            seed: 1,
            folder: folder.clone(),
        };
        let mut out = Vec::new();
        let wrong = check.check(&mut out);
        fs::remove_dir_all(&folder).expect("to be removed");
        assert!(wrong.expect("a check"));
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains("KBvK.atbw: cannot be read"), "{text}");
        assert!(text.contains("1 tables have the right checksums"), "{text}");
    }
}
