// SPDX-License-Identifier: Apache-2.0
//! Output files that are whole or untouched.
//!
//! An output is begun before the simulation, as a temporary file beside its target, so that a
//! target that cannot be written is known at once. It takes the place of the target by a rename at
//! the end. Whatever was begun and not finished is removed: when it is dropped, and when the
//! process is told to stop ([`clean_up_on_signal`]).

use parking_lot::{Mutex, MutexGuard};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempPath;

use crate::failure::Failure;

/// Exit status after an interruption, as shells expect it.
pub const INTERRUPTED: u8 = 130;

/// Temporary files and new folders that exist now.
#[derive(Debug)]
struct Begun {
    paths: Vec<PathBuf>,
    /// The process was told to stop: nothing is begun or put in place any more.
    interrupted: bool,
}

static BEGUN: Mutex<Begun> = Mutex::new(Begun {
    paths: Vec::new(),
    interrupted: false,
});

fn begun() -> MutexGuard<'static, Begun> {
    BEGUN.lock()
}

fn remember(path: &Path) -> Result<(), Failure> {
    let mut begun = begun();
    if begun.interrupted {
        return Err(Failure::Interrupted);
    }
    begun.paths.push(path.to_owned());
    Ok(())
}

fn forget(path: &Path) {
    begun().paths.retain(|other| other != path);
}

/// What a long computation unwinds with when [`interrupted`] says so.
#[derive(Debug)]
pub struct Interrupted;

/// Whether the process was told to stop.
pub fn interrupted() -> bool {
    begun().interrupted
}

/// Unwinds when the process was told to stop: everything on the way is dropped in order.
pub fn stop_if_interrupted() {
    if interrupted() {
        std::panic::resume_unwind(Box::new(Interrupted));
    }
}

/// From now on an interruption removes what was begun and ends the process with status 130.
pub fn clean_up_on_signal() {
    // It fails only when a handler is there already, which is as good.
    let _ = ctrlc::set_handler(|| {
        let mut begun = begun();
        begun.interrupted = true;
        for path in begun.paths.drain(..).rev() {
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        }
        // Told before the main thread can see the flag and end the process.
        let _ = writeln!(
            std::io::stderr(),
            "\nropewalk: interrupted; no output was written"
        );
        drop(begun);
        // The main thread sees the flag and leaves in good order; should it be busy elsewhere, it
        // is not waited for.
        std::thread::sleep(Duration::from_secs(3));
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// An output that was begun. Dropping it leaves the target untouched.
#[derive(Debug)]
pub struct Staged {
    target: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Beside the target, to be renamed.
    Beside(Option<TempPath>),
    /// A device such as /dev/null: there is nothing to keep whole.
    Device(File),
}

impl Staged {
    /// Begins an output.
    ///
    /// # Errors
    /// The target cannot be written.
    pub fn begin(target: &Path) -> Result<Self, Failure> {
        let fail = |error| Failure::write(target, error);
        let refuse = |what: &str| {
            Err(Failure::BadInput(format!(
                "cannot write {}: it is {what}; accepted: a file",
                target.display()
            )))
        };
        let mut place = target.to_owned();
        if let Ok(metadata) = std::fs::metadata(target) {
            if metadata.is_dir() {
                return refuse("a directory");
            }
            if is_device(&metadata) {
                let file = OpenOptions::new().write(true).open(target).map_err(fail)?;
                return Ok(Self {
                    target: target.to_owned(),
                    place: Place::Device(file),
                });
            }
            if !metadata.is_file() {
                return refuse("not an ordinary file");
            }
            // A rename would replace a file that its owner has protected against writing.
            OpenOptions::new().write(true).open(target).map_err(fail)?;
            // A link keeps pointing to the same file.
            place = std::fs::canonicalize(target).map_err(fail)?;
        }
        if place.file_name().is_none() {
            return refuse("not the name of a file");
        }
        let folder = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let temporary = builder()
            .tempfile_in(folder)
            .map_err(fail)?
            .into_temp_path();
        remember(&temporary)?;
        Ok(Self {
            target: place,
            place: Place::Beside(Some(temporary)),
        })
    }

    /// Where somebody else (a waveform writer) may write the content; `None` for a device.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Beside(temporary) => temporary.as_deref(),
            Place::Device(_) => None,
        }
    }

    /// Writes the content and puts it in place.
    ///
    /// # Errors
    /// The disk is full or gone; the target is untouched then.
    pub fn finish_with(mut self, content: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.place {
            Place::Device(file) => file.write_all(content),
            Place::Beside(Some(temporary)) => OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(&*temporary)
                .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all())),
            Place::Beside(None) => Ok(()),
        };
        written.map_err(|error| Failure::write(&self.target, error))?;
        self.finish()
    }

    /// Puts in place what was written at [`Staged::path`].
    ///
    /// # Errors
    /// The rename failed; the target is untouched then.
    pub fn finish(mut self) -> Result<(), Failure> {
        let Place::Beside(temporary) = &mut self.place else {
            return Ok(());
        };
        let Some(temporary) = temporary.take() else {
            return Ok(());
        };
        let path = temporary.to_path_buf();
        // Held over the rename, so that an interruption comes before it or after it.
        let mut begun = begun();
        if begun.interrupted {
            return Err(Failure::Interrupted);
        }
        begun.paths.retain(|other| *other != path);
        temporary
            .persist(&self.target)
            .map_err(|error| Failure::write(&self.target, error.error))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Place::Beside(Some(temporary)) = &self.place {
            forget(temporary);
        }
    }
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ropewalk-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the mask of the process takes away what it should.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(unix)]
fn is_device(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_char_device(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

/// A file in a folder that may have to be made. Dropping it removes the folders that it made.
#[derive(Debug)]
pub struct StagedIn {
    // Dropped in this order: a folder can be removed once the temporary file is gone.
    file: Staged,
    folders: NewFolders,
}

impl StagedIn {
    /// Begins `folder/name`.
    ///
    /// # Errors
    /// The folder cannot be made, or the file in it cannot be written.
    pub fn begin(folder: &Path, name: &str) -> Result<Self, Failure> {
        let folders = NewFolders::make(folder)?;
        Ok(Self {
            file: Staged::begin(&folder.join(name))?,
            folders,
        })
    }

    /// Writes the content and puts it in place.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub fn finish_with(self, content: &[u8]) -> Result<(), Failure> {
        let Self { file, folders } = self;
        file.finish_with(content)?;
        folders.keep();
        Ok(())
    }
}

#[derive(Debug)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn make(folder: &Path) -> Result<Self, Failure> {
        let mut missing = Vec::new();
        for ancestor in folder
            .ancestors()
            .filter(|ancestor| !ancestor.as_os_str().is_empty())
        {
            match std::fs::metadata(ancestor) {
                Ok(metadata) if metadata.is_dir() => break,
                Ok(_) => {
                    return Err(Failure::BadInput(format!(
                        "cannot write to {}: {} is not a directory; accepted: a directory, or a name for a new one",
                        folder.display(),
                        ancestor.display()
                    )));
                }
                Err(_) => missing.push(ancestor.to_owned()),
            }
        }
        let mut made = Self(Vec::new());
        for path in missing.into_iter().rev() {
            std::fs::create_dir(&path).map_err(|error| Failure::write(&path, error))?;
            made.0.push(path.clone());
            remember(&path)?;
        }
        Ok(made)
    }

    fn keep(mut self) {
        for path in self.0.drain(..) {
            forget(&path);
        }
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for path in self.0.drain(..).rev() {
            forget(&path);
            // Fails, rightly, when somebody else has put something there.
            let _ = std::fs::remove_dir(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_target_is_whole_or_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("copy");
        std::fs::write(&target, "old").unwrap();
        let staged = Staged::begin(&target).unwrap();
        std::fs::write(staged.path().unwrap(), "half").unwrap();
        drop(staged);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["copy"]);
        Staged::begin(&target).unwrap().finish_with(b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["copy"]);
        assert!(
            !begun()
                .paths
                .iter()
                .any(|path| path.starts_with(folder.path()))
        );
    }

    #[test]
    fn what_cannot_be_written_is_known_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for (target, part) in [
            (folder.path().to_owned(), "a directory"),
            (folder.path().join("none/copy"), "no such file or directory"),
            (PathBuf::from("/"), "a directory"),
            (PathBuf::from("/proc/none"), "/proc/none"),
        ] {
            let line = Staged::begin(&target).unwrap_err().to_string();
            assert!(line.contains(part) && !line.contains('\n'), "{line}");
        }
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_device_is_written_and_stays_a_device() {
        Staged::begin(Path::new("/dev/null"))
            .unwrap()
            .finish_with(b"x")
            .unwrap();
        assert!(is_device(&std::fs::metadata("/dev/null").unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_to_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Staged::begin(&link).unwrap().finish_with(b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn folders_come_and_go_with_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        drop(StagedIn::begin(&deep, "index.html").unwrap());
        assert!(names(folder.path()).is_empty());
        StagedIn::begin(&deep, "index.html")
            .unwrap()
            .finish_with(b"page")
            .unwrap();
        assert_eq!(names(&deep), ["index.html"]);
        drop(StagedIn::begin(&deep, "index.html").unwrap());
        assert_eq!(names(&deep), ["index.html"]);
        let file = deep.join("index.html");
        let line = StagedIn::begin(&file.join("x"), "index.html")
            .unwrap_err()
            .to_string();
        assert!(line.contains("is not a directory"), "{line}");
    }
}
