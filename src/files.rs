//! Files that a user names, of which nothing is known before they are read.

use std::{
    fs::{self, File},
    io::{self, ErrorKind::InvalidInput},
    path::Path,
};

/// Opens a file to read. Folders, devices, pipes and files of more than `limit`
/// bytes are refused: reading them might never end, or fill the memory.
pub fn open(path: &Path, limit: u64) -> io::Result<File> {
    // Opening a pipe already waits for who writes into it.
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::new(
            InvalidInput,
            "not a file with contents, but a folder or a device",
        ));
    }
    if found.len() > limit {
        let text = format!("{} bytes: at most {limit} are read", found.len());
        return Err(io::Error::new(InvalidInput, text));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_within_the_limit_are_opened() {
        let folder = std::env::temp_dir().join(format!("fission-files-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("file");
        fs::write(&file, "four").expect("a file");
        assert!(open(&file, 4).is_ok());
        let error = open(&file, 3).expect_err("too long");
        assert_eq!(error.to_string(), "4 bytes: at most 3 are read");
        let error = open(&folder, 4).expect_err("a folder");
        assert!(error.to_string().starts_with("not a file"), "{error}");
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_opened() {
        let pipe = std::env::temp_dir().join(format!("fission-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe");
        let refused = open(&pipe, u64::MAX).is_err();
        fs::remove_file(&pipe).expect("to be removed");
        assert!(refused);
        assert!(open(Path::new("/dev/zero"), u64::MAX).is_err());
    }
}
