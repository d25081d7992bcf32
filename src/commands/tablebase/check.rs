//! `fission tablebase check`: whether the tables of a folder are right.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::endgame::{
    Tables,
    build::Computation,
    material::{MAX_MEN, Material},
    syzygy::{
        checksum::is_intact,
        file::{Kind, is_about},
    },
    verify::compare,
};

use super::super::job::{catch_interrupts, is_interrupted, status};

/// Check the tables of a folder: the checksums of all files, and in endings of
/// up to five men the values of positions against a fresh computation.
///
/// The exit status is 1 if a file is damaged, missing or not what its name says,
/// or a value is wrong.
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
        catch_interrupts()?;
        let wrong = self.check(&mut stdout().lock())?;
        if is_interrupted() {
            eprintln!("fission: interrupted before the last table");
        }
        Ok(status(!wrong))
    }

    /// Checks; returns whether anything is wrong.
    fn check(&self, out: &mut impl Write) -> Result<bool> {
        if !self.folder.is_dir() {
            bail!("{:?} is no folder that can be read", self.folder);
        }
        let unreadable = || format!("{:?} cannot be read", self.folder);
        let entries = fs::read_dir(&self.folder).with_context(unreadable)?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<_>>>()
            .with_context(unreadable)?;
        paths.sort_unstable();
        let mut wrong = false;
        let mut tables: BTreeMap<Material, Vec<(Kind, bool)>> = BTreeMap::new();
        for path in paths {
            let kinds = [Kind::Wdl, Kind::Dtz].into_iter();
            let extension = path.extension().unwrap_or_default();
            let Some(kind) = kinds.clone().find(|kind| extension == kind.extension()) else {
                continue;
            };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let named = Material::of_table(&stem);
            let fault = match named {
                None => Some("is not named like a table (KQvK, KRPvKN)".to_owned()),
                Some(material) => fault(&path, kind, material),
            };
            if let Some(material) = named {
                let files = tables.entry(material).or_default();
                files.push((kind, fault.is_none()));
            }
            if let Some(fault) = fault {
                writeln!(out, "{}: {fault}", path.display())?;
                wrong = true;
            }
        }
        if tables.is_empty() && !wrong {
            bail!("{:?} has no tables (.atbw and .atbz files)", self.folder);
        }
        let mut intact = 0;
        let mut found = Vec::new();
        for (material, files) in tables {
            for kind in [Kind::Wdl, Kind::Dtz] {
                if files.iter().all(|(there, _)| *there != kind) {
                    writeln!(out, "{material}.{} is missing", kind.extension())?;
                    wrong = true;
                }
            }
            if files.len() == 2 && files.iter().all(|(_, intact)| *intact) {
                intact += 1;
                if material.men() <= MAX_MEN {
                    found.push(material);
                }
            }
        }
        if self.positions > 0 {
            wrong |= self.compare(&found, out)?;
        }
        if self.positions == 0 || found.len() < intact {
            let (tables, have) = if intact == 1 {
                ("table", "has")
            } else {
                ("tables", "have")
            };
            writeln!(out, "{intact} {tables} {have} the right checksums")?;
        }
        Ok(wrong)
    }

    /// Compares with a fresh computation; returns whether anything is wrong.
    fn compare(&self, found: &[Material], out: &mut impl Write) -> Result<bool> {
        // What is wrong with files was told already.
        let (tables, _) = Tables::completed(&self.folder);
        let mut wrong = false;
        let mut computation = Computation::new(found);
        loop {
            super::show_next(&computation);
            let next = computation.next(&is_interrupted);
            super::show_nothing();
            let Some(solution) = next else { break };
            let material = solution.space.material;
            if !found.contains(&material) {
                continue;
            }
            let difference = compare(&solution, &tables, self.positions, self.seed);
            writeln!(out, "{material:<8} {difference}")?;
            wrong |= !difference.is_clean();
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
        assert!(text.contains("KBvK.atbz is missing"), "{text}");
        assert!(text.contains("1 table has the right checksums"), "{text}");
    }
}
