//! The repository itself: what every crate, problem and page must have, so that none is forgotten.
//!
//! Each test collects all that it finds before it fails, so that one run shows everything.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use toml::{Table, Value};
use walkdir::{DirEntry, WalkDir};

/// What a name of a case begins with; every problem needs all but the last.
const KINDS: [&str; 5] = ["sample-", "edge-", "small-", "max-", "beyond-"];

const HEADINGS: [&str; 5] = ["Problem", "Idea", "Why it is right", "Complexity", "Try it"];

const DATA_LIMIT: u64 = 6_000_000;
const LINE_LIMIT: usize = 100;

const CATALOGUE_BEGIN: &str = "<!-- catalogue: begin -->\n";
const CATALOGUE_END: &str = "<!-- catalogue: end -->\n";

#[test]
fn manifests_inherit_from_the_workspace() {
    let mut findings = Findings::default();
    for folder in packages() {
        let path = format!("{folder}/Cargo.toml");
        if let Some(manifest) = findings.read_toml(&path) {
            check_manifest(&folder, &manifest, &mut findings);
        }
    }
    findings.check();
}

fn check_manifest(folder: &str, manifest: &Value, findings: &mut Findings) {
    let path = format!("{folder}/Cargo.toml");
    let mut inherited = vec!["lints"];
    inherited.extend(["package.version", "package.license", "package.publish"]);
    if folder.starts_with("crates/") {
        // All but the judge itself must please the old compilers of online judges.
        inherited.extend(["package.edition", "package.rust-version"]);
    }
    for key in inherited {
        let is_inherited = lookup(manifest, &format!("{key}.workspace")) == Some(&true.into());
        findings.require(
            is_inherited,
            &path,
            format!("`{key}.workspace` must be true"),
        );
    }
    let name = lookup(manifest, "package.name").and_then(Value::as_str);
    let is_named = name.is_some() && name == folder.rsplit('/').next();
    findings.require(is_named, &path, "the package must be named as its folder");
}

#[test]
fn every_solution_has_its_problem_and_the_other_way_round() {
    let mut findings = Findings::default();
    let solutions: BTreeSet<String> = subfolders("crates")
        .into_iter()
        .filter(|id| exists(&format!("crates/{id}/src/main.rs")))
        .collect();
    let problems: BTreeSet<String> = problem_ids().into_iter().collect();
    for id in solutions.difference(&problems) {
        findings.add(&format!("crates/{id}"), format!("needs problems/{id}"));
    }
    for id in problems.difference(&solutions) {
        let needed = format!("needs crates/{id}/src/main.rs");
        findings.add(&format!("problems/{id}"), needed);
    }
    findings.check();
}

#[test]
fn sg_core_has_no_dependencies() {
    let mut findings = Findings::default();
    let path = "crates/sg-core/Cargo.toml";
    let manifest = findings.read_toml(path);
    let tables = manifest.as_ref().and_then(Value::as_table);
    for key in tables.into_iter().flat_map(Table::keys) {
        let is_allowed = !key.contains("dependencies") && key != "target";
        findings.require(is_allowed, path, format!("must not have [{key}]"));
    }
    findings.check();
}

#[test]
fn every_solution_has_all_its_files() {
    let mut findings = Findings::default();
    for id in problem_ids() {
        for file in ["solve.rs", "main.rs", "brute.rs", "second.rs"] {
            let path = match file {
                "solve.rs" => format!("crates/{id}/src/{file}"),
                _ => format!("crates/{id}/src/bin/{id}-lab/{file}"),
            };
            findings.require(exists(&path), &path, "is missing");
        }
        let path = format!("crates/{id}/Cargo.toml");
        let manifest = findings.read_toml(&path);
        let default_run = manifest
            .as_ref()
            .and_then(|it| lookup(it, "package.default-run"));
        let runs_solution = default_run.and_then(Value::as_str) == Some(id.as_str());
        findings.require(
            runs_solution,
            &path,
            format!("needs default-run = \"{id}\""),
        );
        let path = format!("crates/{id}/src/main.rs");
        let main = findings.read(&path).unwrap_or_default();
        let includes_text = main.starts_with("#![doc = include_str!(\"../README.md\")]\n");
        findings.require(includes_text, &path, "must begin by including the README");
    }
    findings.check();
}

#[test]
fn every_study_text_has_its_title_and_headings() {
    let mut findings = Findings::default();
    for id in problem_ids() {
        let path = format!("crates/{id}/README.md");
        let title = findings.setting(&id, "title");
        if let Some(text) = findings.read(&path) {
            check_study_text(&path, &text, &title, &mut findings);
            for command in commands_to_try(&id) {
                let shows = text.lines().any(|line| line == command);
                findings.require(shows, &path, format!("must show `{command}`"));
            }
        }
    }
    findings.check();
}

/// The commands of a study text. The second one works because of `default-run`.
fn commands_to_try(id: &str) -> [String; 2] {
    [
        format!("cargo run -p judge -- {id}"),
        format!("cargo run -p {id} < problems/{id}/sample-1.in"),
    ]
}

fn check_study_text(path: &str, text: &str, title: &str, findings: &mut Findings) {
    let first_line = text.lines().next().unwrap_or_default();
    let titles = first_line
        .strip_prefix("# ")
        .and_then(|titles| titles.split_once(" · "));
    let is_titled =
        titles.is_some_and(|(english, chinese)| english == title && !chinese.trim().is_empty());
    findings.require(
        is_titled,
        path,
        format!("must begin with `# {title} · 中文题名`, found `{first_line}`"),
    );
    let headings: Vec<&str> = prose(text)
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    findings.require(
        headings == HEADINGS,
        path,
        format!("must have the headings {HEADINGS:?}, found {headings:?}"),
    );
}

#[test]
fn every_problem_has_cases_of_each_kind() {
    let mut findings = Findings::default();
    for id in problem_ids() {
        let cases = case_names(&id);
        for kind in KINDS.into_iter().filter(|&kind| kind != "beyond-") {
            let has_kind = cases.iter().any(|case| case.starts_with(kind));
            findings.require(
                has_kind,
                &format!("problems/{id}"),
                format!("needs a case {kind}*"),
            );
        }
        for file in data_files(&id) {
            check_case_file(&id, &file, &mut findings);
        }
    }
    findings.check();
}

fn check_case_file(id: &str, file: &str, findings: &mut Findings) {
    let path = format!("problems/{id}/{file}");
    let (case, partner) = match file.rsplit_once('.') {
        Some((case, "in")) => (case, format!("{case}.out")),
        Some((case, "out")) => (case, format!("{case}.in")),
        _ => return findings.add(&path, "is neither an .in nor an .out nor problem.toml"),
    };
    let has_partner = exists(&format!("problems/{id}/{partner}"));
    findings.require(has_partner, &path, format!("needs {partner}"));
    let kind = KINDS.into_iter().find(|kind| case.starts_with(kind));
    findings.require(
        kind.is_some_and(|kind| case.len() > kind.len()),
        &path,
        format!("must begin with one of {KINDS:?} and go on"),
    );
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    findings.require(
        case.bytes().all(is_plain),
        &path,
        "may have only a-z, 0-9 and - in its name",
    );
}

/// Contestants read data in an editor and paste it into terminals: nothing in it is invisible.
#[test]
fn data_is_clean_text() {
    let mut findings = Findings::default();
    for id in problem_ids() {
        for file in data_files(&id) {
            let path = format!("problems/{id}/{file}");
            let text = findings.read(&path).unwrap_or_default();
            check_clean(&path, &text, &mut findings);
        }
    }
    findings.check();
}

fn check_clean(path: &str, text: &str, findings: &mut Findings) {
    findings.require(!text.contains('\r'), path, "must have LF line ends only");
    let has_blank_end = |line: &str| line.ends_with([' ', '\t']);
    if let Some(index) = text.split('\n').position(has_blank_end) {
        findings.add(path, format!("line {} ends with a blank", index + 1));
    }
    check_last_newline(path, text, findings);
}

#[test]
fn data_is_small() {
    let sizes = problem_ids().into_iter().flat_map(|id| {
        let folder = root().join("problems").join(&id);
        let size = move |file: String| {
            fs::metadata(folder.join(file)).map_or(0, |metadata| metadata.len())
        };
        data_files(&id).into_iter().map(size)
    });
    let total: u64 = sizes.sum();
    assert!(
        total < DATA_LIMIT,
        "problems/ holds {total} bytes of data; it must be less than {DATA_LIMIT}"
    );
}

/// A stale catalogue is mended on the spot, which no person should have to do.
#[test]
fn the_catalogue_is_current() {
    let mut findings = Findings::default();
    let catalogue = catalogue(&mut findings);
    if let Some(page) = findings.read("README.md") {
        match split_at_catalogue(&page) {
            None => findings.add(
                "README.md",
                format!("needs the lines {CATALOGUE_BEGIN:?} and {CATALOGUE_END:?}"),
            ),
            Some([_, present, _]) if present.trim() == catalogue.trim() => {}
            // A catalogue with gaps is worse than a stale one.
            Some(_) if !findings.0.is_empty() => {}
            Some([before, _, after]) => {
                let page = [before, &catalogue, after].concat();
                let written = fs::write(root().join("README.md"), page);
                let outcome = written.map_or_else(
                    |error| format!("cannot be written: {error}"),
                    |()| "has been rewritten; run the test again and commit it".to_owned(),
                );
                findings.add(
                    "README.md",
                    format!("the catalogue was stale and {outcome}"),
                );
            }
        }
    }
    findings.check();
}

/// The page up to the catalogue, the catalogue, and the rest.
fn split_at_catalogue(page: &str) -> Option<[&str; 3]> {
    let begin = page.find(CATALOGUE_BEGIN)? + CATALOGUE_BEGIN.len();
    let end = begin + page[begin..].find(CATALOGUE_END)?;
    Some([&page[..begin], &page[begin..end], &page[end..]])
}

fn catalogue(findings: &mut Findings) -> String {
    let mut table = "| Problem | Title | Rule |\n| --- | --- | --- |\n".to_owned();
    for id in problem_ids() {
        let title = findings.setting(&id, "title");
        let title_zh = findings.setting(&id, "title_zh");
        let manifest = format!("crates/{id}/Cargo.toml");
        let rule = findings.value(&manifest, "package.description");
        let cells = [
            format!("[{id}](crates/{id}/README.md)"),
            format!("{title} · {title_zh}"),
            rule,
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        table += &format!("| {} |\n", cells.join(" | "));
    }
    table
}

#[test]
fn links_into_the_repository_lead_somewhere() {
    let mut findings = Findings::default();
    for path in files().iter().filter(|path| path.ends_with(".md")) {
        let text = findings.read(path).unwrap_or_default();
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        for target in inner_links(&text) {
            let is_there = root().join(folder).join(&target).exists();
            findings.require(is_there, path, format!("links to {target}, which is not"));
        }
    }
    findings.check();
}

/// The paths that a page links to, without what leads out of the repository or stays on the page.
fn inner_links(page: &str) -> Vec<String> {
    // What stands in backquotes is no link.
    let lines = prose(page).map(|line| line.split('`').step_by(2).collect::<String>());
    let targets = lines.flat_map(|line| link_targets(&line));
    let paths = targets.filter_map(|target| {
        let path = target.split('#').next().unwrap_or_default().to_owned();
        // `::` is in a link to an item in the documentation.
        let leads_out = ["://", "mailto:", "::"]
            .iter()
            .any(|mark| target.contains(mark));
        (!path.is_empty() && !leads_out).then_some(path)
    });
    paths.collect()
}

/// The targets of `[text](target "title")` and of `[name]: target`.
fn link_targets(line: &str) -> Vec<String> {
    let inline = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let is_footnote = line.starts_with("[^");
    let definition = line
        .strip_prefix('[')
        .and_then(|line| line.split_once("]: "))
        .filter(|_| !is_footnote)
        .map(|(_, target)| target);
    inline
        .chain(definition)
        .filter_map(|target| target.split_whitespace().next())
        .map(|target| target.trim_matches(['<', '>']).to_owned())
        .collect()
}

#[test]
fn text_files_are_tidy() {
    let mut findings = Findings::default();
    for path in files() {
        let is_rust = path.ends_with(".rs");
        let is_text = is_rust || path.ends_with(".toml") || path.ends_with(".md");
        if !is_text && path != ".ci/run" {
            continue;
        }
        let text = findings.read(&path).unwrap_or_default();
        check_last_newline(&path, &text, &mut findings);
        if is_rust {
            check_lines(&path, &text, &mut findings);
        }
    }
    findings.check();
}

fn check_lines(path: &str, text: &str, findings: &mut Findings) {
    for (number, line) in (1..).zip(text.lines()) {
        let length = line.chars().count();
        findings.require(
            length <= LINE_LIMIT,
            path,
            format!("line {number} has {length} characters, more than {LINE_LIMIT}"),
        );
        let has_tab = line.contains('\t');
        findings.require(!has_tab, path, format!("line {number} has a tab"));
    }
}

fn check_last_newline(path: &str, text: &str, findings: &mut Findings) {
    let ends_with_one = text.ends_with('\n') && !text.ends_with("\n\n") && text != "\n";
    findings.require(ends_with_one, path, "must end with exactly one newline");
}

#[test]
fn the_parts_of_a_page_are_told_apart() {
    let page = "## A\n```text\n## B [x](b)\n```\n[`x`](c#d \"e\"), `[y](f)` and [z](https://g)\n\
                [h]: <i>\n[^j]: k\n[l](#m) ![n](o/p.png) [q](crate::r)\n";
    let prose: Vec<&str> = prose(page).filter(|line| line.starts_with("##")).collect();
    assert_eq!(prose, ["## A"]);
    assert_eq!(inner_links(page), ["c", "i", "o/p.png"]);
    let page = format!("a\n{CATALOGUE_BEGIN}b\n{CATALOGUE_END}c\n");
    assert_eq!(split_at_catalogue(&page).unwrap()[1], "b\n");
    assert_eq!(split_at_catalogue("a\n"), None);
}

/// What is wrong, one line each.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn add(&mut self, path: &str, what: impl Display) {
        self.0.push(format!("{path}: {what}"));
    }

    fn require(&mut self, holds: bool, path: &str, rule: impl Display) {
        if !holds {
            self.add(path, rule);
        }
    }

    /// The text of a file; a file that cannot be read is a finding.
    fn read(&mut self, path: &str) -> Option<String> {
        let text = fs::read_to_string(root().join(path));
        text.map_err(|error| self.add(path, format!("cannot be read: {error}")))
            .ok()
    }

    fn read_toml(&mut self, path: &str) -> Option<Value> {
        let table = self.read(path)?.parse::<Table>();
        table
            .map_err(|error| self.add(path, error))
            .ok()
            .map(Value::Table)
    }

    /// A text in a TOML file; one that is missing is a finding.
    fn value(&mut self, path: &str, key: &str) -> String {
        let file = self.read_toml(path);
        let value = file.as_ref().and_then(|file| lookup(file, key)?.as_str());
        self.require(
            file.is_none() || value.is_some(),
            path,
            format!("needs `{key}`"),
        );
        value.unwrap_or_default().to_owned()
    }

    fn setting(&mut self, id: &str, key: &str) -> String {
        self.value(&format!("problems/{id}/problem.toml"), key)
    }

    #[track_caller]
    fn check(self) {
        let Self(mut findings) = self;
        findings.dedup();
        assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    }
}

/// The value at a path such as `package.name`.
fn lookup<'a>(file: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(file, |value, key| value.get(key))
}

/// The lines of a page that do not stand in a block of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR"));
    judge.parent().unwrap_or(judge)
}

fn exists(path: &str) -> bool {
    root().join(path).exists()
}

/// The folders of all packages.
fn packages() -> Vec<String> {
    let crates = subfolders("crates").into_iter();
    let folders = crates.map(|name| format!("crates/{name}"));
    folders.chain(["judge".to_owned()]).collect()
}

/// The ids of all problems that have a folder, in order.
pub(crate) fn problem_ids() -> Vec<String> {
    subfolders("problems")
}

/// The names of all cases of a problem that have an input, in order.
pub(crate) fn case_names(id: &str) -> Vec<String> {
    let files = data_files(id).into_iter();
    files
        .filter_map(|file| file.strip_suffix(".in").map(str::to_owned))
        .collect()
}

fn data_files(id: &str) -> Vec<String> {
    let mut files = entries(&format!("problems/{id}"));
    files.retain(|file| file != "problem.toml");
    files
}

fn subfolders(folder: &str) -> Vec<String> {
    let mut names = entries(folder);
    names.retain(|name| root().join(folder).join(name).is_dir());
    names
}

/// The names of what a folder holds, in order.
fn entries(folder: &str) -> Vec<String> {
    let entries = WalkDir::new(root().join(folder))
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name();
    entries
        .into_iter()
        .map(|entry| path_of(entry, &root().join(folder)))
        .collect()
}

/// All files of the repository, by their paths with `/` from its root.
fn files() -> Vec<String> {
    let is_ours = |entry: &DirEntry| entry.file_name() != "target" && entry.file_name() != ".git";
    let entries = WalkDir::new(root()).sort_by_file_name().into_iter();
    entries
        .filter_entry(is_ours)
        .filter(|entry| {
            entry
                .as_ref()
                .map_or(true, |entry| entry.file_type().is_file())
        })
        .map(|entry| path_of(entry, root()))
        .collect()
}

fn path_of(entry: walkdir::Result<DirEntry>, folder: &Path) -> String {
    let entry = entry.unwrap_or_else(|error| panic!("{error}"));
    let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
    path.to_string_lossy().replace('\\', "/")
}
