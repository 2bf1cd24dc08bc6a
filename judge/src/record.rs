//! What was accepted the last time, for `--rerun`: all else is judged again.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::replace::Replacement;

/// Names of cases, `<id>/<case>`.
pub(crate) type Names = BTreeSet<String>;

/// What is remembered from one call of the judge to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// Of the crates' own solutions, once they were judged.
    accepted: Option<Names>,
    /// Of what was judged last with `--exec`.
    command: Option<OfCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfCommand {
    text: String,
    accepted: Names,
}

/// One call of the judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// The command that was judged instead of the solutions.
    pub(crate) exec: Option<&'a str>,
    /// What was to be judged.
    pub(crate) selected: &'a Names,
    pub(crate) accepted: &'a Names,
}

impl Record {
    /// What is remembered at this root: nothing if nothing was written there yet.
    ///
    /// # Errors
    ///
    /// If what was written there cannot be read.
    pub(crate) fn load(root: &Path) -> io::Result<Self> {
        match fs::read(file(root)) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn save(&self, root: &Path) -> io::Result<()> {
        let file = file(root);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        Replacement::new(&file)?.write(&serde_json::to_vec(self)?)
    }

    /// What was accepted the last time that it was judged; none if nothing ever was.
    pub(crate) fn accepted(&self, exec: Option<&str>) -> Option<&Names> {
        match exec {
            None => self.accepted.as_ref(),
            Some(text) => {
                let command = self.command.as_ref();
                let command = command.filter(|command| command.text == text);
                command.map(|command| &command.accepted)
            }
        }
    }

    /// Remembers what came of a call. Cases that it did not select keep what is known of them, but
    /// for those that do not exist any more.
    pub(crate) fn update(&mut self, call: Call<'_>, existing: &Names) {
        let before = self.accepted(call.exec).into_iter().flatten();
        let accepted = before
            .filter(|&name| !call.selected.contains(name))
            .chain(call.accepted)
            .filter(|&name| existing.contains(name))
            .cloned()
            .collect();
        match call.exec {
            None => self.accepted = Some(accepted),
            Some(text) => {
                self.command = Some(OfCommand {
                    text: text.to_owned(),
                    accepted,
                });
            }
        }
    }
}

/// It stands with all that can be made anew.
fn file(root: &Path) -> PathBuf {
    root.join("target/judge/last-run.json")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Call, Names, Record, file};

    fn names(text: &str) -> Names {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Every case of a problem that has three.
    fn all() -> Names {
        names("p/1 p/2 p/3")
    }

    fn call<'a>(exec: Option<&'a str>, selected: &'a Names, accepted: &'a Names) -> Call<'a> {
        Call {
            exec,
            selected,
            accepted,
        }
    }

    #[test]
    fn what_was_not_selected_keeps_what_is_known_of_it() {
        let mut record = Record::default();
        assert_eq!(record.accepted(None), None);
        record.update(call(None, &names("p/2 p/3"), &names("p/2")), &all());
        assert_eq!(record.accepted(None), Some(&names("p/2")));
        record.update(call(None, &names("p/3"), &names("p/3")), &all());
        assert_eq!(record.accepted(None), Some(&names("p/2 p/3")));
        record.update(call(None, &names("p/1 p/2"), &names("p/1")), &all());
        assert_eq!(record.accepted(None), Some(&names("p/1 p/3")));
    }

    #[test]
    fn a_case_that_is_gone_is_forgotten() {
        let mut record = Record::default();
        record.update(call(None, &all(), &all()), &all());
        record.update(call(None, &names("p/1"), &names("")), &names("p/1 p/3"));
        assert_eq!(record.accepted(None), Some(&names("p/3")));
    }

    #[test]
    fn a_command_has_a_record_of_its_own_until_the_next_one() {
        let mut record = Record::default();
        record.update(call(None, &all(), &names("p/1 p/2")), &all());
        record.update(call(Some("one"), &all(), &names("p/3")), &all());
        assert_eq!(record.accepted(None), Some(&names("p/1 p/2")));
        assert_eq!(record.accepted(Some("one")), Some(&names("p/3")));
        record.update(call(Some("two"), &all(), &all()), &all());
        assert_eq!(record.accepted(Some("two")), Some(&all()));
        assert_eq!(record.accepted(Some("one")), None);
    }

    #[test]
    fn what_is_saved_is_loaded_and_what_is_broken_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(Record::load(root).unwrap(), Record::default());
        let mut record = Record::default();
        record.update(call(None, &all(), &names("p/1")), &all());
        record.update(call(Some("a \"b\""), &all(), &names("p/2")), &all());
        record.save(root).unwrap();
        assert_eq!(Record::load(root).unwrap(), record);
        fs::write(file(root), "{").unwrap();
        Record::load(root).unwrap_err();
        record.save(root).unwrap();
        assert_eq!(Record::load(root).unwrap(), record);
    }
}
