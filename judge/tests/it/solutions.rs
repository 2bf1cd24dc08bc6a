//! The real solutions and their data: what other methods say of the answers, and what becomes of
//! an input that is broken.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::repository::{case_names, problem_ids, root};

/// More than enough for all that is chosen so that it can be answered.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a solution may take for a short input, however broken.
const SOLUTION_LIMIT: Duration = Duration::from_secs(5);
/// How long a search may take for an input that nobody made small for it.
const SEARCH_LIMIT: Duration = Duration::from_secs(2);
/// The same where there are hundreds of inputs.
const SHORT_SEARCH_LIMIT: Duration = Duration::from_millis(300);
/// A search that fills more memory than this has no answer.
#[cfg(target_os = "linux")]
const MEMORY_LIMIT: u64 = 1 << 30;

const N_MUTATIONS: usize = 200;
/// How long a small case may be that is broken beside the samples.
const LONGEST_TO_BREAK: usize = 200;

#[test]
fn the_data_is_what_other_methods_say() {
    let mut jobs = Vec::new();
    for case in cases(|_| true) {
        if !is_large(&case.name) {
            jobs.push((case.clone(), "brute"));
        }
        jobs.push((case, "second"));
    }
    let disagreements = in_parallel(&jobs, |(case, method)| disagreement(case, method));
    check(disagreements.into_iter().flatten());
}

/// What is wrong with an answer or what another method says of it.
fn disagreement(case: &Case, method: &str) -> Option<String> {
    // A sample is as large as the statement made it, and some traps are in size: that may be too
    // much for a search.
    let may_give_up = method == "brute" && !is_small(&case.name);
    let limit = if may_give_up {
        SHORT_SEARCH_LIMIT
    } else {
        PATIENCE
    };
    let output = run(
        lab(&case.problem).arg(method).stdin(open(&case.file("in"))),
        limit,
    );
    let code = output.as_ref().map(|output| output.status.code());
    let what = match (output, code.flatten()) {
        (Some(output), Some(0)) => {
            let expected = read(&case.file("out"));
            if is_same(&output.stdout, &expected) {
                return None;
            }
            format!("says {}", shown(&output.stdout))
        }
        (_, None) if may_give_up => return None,
        (Some(output), _) => format!("ends with {}", described(&output)),
        (None, _) => format!("has no answer after {limit:?}"),
    };
    Some(format!("{}/{}: {method} {what}", case.problem, case.name))
}

#[test]
fn broken_input_is_refused_with_one_line() {
    let bases = bases();
    let jobs: Vec<Broken<'_>> = bases.iter().flat_map(broken).collect();
    let outcomes = in_parallel(&jobs, outcome);
    let mut n_confirmed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        let count = n_confirmed.entry(&job.case.problem).or_default();
        match outcome {
            Outcome::Confirmed => *count += 1,
            Outcome::Refused | Outcome::Answered => {}
            Outcome::Fault(what) => {
                let Case { problem, name } = job.case;
                let input = job.input.escape_ascii();
                findings.push(format!("{problem}: from {name}, \"{input}\": {what}"));
            }
        }
    }
    let unconfirmed = n_confirmed.iter().filter(|&(_, &count)| count == 0);
    findings.extend(unconfirmed.map(|(id, _)| {
        format!(
            "{id}: brute confirmed no answer; it needs a sample that it can answer, \
             or a small case of at most {LONGEST_TO_BREAK} bytes"
        )
    }));
    check(findings);
}

/// All samples, and of each problem a short small case, since a search may be too slow for samples.
fn bases() -> Vec<Base> {
    let mut bases: Vec<Case> = Vec::new();
    for case in cases(|name| is_sample(name) || is_small(name)) {
        let is_first_small = bases
            .iter()
            .all(|base| base.problem != case.problem || is_sample(&base.name));
        let is_short = || read(&case.file("in")).len() <= LONGEST_TO_BREAK;
        if is_sample(&case.name) || is_first_small && is_short() {
            bases.push(case);
        }
    }
    in_parallel(&bases, |case| {
        let input = read(&case.file("in"));
        Base {
            case: case.clone(),
            is_searchable: search(case, &input, SEARCH_LIMIT).is_some(),
            input,
        }
    })
}

/// An input that is right, to be broken.
struct Base {
    case: Case,
    input: Vec<u8>,
    /// What a search cannot answer it will not be able to answer with a few changes.
    is_searchable: bool,
}

/// An input that may be wrong.
struct Broken<'a> {
    case: &'a Case,
    input: Vec<u8>,
    is_searchable: bool,
}

fn broken(base: &Base) -> impl Iterator<Item = Broken<'_>> {
    let cuts = (0..base.input.len()).map(|end| base.input[..end].to_vec());
    let mut random = Random::seeded_by(&base.case.problem);
    let mutations = (0..N_MUTATIONS).map(move |_| mutated(&base.input, &mut random));
    cuts.chain(mutations).map(|input| Broken {
        case: &base.case,
        input,
        is_searchable: base.is_searchable,
    })
}

/// What became of a broken input.
enum Outcome {
    Refused,
    /// It happened to be right; nobody knows whether the answer is.
    Answered,
    /// It happened to be right, and so is the answer.
    Confirmed,
    Fault(String),
}

fn outcome(job: &Broken<'_>) -> Outcome {
    let mut solution = Command::new(binary(&job.case.problem));
    let Some(output) = run(solution.stdin(input_with(&job.input)), SOLUTION_LIMIT) else {
        return Outcome::Fault(format!("still runs after {SOLUTION_LIMIT:?}"));
    };
    let is_silent = output.stderr.is_empty();
    match output.status.code() {
        Some(0) if is_silent && !output.stdout.is_empty() => confirm(job, &output.stdout),
        Some(2) if output.stdout.is_empty() && is_one_line(&output.stderr, "input: ") => {
            Outcome::Refused
        }
        _ => Outcome::Fault(format!("ends with {}", described(&output))),
    }
}

/// What the search says of an answer to an input that was not refused.
fn confirm(job: &Broken<'_>, answer: &[u8]) -> Outcome {
    if !job.is_searchable {
        return Outcome::Answered;
    }
    match search(job.case, &job.input, SHORT_SEARCH_LIMIT) {
        Some(output) if output.status.code() != Some(0) => Outcome::Fault(format!(
            "is answered, but brute ends with {}",
            described(&output)
        )),
        Some(output) if !is_same(&output.stdout, answer) => Outcome::Fault(format!(
            "says {}, but brute says {}",
            shown(answer),
            shown(&output.stdout)
        )),
        Some(_) => Outcome::Confirmed,
        None => Outcome::Answered,
    }
}

/// What the brute force says, unless the input is too much for it.
fn search(case: &Case, input: &[u8], limit: Duration) -> Option<Output> {
    let mut brute = lab(&case.problem);
    let output = run(brute.arg("brute").stdin(input_with(input)), limit)?;
    // It is made for small numbers: others end it by a signal, for want of memory, or by a panic.
    let has_answered = matches!(output.status.code(), Some(0 | 2));
    has_answered.then_some(output)
}

/// The input with one to three changes.
fn mutated(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..=random.below(3) {
        let (span, replacement) = change(&input, random);
        input.splice(span, replacement);
    }
    input
}

/// A change, as what is replaced and by what.
fn change(input: &[u8], random: &mut Random) -> (Range<usize>, Vec<u8>) {
    const SYMBOLS: &str = "0123589abwxW-+. \n\t\r\u{b}\u{c}\0\u{1b}\u{7f}é٣\u{a0}\u{feff}";
    const NUMBERS: [&str; 8] = [
        "0",
        "00",
        "-1",
        "+1",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
    ];
    let byte = random.below(input.len() + 1);
    let byte = byte..(byte + 1).min(input.len());
    let token = random.pick(&tokens(input)).unwrap_or(0..0);
    let line = random.pick(&lines(input)).unwrap_or(0..0);
    let symbols: Vec<char> = SYMBOLS.chars().collect();
    let mut symbol = random
        .pick(&symbols)
        .map_or(vec![], |symbol| symbol.to_string().into_bytes());
    if random.below(2) == 0 {
        // Where it had more bytes than one, it is no UTF-8 any more.
        symbol.truncate(1);
    }
    let number = random.pick(&NUMBERS).map_or(vec![], Vec::from);
    match random.below(8) {
        0 => (byte, symbol),
        1 => (byte.start..byte.start, symbol),
        2 => (byte, vec![]),
        3 => (token, number),
        4 => (token.start..token.start, [&input[token], b" "].concat()),
        5 => (token, vec![]),
        6 => (line.start..line.start, input[line].to_vec()),
        _ => (line, vec![]),
    }
}

fn tokens(input: &[u8]) -> Vec<Range<usize>> {
    let words = spans(input, u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}

fn lines(input: &[u8]) -> Vec<Range<usize>> {
    // With the line end, so that a line that is dropped leaves nothing.
    spans(input, |&byte| byte == b'\n')
        .map(|line| line.start..(line.end + 1).min(input.len()))
        .collect()
}

/// Where the parts between separators stand.
fn spans(input: &[u8], is_separator: impl Fn(&u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    input.split(is_separator).map(move |part| {
        let span = start..start + part.len();
        start = span.end + 1;
        span
    })
}

/// Xorshift with 32 bits (Marsaglia 2003): the same changes in every run.
struct Random(u32);

impl Random {
    fn seeded_by(name: &str) -> Self {
        let mix = |seed: u32, byte| seed.wrapping_mul(31).wrapping_add(u32::from(byte));
        // 0 would stay 0 for ever.
        Self(name.bytes().fold(1, mix).max(1))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % bound
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        let index = self.below(items.len().max(1));
        items.get(index).cloned()
    }
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let mut findings = Vec::new();
    for case in cases(is_sample) {
        for (sink, stdout) in broken_sinks() {
            let mut solution = Command::new(binary(&case.problem));
            let output = solution
                .stdin(open(&case.file("in")))
                .stdout(stdout)
                .output()
                .unwrap();
            let is_told =
                output.status.code() == Some(2) && is_one_line(&output.stderr, "output: ");
            if !is_told {
                let ending = described(&output);
                findings.push(format!("{}: into {sink} ends with {ending}", case.problem));
            }
        }
    }
    check(findings);
}

fn broken_sinks() -> Vec<(&'static str, Stdio)> {
    let (_, writer) = io::pipe().unwrap_or_else(|error| panic!("cannot make a pipe: {error}"));
    let mut sinks = vec![("a pipe that nobody reads", writer.into())];
    if cfg!(target_os = "linux") {
        let full = File::options().write(true).open("/dev/full");
        let full = full.unwrap_or_else(|error| panic!("cannot open /dev/full: {error}"));
        sinks.push(("a full device", full.into()));
    }
    sinks
}

/// A case of a problem.
#[derive(Clone)]
struct Case {
    problem: String,
    name: String,
}

impl Case {
    fn file(&self, extension: &str) -> PathBuf {
        let folder = root().join("problems").join(&self.problem);
        folder.join(format!("{}.{extension}", self.name))
    }
}

fn cases(is_wanted: impl Fn(&str) -> bool) -> Vec<Case> {
    let of_problem = |problem: String| {
        let names = case_names(&problem).into_iter();
        names.map(move |name| Case {
            problem: problem.clone(),
            name,
        })
    };
    let all = problem_ids().into_iter().flat_map(of_problem);
    all.filter(|case| is_wanted(&case.name)).collect()
}

fn is_sample(name: &str) -> bool {
    name.starts_with("sample-")
}

fn is_large(name: &str) -> bool {
    name.starts_with("max-") || name.starts_with("beyond-")
}

fn is_small(name: &str) -> bool {
    name.starts_with("small-")
}

fn is_same(left: &[u8], right: &[u8]) -> bool {
    fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
    }
    words(left).eq(words(right))
}

fn is_one_line(text: &[u8], start: &str) -> bool {
    let line = text.strip_prefix(start.as_bytes());
    line.is_some_and(|line| line.iter().position(|&byte| byte == b'\n') == Some(line.len() - 1))
}

fn described(output: &Output) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    format!(
        "{status}, stdout {}, stderr {}",
        shown(stdout),
        shown(stderr)
    )
}

fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 300;
    let start = &text[..text.len().min(LONGEST)];
    format!("\"{}\"", start.escape_ascii())
}

#[track_caller]
fn check(findings: impl IntoIterator<Item = String>) {
    let findings: Vec<String> = findings.into_iter().collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn open(path: &Path) -> File {
    File::open(path).unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display()))
}

/// A file without a name that holds a text, ready to be read.
fn input_with(text: &[u8]) -> File {
    let file = tempfile::tempfile().and_then(|mut file| {
        file.write_all(text)?;
        file.rewind()?;
        Ok(file)
    });
    file.unwrap_or_else(|error| panic!("cannot make an input: {error}"))
}

/// The results for all jobs, in their order, found by all cores.
fn in_parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else {
                return results;
            };
            results.push((index, work(job)));
        }
    };
    let n_workers = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(worker)).collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .flat_map(|results| results.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|result| result.0);
    results.into_iter().map(|result| result.1).collect()
}

/// Runs a program to its end; `None` if it had to be killed at the limit.
///
/// Its output goes to files, so that it never waits for somebody to read it.
fn run(command: &mut Command, limit: Duration) -> Option<Output> {
    let ended = tempfile::tempfile().and_then(|mut stdout| {
        let mut stderr = tempfile::tempfile()?;
        command
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?);
        let mut child = command.spawn()?;
        bound_memory(&child);
        let deadline = Instant::now() + limit;
        while child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Some(Output {
            status: child.wait()?,
            stdout: content(&mut stdout)?,
            stderr: content(&mut stderr)?,
        }))
    });
    ended.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"))
}

fn content(file: &mut File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(target_os = "linux")]
fn bound_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(MEMORY_LIMIT),
        maximum: Some(MEMORY_LIMIT),
    };
    // It fails if the child has ended, and then there is nothing to bound.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::As, limit);
}

/// Elsewhere, time alone must do.
#[cfg(not(target_os = "linux"))]
fn bound_memory(_: &Child) {}

fn lab(id: &str) -> Command {
    Command::new(binary(&format!("{id}-lab")))
}

/// The path of a binary; all are built before the first is handed out.
fn binary(name: &str) -> &'static Path {
    static BUILT: OnceLock<Result<BTreeMap<String, PathBuf>, String>> = OnceLock::new();
    match BUILT.get_or_init(build) {
        Ok(binaries) => binaries
            .get(name)
            .unwrap_or_else(|| panic!("the workspace has no binary {name}")),
        Err(message) => panic!("{message}"),
    }
}

/// Builds the solutions and their laboratories, as the judge would.
fn build() -> Result<BTreeMap<String, PathBuf>, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or(OsString::from("cargo")));
    cargo.current_dir(root()).args(["build", "--bins"]);
    cargo.args(["--profile", "contest"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    for id in problem_ids() {
        cargo.args(["--package", &id]);
    }
    let output = cargo
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let messages = output.stdout.split(|&byte| byte == b'\n');
    Ok(messages.filter_map(executable).collect())
}

/// The name and path of a binary, if this message of cargo is about one.
fn executable(message: &[u8]) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_slice(message).ok()?;
    let path = message["executable"].as_str()?;
    let name = message["target"]["name"].as_str()?;
    Some((name.to_owned(), PathBuf::from(path)))
}
