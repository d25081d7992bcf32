//! Chooses the network that the program carries: the file that the environment
//! variable `EVALFILE` names, else `src/evaluation/nnue/fission.nnue`, else none.

use std::{env, fs, path::PathBuf};

const FOLDER: &str = "src/evaluation/nnue";
const DEFAULT: &str = "src/evaluation/nnue/fission.nnue";

fn main() {
    println!("cargo:rerun-if-env-changed=EVALFILE");
    let named = env::var_os("EVALFILE").map(PathBuf::from);
    let network = match named {
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.display());
            fs::read(&path).unwrap_or_else(|error| {
                panic!("EVALFILE={}: {error}; name a network file", path.display())
            })
        }
        None if PathBuf::from(DEFAULT).exists() => {
            println!("cargo:rerun-if-changed={DEFAULT}");
            fs::read(DEFAULT).unwrap_or_else(|error| panic!("{DEFAULT}: {error}"))
        }
        None => {
            println!("cargo:rerun-if-changed={FOLDER}");
            Vec::new()
        }
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.nnue");
    fs::write(&out, network).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}
