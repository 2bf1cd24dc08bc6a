//! In place of the filter of system calls on processors of 32 bits, whose calls have other numbers,
//! names and arguments.

use std::io;

/// Filters nothing, and says so in words.
#[expect(clippy::unnecessary_wraps, reason = "the filter can fail")]
pub(super) fn filter(_are_others_out_of_reach: bool) -> io::Result<Option<String>> {
    let note = "calls of the system are not filtered on processors of 32 bits: judged programs can \
                open connections";
    Ok(Some(note.to_owned()))
}
