//! The option `--engine`, whose values are the words up to the next option.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, error::ErrorKind};
use fission::tournament::engine::EngineSpec;

const HELP: &str = "An engine; give two or more. Words: cmd= (the command; \"self\", the default, \
    is this program), name=, dir= (where it runs), option.NAME=VALUE, tc=, st=, depth=, nodes= \
    (in place of those for all), ponder=on|off, restart=on (a new process for every game)";

/// The engines of a match. Written by hand because each occurrence of the option
/// keeps its words together.
#[derive(Clone, Debug)]
pub struct Engines(pub Vec<EngineSpec>);

impl clap::Args for Engines {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .required(true)
                .help(HELP)
                .help_heading("Engines"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let occurrences = matches
            .get_occurrences::<String>("engine")
            .into_iter()
            .flatten();
        let specs = occurrences.map(|words| {
            EngineSpec::from_words(&Vec::from_iter(words)).map_err(|error| {
                // Left alone, the error would show the usage of the whole program.
                let mut command =
                    super::Args::augment_args(Command::new("match").bin_name("fission match"));
                Error::raw(ErrorKind::ValueValidation, error).format(&mut command)
            })
        });
        specs.collect::<Result<_, _>>().map(Engines)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Splits `NAME=VALUE`.
///
/// # Errors
///
/// When there is no `=`.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write NAME=VALUE, such as Hash=64")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_named_with_the_usage_of_this_command() {
        let command = Engines::augment_args(Command::new("fission"));
        let matches = command
            .try_get_matches_from(["fission", "--engine", "name=a", "foo=3"])
            .expect("words");
        let error = Engines::from_arg_matches(&matches).expect_err("a wrong word");
        let text = error.to_string();
        assert!(text.contains("foo"), "{text}");
        assert!(text.contains("Usage: fission match [OPTIONS]"), "{text}");
    }
}
