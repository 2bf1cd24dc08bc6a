//! The colors of the report for people. Letters are always there; colors only add.

use anstyle::{AnsiColor, Style};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();
pub(super) const RED: Style = AnsiColor::Red.on_default();
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The letters of a verdict in its color, in a column of this width.
pub(super) fn letters(letters: &str, width: usize) -> String {
    let style = match letters {
        "AC" => GREEN,
        "TLE" | "MLE" | "OLE" => YELLOW,
        _ => RED,
    };
    format!("{style}{letters:<width$}{style:#}")
}
