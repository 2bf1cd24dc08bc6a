//! What is to be judged: what stands on the disk, narrowed down by the arguments and by what was
//! accepted the last time.

use std::path::PathBuf;

use crate::cli::RunArguments;
use crate::discover::{Case, Catalogue, Lack, Problem, discover};
use crate::error::Error;
use crate::record::{Call, Names, Record};
use crate::select::{Filters, case_names, keep_cases, select};

/// What is to be judged, and what the next call should know of this one.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) root: PathBuf,
    pub(crate) catalogue: Catalogue,
    /// The command to judge instead of the solutions.
    exec: Option<String>,
    /// All cases that there are, selected or not.
    existing: Names,
    record: Record,
    /// What the user should know of it: a sentence each, without its full stop.
    pub(crate) notes: Vec<String>,
}

impl Selection {
    /// # Errors
    ///
    /// If the catalogue cannot be read, or the arguments mean nothing in it. That nothing is left
    /// in a share or of the last time is no error.
    pub(crate) fn new(root: PathBuf, arguments: &RunArguments) -> Result<Self, Error> {
        let filters = Filters {
            texts: arguments.filters.clone(),
            exact: arguments.exact,
        };
        let catalogue = discover(&root)?;
        let existing = case_names(&catalogue);
        let catalogue = select(catalogue, &filters)?;
        let exec = arguments.exec.as_ref().map(|command| command.text.clone());
        let (record, notes) = (Record::default(), Vec::new());
        let mut selection = Self {
            root,
            catalogue,
            exec,
            existing,
            record,
            notes,
        };
        selection.check()?;
        if let Some(partition) = arguments.partition {
            partition.apply(&mut selection.catalogue);
            if selection.catalogue.problems.is_empty() {
                let note = format!("nothing is left for share {partition}");
                selection.notes.push(note);
            }
        }
        selection.narrow_to_last_time(arguments.rerun);
        // Only now, so that a fault in one problem is no hindrance to judging another.
        selection.catalogue.read_settings(&selection.root)?;
        Ok(selection)
    }

    /// Whether there is something to judge or to complain about.
    fn check(&mut self) -> Result<(), Error> {
        let Catalogue {
            problems,
            complaints,
        } = &mut self.catalogue;
        if self.exec.is_some() {
            if problems.len() != 1 {
                return Err(Error::ExecNeedsOneProblem(problems.len()));
            }
            let is_of_crate = |lack| matches!(lack, Lack::Crate | Lack::Folder);
            complaints.retain(|complaint| !is_of_crate(complaint.kind));
        }
        let has_case = problems.iter().any(|problem| !problem.cases.is_empty());
        let lacks_partner = complaints
            .iter()
            .any(|complaint| complaint.kind != Lack::Cases);
        if has_case || lacks_partner {
            Ok(())
        } else {
            Err(Error::NoCases(self.root.join("problems")))
        }
    }

    /// Leaves what was not accepted the last time, if that is all that is wanted.
    fn narrow_to_last_time(&mut self, is_rerun: bool) {
        match Record::load(&self.root) {
            Ok(record) => self.record = record,
            Err(error) if is_rerun => self.notes.push(format!(
                "what was accepted the last time cannot be read: {error}"
            )),
            // It is written anew.
            Err(_) => {}
        }
        if !is_rerun {
            return;
        }
        let Some(accepted) = self.record.accepted(self.exec.as_deref()) else {
            let of_what = match self.exec {
                None => "",
                Some(_) => " of this command",
            };
            let note = format!("nothing is known{of_what} from the last time, so all is judged");
            self.notes.push(note);
            return;
        };
        let names = case_names(&self.catalogue);
        let left = names.difference(accepted).cloned().collect();
        keep_cases(&mut self.catalogue, &left);
        if left.is_empty() && !names.is_empty() {
            self.notes
                .push("all that is selected was accepted the last time".to_owned());
        }
    }

    /// The problems with something to run. The others stand among the complaints.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        let is_judged = |problem: &&Problem| problem.has_crate || self.exec.is_some();
        self.catalogue.problems.iter().filter(is_judged)
    }

    pub(crate) fn cases(&self) -> Vec<(&Problem, &Case)> {
        let problems = self.problems();
        problems
            .flat_map(|problem| problem.cases.iter().map(move |case| (problem, case)))
            .collect()
    }

    /// Remembers for the next call what came of this one. Returns, in words, why that cannot be.
    pub(crate) fn remember(&self, accepted: &Names) -> Option<String> {
        let selected = &case_names(&self.catalogue);
        let call = Call {
            exec: self.exec.as_deref(),
            selected,
            accepted,
        };
        let mut record = self.record.clone();
        record.update(call, &self.existing);
        let error = record.save(&self.root).err()?;
        Some(format!("--rerun will not know of this run: {error}"))
    }
}
