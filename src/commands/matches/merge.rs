//! `fission match merge`: one table from matches played on several machines.

use std::{
    fs,
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use fission::tournament::{report::Report, sprt::Sprt, table};

use super::{check_writable, exit_code, job, progress, write_report};

const EXAMPLES: &str = "Example:
  fission match merge host1.json host2.json --sprt elo0=0 elo1=10 --json all.json";

/// Join the JSON results of several matches into one table
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Results written by --json
    #[arg(required = true, value_name = "JSON")]
    files: Vec<PathBuf>,

    /// Apply this sequential test to all games instead of the one of the matches
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., value_delimiter = ',')]
    sprt: Option<Vec<String>>,

    /// Write the joint result to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// When a file is no result of a match, or the results do not go together.
pub fn run(args: &Args) -> Result<ExitCode> {
    let sprt = args.sprt.as_deref().map(Sprt::from_words).transpose()?;
    if let Some(path) = &args.json {
        job::refuse_overwriting(&args.files, &[path.as_path()])?;
        check_writable(path)?;
    }
    let mut reports = Vec::new();
    for path in &args.files {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read '{}'", path.display()))?;
        reports.push((path.display().to_string(), Report::read(path, &text)?));
    }
    for name in Report::unlike_engines(&reports) {
        progress::note(&format!(
            "warning: '{name}' had different limits or options in these matches"
        ));
    }
    let merged = Report::merge(reports, sprt)?;
    stdout()
        .write_all(table::render(&merged).as_bytes())
        .context("cannot print the table")?;
    if let Some(path) = &args.json {
        write_report(path, &merged)?;
    }
    Ok(exit_code(&merged))
}
