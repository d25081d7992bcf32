//! `fission tablebase build`: computes tables and writes them as Syzygy files.

use std::{
    io::{IsTerminal, Write, stderr, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::endgame::{
    build::{BuildError, Progress, build},
    material::Material,
};

use super::super::job::{INTERRUPTED_STATUS, catch_interrupts, is_interrupted};

/// Compute tables and write them as Syzygy files (.atbw, .atbz).
///
/// The tables that one is computed from are written, too: without them it cannot
/// be read. Files that are there already are kept, so an interrupted run goes on
/// from them; what others need of their endings is computed again.
///
/// Example: fission tablebase build --men 4 --threads 2 tables
#[derive(Debug, Args)]
pub struct Build {
    /// Build all tables of three to so many men
    #[arg(long, value_parser = clap::value_parser!(u8).range(3..=5))]
    men: Option<u8>,
    /// Threads to compute with; all cores if left out
    #[arg(long, value_parser = super::super::thread_count)]
    threads: Option<usize>,
    /// Names of tables, such as KQvK, and at the end the folder to write to
    #[arg(required = true, value_name = "NAME... DIR")]
    names: Vec<PathBuf>,
}

impl Build {
    /// Builds.
    pub fn run(&self) -> Result<ExitCode> {
        let Some((folder, names)) = self.names.split_last() else {
            bail!("name the folder to write to");
        };
        let last = folder.to_string_lossy();
        if last.parse::<Material>().is_ok() {
            bail!(
                "{last} is a table: name the folder to write to after it (./{last} for one of that name)"
            );
        }
        super::expect_folder(folder)?;
        let mut materials: Vec<Material> = match self.men {
            Some(men) => (3..=usize::from(men)).flat_map(Material::all).collect(),
            None => Vec::new(),
        };
        for name in names {
            let material = name.to_string_lossy().parse()?;
            if !materials.contains(&material) {
                materials.push(material);
            }
        }
        if materials.is_empty() {
            bail!(
                "nothing to build: give --men N or names of tables such as KQvK before the folder"
            );
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .context("cannot start the threads")?;
        catch_interrupts()?;
        let show = stderr().is_terminal();
        let mut lines = Ok(());
        let mut kept = 0;
        let mut written = 0;
        let mut tell = |progress: Progress| match progress {
            Progress::Computing { material, done, of } if show => {
                eprint!("\r\x1b[K{done}/{of}  computing {material}");
            }
            Progress::Compressing(material) if show => eprint!("\r\x1b[Kcompressing {material}"),
            Progress::Written {
                material,
                wdl,
                dtz,
                time,
            } => {
                if show {
                    eprint!("\r\x1b[K");
                }
                written += 1;
                let seconds = time.as_secs_f64();
                let line = format!("{material:<8} {wdl:>9} + {dtz:>9} bytes {seconds:>8.1} s");
                if lines.is_ok() {
                    lines = writeln!(stdout(), "{line}");
                }
            }
            Progress::Kept(_) => kept += 1,
            Progress::Computing { .. } | Progress::Compressing(_) => {}
        };
        let built = pool.install(|| build(folder, &materials, &is_interrupted, &mut tell));
        if show {
            eprint!("\r\x1b[K");
        }
        match built {
            Err(error @ BuildError::Interrupted) => {
                eprintln!("fission: {error}");
                Ok(ExitCode::from(INTERRUPTED_STATUS))
            }
            built => {
                built?;
                lines?;
                if written == 0 {
                    writeln!(stdout(), "nothing to do: all {kept} tables are there")?;
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}
