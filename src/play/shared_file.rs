//! A file that several programs write at the same time: each change is made to
//! what the file holds at that moment, and readers see it whole or not at all.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process,
};

/// A regular file, which need not exist yet.
#[derive(Clone, Debug)]
pub struct SharedFile {
    /// The file itself, behind all symbolic links.
    target: PathBuf,
}

impl SharedFile {
    /// Finds the file behind the links and makes sure that it can be written.
    /// Nothing is left behind by that.
    ///
    /// # Errors
    ///
    /// When the file could not be written, or is a folder or a device.
    pub fn new(path: &Path) -> io::Result<SharedFile> {
        let target = behind_links(path)?;
        match fs::metadata(&target) {
            Ok(found) if !found.is_file() => return Err(io::Error::other("not a regular file")),
            Ok(_) => drop(File::options().append(true).open(&target)?),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let shared = SharedFile { target };
        let (draft, _) = shared.draft()?;
        fs::remove_file(draft)?;
        Ok(shared)
    }

    /// What the file holds: nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        match fs::read(&self.target) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            read => read,
        }
    }

    /// Replaces what the file holds by what `change` makes of it. Meanwhile
    /// nobody else changes it in this way; only where folders cannot be locked,
    /// as under Windows, two changes in the same instant may lose one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written; what was in it stays.
    pub fn change(&self, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> io::Result<()> {
        let _lock = self.lock();
        let text = change(self.read()?);
        let (draft, file) = self.draft()?;
        let replaced = self.replace(&draft, file, &text);
        if replaced.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_file(&draft);
        }
        replaced
    }

    /// Locks the folder, because the file itself is another one after each
    /// change.
    fn lock(&self) -> Option<File> {
        let folder = File::open(self.target.parent()?).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    /// A new file beside this one, under a name that nobody uses.
    fn draft(&self) -> io::Result<(PathBuf, File)> {
        let mut number = process::id();
        loop {
            let mut name = self.target.clone().into_os_string();
            name.push(format!(".{number}.new"));
            match File::create_new(&name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    number = number.wrapping_add(1);
                }
                made => return made.map(|file| (name.into(), file)),
            }
        }
    }

    fn replace(&self, draft: &Path, mut file: File, text: &[u8]) -> io::Result<()> {
        file.write_all(text)?;
        if let Ok(before) = fs::metadata(&self.target) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        drop(file);
        fs::rename(draft, &self.target)
    }
}

/// The file that `path` leads to, even if it does not exist yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found,
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if let Ok(target) = fs::read_link(path) {
        return behind_links(&folder.join(target));
    }
    let missing = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => {
            let text = format!("the folder {} does not exist", folder.display());
            io::Error::new(ErrorKind::NotFound, text)
        }
        _ => error,
    };
    let name = path.file_name().ok_or(ErrorKind::NotFound)?;
    Ok(fs::canonicalize(folder).map_err(missing)?.join(name))
}

#[cfg(test)]
mod tests {
    use std::{env, thread};

    use super::*;

    /// A folder of its own for each test.
    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("fission-shared-{name}-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.into_string().expect("a name"))
            .collect();
        names.sort();
        names
    }

    fn push(byte: u8) -> impl FnOnce(Vec<u8>) -> Vec<u8> {
        move |mut text| {
            text.push(byte);
            text
        }
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let folder = folder("crowd");
        let path = folder.join("x");
        thread::scope(|scope| {
            for byte in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let file = SharedFile::new(path).expect("a file");
                    for _ in 0..10 {
                        file.change(push(byte)).expect("to be changed");
                    }
                });
            }
        });
        let mut bytes = fs::read(&path).expect("bytes");
        bytes.sort_unstable();
        assert_eq!(bytes, [[0; 10], [1; 10], [2; 10], [3; 10]].concat());
        assert_eq!(names(&folder), ["x"], "no draft is left");
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn files_that_look_like_drafts_stay() {
        let folder = folder("drafts");
        let path = folder.join("x");
        let others = ["x.new".to_owned(), format!("x.{}.new", process::id())];
        for other in &others {
            fs::write(folder.join(other), "mine").expect("to be written");
        }
        let file = SharedFile::new(&path).expect("a file");
        file.change(push(b'a')).expect("to be changed");
        for other in &others {
            let text = fs::read_to_string(folder.join(other)).expect("text");
            assert_eq!(text, "mine", "{other}");
        }
        assert_eq!(names(&folder).len(), 3);
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn what_cannot_be_written_is_refused_at_once_and_nothing_is_made() {
        let folder = folder("refused");
        let refused = |path: &Path| {
            let error = SharedFile::new(path).expect_err("to be refused");
            error.to_string()
        };
        let missing = folder.join("none");
        let told = refused(&missing.join("x"));
        assert!(told.ends_with("none does not exist"), "{told}");
        assert_eq!(refused(&folder), "not a regular file");
        SharedFile::new(&folder.join("x")).expect("a file");
        assert!(names(&folder).is_empty());
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = folder("links");
        let (first, second, real) = (folder.join("a"), folder.join("b"), folder.join("real"));
        symlink("b", &first).expect("a link");
        symlink("real", &second).expect("a link");
        let file = SharedFile::new(&first).expect("a file that is not there yet");
        file.change(push(b'1')).expect("to be changed");
        fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).expect("permissions");
        let file = SharedFile::new(&first).expect("a file");
        file.change(push(b'2')).expect("to be changed");
        for link in [&first, &second] {
            let kind = fs::symlink_metadata(link).expect("a link").file_type();
            assert!(kind.is_symlink(), "{}", link.display());
        }
        assert_eq!(fs::read(&real).expect("bytes"), b"12");
        let mode = fs::metadata(&real).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
