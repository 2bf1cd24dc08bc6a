//! What the judge costs beside the programs that it runs: `cargo bench -p judge`.
//!
//! The measure of time is a bare loop that starts the same program as often, with as many workers,
//! and does nothing but what every judge must: redirect, read, wait. Both are timed in turn, so
//! that the machine's moods concern both.

#![expect(clippy::print_stdout, reason = "it prints its figures")]

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("`cargo bench -p judge` measures the cost per run");
        return;
    }
    #[cfg(target_os = "linux")]
    linux::main();
    #[cfg(not(target_os = "linux"))]
    println!("the cost per run is measured on Linux only");
}

#[cfg(target_os = "linux")]
#[expect(clippy::expect_used, reason = "it has nobody to hand an error to")]
mod linux {
    use std::env;
    use std::fs::{self, File};
    use std::io::{BufWriter, Read, Write};
    use std::mem::MaybeUninit;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use tempfile::TempDir;

    const JUDGE: &str = env!("CARGO_BIN_EXE_judge");
    const N_WORKERS: usize = 2;
    const N_CASES: usize = 1000;
    const N_ROUNDS: usize = 21;
    const MANY_CASES: usize = 10_000;
    const LARGE_OUTPUT: u64 = 300_000_000;

    /// How many times the bare loop the judge may take.
    const MOST_WITHOUT_SANDBOX: f64 = 1.25;
    const MOST_WITH_SANDBOX: f64 = 1.6;
    const MOST_MEMORY_MIB: f64 = 32.0;

    /// A folder with the program, `problems/` and nothing else.
    struct Bench {
        folder: TempDir,
    }

    pub(super) fn main() {
        let bench = Bench::new(N_CASES);
        let mut rounds: Vec<[Duration; 3]> = Vec::new();
        for round in 0..=N_ROUNDS {
            let times = bench.round(round);
            // The first fills the caches.
            if round > 0 {
                rounds.push(times);
            }
        }
        println!("time per run: medians of {N_ROUNDS} rounds of {N_CASES} cases, -j {N_WORKERS}");
        let median = |which: usize| middle(rounds.iter().map(|times| per_run_us(times[which])));
        let ratio = |which: usize| {
            middle(
                rounds
                    .iter()
                    .map(|times| times[which].div_duration_f64(times[0])),
            )
        };
        println!("  bare loop      {:7.0} µs", median(0));
        for (which, name, most) in [
            (1, "--no-sandbox", MOST_WITHOUT_SANDBOX),
            (2, "with sandbox", MOST_WITH_SANDBOX),
        ] {
            let (time, ratio) = (median(which), ratio(which));
            let verdict = verdict(ratio, most);
            println!("  {name}   {time:7.0} µs, {ratio:.2} times the loop, {verdict} {most}");
        }
        println!("peak memory of the judge");
        let many = Bench::new(MANY_CASES);
        tell_peak("10 000 cases", &many, &many.program());
        let large = Bench::with_large_output();
        let command = format!("sh -c 'yes 3 | head -c {LARGE_OUTPUT}'");
        tell_peak("300 MB of output", &large, &command);
    }

    fn tell_peak(what: &str, bench: &Bench, command: &str) {
        let mut judge = bench.judge(command, &["--time-limit", "100"]);
        let peak = peak_mib(judge.spawn().expect("the judge starts"));
        let verdict = verdict(peak, MOST_MEMORY_MIB);
        println!("  {what}: {peak:.1} MiB, {verdict} {MOST_MEMORY_MIB} MiB");
    }

    fn verdict(figure: f64, most: f64) -> &'static str {
        if figure <= most { "within" } else { "OVER" }
    }

    fn per_run_us(time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / N_CASES as f64
    }

    fn middle(figures: impl Iterator<Item = f64>) -> f64 {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }

    impl Bench {
        fn new(n_cases: usize) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let bench = Self { folder };
            fs::create_dir_all(bench.problem()).expect("a folder");
            let source = bench.path().join("program.rs");
            fs::write(&source, "fn main() { println!(\"3\") }\n").expect("a file");
            let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let compiled = Command::new(rustc)
                .arg("-O")
                .arg(&source)
                .arg("-o")
                .arg(bench.program())
                .status();
            assert!(compiled.is_ok_and(|status| status.success()), "it compiles");
            for case in 0..n_cases {
                fs::write(bench.input(case), "1 2\n").expect("a file");
                fs::write(bench.problem().join(format!("{case}.out")), "3\n").expect("a file");
            }
            bench
        }

        fn with_large_output() -> Self {
            let bench = Self::new(1);
            let file = File::create(bench.problem().join("0.out")).expect("a file");
            let mut file = BufWriter::new(file);
            for _ in 0..LARGE_OUTPUT / 2 {
                file.write_all(b"3\n").expect("room for it");
            }
            file.flush().expect("room for it");
            bench
        }

        fn path(&self) -> &Path {
            self.folder.path()
        }

        fn problem(&self) -> PathBuf {
            self.path().join("problems/p")
        }

        fn input(&self, case: usize) -> PathBuf {
            self.problem().join(format!("{case}.in"))
        }

        fn program(&self) -> String {
            self.path().join("program").display().to_string()
        }

        /// What the bare loop takes, and the judge without and with its sandbox.
        fn round(&self, round: usize) -> [Duration; 3] {
            let mut times = [Duration::ZERO; 3];
            // Whoever comes first may have it better.
            for turn in 0..3 {
                let which = (round + turn) % 3;
                times[which] = match which {
                    0 => time(|| self.run_bare()),
                    1 => time(|| self.run_judge(&["--no-sandbox"])),
                    _ => time(|| self.run_judge(&[])),
                };
            }
            times
        }

        fn run_judge(&self, options: &[&str]) {
            let mut judge = self.judge(&self.program(), options);
            let status = judge.status().expect("the judge starts");
            assert!(status.success(), "all is accepted");
        }

        fn judge(&self, program: &str, options: &[&str]) -> Command {
            let mut judge = Command::new(JUDGE);
            judge.arg("--root").arg(self.path());
            judge.args(["--exec", program, "-j", &N_WORKERS.to_string()]);
            judge.args(options).stdout(Stdio::null());
            judge
        }

        fn run_bare(&self) {
            let program = self.program();
            let next = AtomicUsize::new(0);
            let run_all = || {
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= N_CASES {
                        return;
                    }
                    run_once(&program, &self.input(case));
                }
            };
            thread::scope(|scope| {
                for _ in 0..N_WORKERS {
                    scope.spawn(run_all);
                }
            });
        }
    }

    fn time(work: impl FnOnce()) -> Duration {
        let begin = Instant::now();
        work();
        begin.elapsed()
    }

    /// The standard library does this by `posix_spawn`, `read` and `wait4`.
    fn run_once(program: &str, input: &Path) {
        let input = File::open(input).expect("there is an input");
        let mut command = Command::new(program);
        command.stdin(input).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut output = Vec::new();
        let mut pipe = child.stdout.take().expect("it is piped");
        pipe.read_to_end(&mut output).expect("it can be read");
        child.wait().expect("it ends");
        assert_eq!(output, b"3\n");
    }

    /// Waits for a child that must succeed, and says what memory it had at its peak.
    #[expect(
        unsafe_code,
        reason = "the standard library's wait does not tell what one child has used"
    )]
    fn peak_mib(child: Child) -> f64 {
        let pid = i32::try_from(child.id()).expect("the number of a process");
        let mut status = 0;
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: both pointers are to variables of the types that wait4 writes, and rusage is
        // plain numbers, so that all zeros are valid, too.
        let usage = unsafe {
            libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr());
            usage.assume_init()
        };
        assert_eq!(status, 0, "all is accepted");
        usage.ru_maxrss as f64 / 1024.0
    }
}
