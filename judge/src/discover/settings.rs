//! `problem.toml`: what a problem says of itself.

use std::fs;
use std::io;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::compare::Compare;
use crate::error::Error;

/// Every key is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    pub(crate) title: Option<String>,
    pub(crate) title_zh: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) memory_limit_kib: Option<u64>,
    pub(crate) compare: Compare,
    pub(crate) tags: Vec<String>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    title_zh: Option<String>,
    source: Option<String>,
    time_limit_ms: Option<NonZeroU32>,
    memory_limit_mib: Option<NonZeroU32>,
    #[serde(default)]
    compare: Compare,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    #[expect(
        dead_code,
        reason = "part of the format, and checked; nothing runs wrong solutions yet"
    )]
    wrong: Vec<Wrong>,
}

/// A known wrong solution and the verdict that the data must give it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "part of the format, and checked; nothing runs wrong solutions yet"
)]
struct Wrong {
    mistake: String,
    verdict: Rejection,
}

/// What a wrong solution can get.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Rejection {
    Wa,
    Tle,
    Mle,
    Ole,
    Re,
}

/// Reads the settings of one problem.
pub(super) fn read(path: &Path) -> Result<Settings, Error> {
    let text = read_file(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|(line, message)| Error::Settings {
        path: path.to_owned(),
        line,
        message,
    })
}

/// The text of a file. A pipe or a device might never come to an end.
fn read_file(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        fs::read_to_string(path)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// The settings, or the line that is wrong and why.
fn parse(text: &str) -> Result<Settings, (usize, String)> {
    let file: File = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', " ");
        (line_of(text, start), message)
    })?;
    let time_limit_ms = file.time_limit_ms.map(|limit| limit.get().into());
    Ok(Settings {
        title: said(file.title),
        title_zh: said(file.title_zh),
        source: said(file.source),
        time_limit: time_limit_ms.map(Duration::from_millis),
        memory_limit_kib: file.memory_limit_mib.map(|mib| u64::from(mib.get()) * 1024),
        compare: file.compare,
        tags: file.tags,
    })
}

fn line_of(text: &str, position: usize) -> usize {
    text[..position].matches('\n').count() + 1
}

fn said(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Compare, Settings, parse};
    use crate::compare::{Rule, Tolerance};

    #[test]
    fn an_empty_file_leaves_all_as_it_is() {
        assert_eq!(parse(""), Ok(Settings::default()));
        assert_eq!(Settings::default().compare, Compare::Rule(Rule::Lines));
    }

    #[test]
    fn every_key_is_read() {
        let text = r#"
            title = "Moving Tokens"
            title_zh = "移棋子游戏"
            source = "https://example.org/1"
            time_limit_ms = 1500
            memory_limit_mib = 64
            compare = "tokens"
            tags = ["dag", "sum"]

            [[wrong]]
            mistake = "multiset-mex"
            verdict = "WA"
        "#;
        let expected = Settings {
            title: Some("Moving Tokens".to_owned()),
            title_zh: Some("移棋子游戏".to_owned()),
            source: Some("https://example.org/1".to_owned()),
            time_limit: Some(Duration::from_millis(1500)),
            memory_limit_kib: Some(64 * 1024),
            compare: Compare::Rule(Rule::Tokens),
            tags: vec!["dag".to_owned(), "sum".to_owned()],
        };
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn every_way_to_compare_is_read() {
        let float = |tolerance| Rule::Float(Tolerance::try_from(tolerance).unwrap());
        for (value, rule) in [
            ("\"lines\"", Rule::Lines),
            ("\"tokens\"", Rule::Tokens),
            ("\"exact\"", Rule::Exact),
            ("{ float = 1e-6 }", float(1e-6)),
            ("{ float = 0 }", float(0.0)),
            ("{ float = 1 }", float(1.0)),
        ] {
            let read = parse(&format!("compare = {value}")).unwrap().compare;
            assert_eq!(read, Compare::Rule(rule), "{value}");
        }
        let checker = Compare::Checker("kayles-check".to_owned());
        for text in [
            "compare = { checker = \"kayles-check\" }",
            "[compare]\nchecker = \"kayles-check\"\n",
            "compare.checker = \"kayles-check\"\n",
        ] {
            assert_eq!(parse(text).unwrap().compare, checker, "{text}");
        }
    }

    #[track_caller]
    fn check_error(text: &str, line: usize, part: &str) {
        let (found, message) = parse(text).unwrap_err();
        assert_eq!(found, line, "{message}");
        assert!(
            message.contains(part) && !message.contains('\n'),
            "{message:?}"
        );
    }

    #[test]
    fn faults_name_their_line() {
        check_error("title = \"x\"\n\ntimelimit = 3\n", 3, "timelimit");
        check_error("title = \"x\"\ntime_limit_ms = -1\n", 2, "-1");
        check_error("# time_limit_ms\ntime_limit_ms = 0\n", 2, "nonzero");
        check_error("memory_limit_mib = \"64\"\n", 1, "64");
        check_error("\n\ntitle = \n", 3, "");
        check_error("compare = \"fuzzy\"\n", 1, "fuzzy");
        check_error("title = \"x\"\ntitle = \"y\"\n", 2, "duplicate");
        check_error("\ncompare = \"float\"\n", 2, "{ float = 1e-6 }");
        check_error("\ncompare = \"checker\"\n", 2, "{ checker = \"name\" }");
        check_error("\ncompare = { float = \"1\" }\n", 2, "expected f64");
        for bad in ["-1", "-1e-9", "nan", "inf", "-inf"] {
            let text = format!("\ncompare = {{ float = {bad} }}\n");
            check_error(&text, 2, "a finite number, 0 or larger");
        }
        check_error("\ncompare = { floot = 1 }\n", 2, "floot");
        check_error("\n[compare]\nfloat = 1\nepsilon = 2\n", 4, "epsilon");
        check_error("\n\ncompare = {}\n", 3, "one of");
        check_error("\ncompare = { float = 1, checker = \"x\" }\n", 2, "one of");
        check_error("\ncompare = 1e-6\n", 2, "{ float = 1e-6 }");
        for bad in ["", "a b", "../x", "-x"] {
            check_error(
                &format!("\ncompare = {{ checker = \"{bad}\" }}\n"),
                2,
                "binary",
            );
        }
        check_error(
            "[[wrong]]\nmistake = \"x\"\nverdikt = \"WA\"\n",
            3,
            "verdikt",
        );
    }

    #[test]
    fn an_empty_title_is_none() {
        assert_eq!(
            parse("title = \" \"\nsource = \"\"\n"),
            Ok(Settings::default())
        );
    }
}
