//! The command line of Fission: reads the arguments and runs one command.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run()
}
