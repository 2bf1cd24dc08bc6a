//! Running one program on one input, within limits.
//!
//! What a run is, and what is told of it, stands here; how the system does it stands in one file
//! for each kind of system. Nothing here knows what the output should have been.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
#[cfg(target_os = "linux")]
mod process_tree;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::{Session, execute};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{Session, execute};

/// How much of what a program says on standard error is kept.
const STDERR_KEPT: usize = 4 * 1024;

/// What a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// User and system time of the program and of what it started, together.
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
    /// Resident memory at its peak.
    pub(crate) memory_kib: u64,
    /// Bytes on standard output.
    pub(crate) output: u64,
}

/// A program, its input, and its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// The program and its arguments; never empty.
    pub(crate) command: &'a [OsString],
    pub(crate) input: &'a Path,
    pub(crate) limits: Limits,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) ending: Ending,
    pub(crate) usage: Usage,
    /// Whether processes of the run were still alive when the program itself had ended.
    pub(crate) is_leaky: bool,
    /// What it said on standard error, or the beginning of it.
    pub(crate) stderr: Vec<u8>,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which the judge did not send.
    Signaled(i32),
    /// Killed by the judge, since it was over this limit.
    Killed(Limit),
    /// Killed by the judge, since the user wants it to end.
    Interrupted,
}

/// A limit that is enforced while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Cpu,
    Wall,
    Memory,
    Output,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// None where the system does not tell it of one process.
    pub(crate) cpu: Option<Duration>,
    pub(crate) wall: Duration,
    /// None where the system does not tell it of one process.
    pub(crate) peak_kib: Option<u64>,
    /// A reading of `peak_kib` up to this says nothing of the program: the system begins it at the
    /// peak of the process that started it.
    pub(crate) peak_floor_kib: u64,
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsString;
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    use super::{Ending, Job, Limit, Limits, Run, Session, execute, portable};
    use crate::interrupt::Interrupt;

    const LIMITS: Limits = Limits {
        cpu: Duration::from_secs(10),
        wall: Duration::from_secs(10),
        memory_kib: 256 * 1024,
        output: 1 << 20,
    };

    /// Runs a shell script by everything that can run a program here, each time with its output.
    fn run_everywhere(script: &str, input: &str, limits: Limits) -> Vec<(Run, Vec<u8>)> {
        let folder = tempfile::tempdir().unwrap();
        let input_path = folder.path().join("input");
        fs::write(&input_path, input).unwrap();
        let command = ["sh", "-c", script].map(OsString::from);
        let job = Job {
            command: &command,
            input: &input_path,
            limits,
        };
        let mut outputs = [Vec::new(), Vec::new()];
        let [native, fallback] = &mut outputs;
        let session = Session::new(Interrupt::install().unwrap()).unwrap();
        let runs = [
            execute(&job, &session, &mut |bytes| native.extend_from_slice(bytes)).unwrap(),
            {
                let session = portable::Session::new(Interrupt::install().unwrap()).unwrap();
                portable::execute(&job, &session, &mut |bytes| {
                    fallback.extend_from_slice(bytes);
                })
                .unwrap()
            },
        ];
        runs.into_iter().zip(outputs).collect()
    }

    #[track_caller]
    fn check_ending(script: &str, limits: Limits, expected: Ending) {
        for (run, _) in run_everywhere(script, "", limits) {
            assert_eq!(run.ending, expected, "{script}");
        }
    }

    #[test]
    fn input_output_and_errors_are_connected() {
        for (run, output) in run_everywhere("cat; echo hm >&2; exit 3", "a b\n", LIMITS) {
            assert_eq!(run.ending, Ending::Exited(3));
            assert_eq!(output, b"a b\n");
            assert_eq!(run.stderr, b"hm\n");
            assert!(!run.is_leaky);
        }
    }

    #[test]
    fn endings_are_told_apart() {
        check_ending("true", LIMITS, Ending::Exited(0));
        check_ending("exit 255", LIMITS, Ending::Exited(255));
        check_ending("kill -SEGV $$", LIMITS, Ending::Signaled(11));
        check_ending("kill -KILL $$", LIMITS, Ending::Signaled(9));
        let short = Limits {
            wall: Duration::from_millis(200),
            ..LIMITS
        };
        check_ending("sleep 20", short, Ending::Killed(Limit::Wall));
        check_ending("kill -STOP $$", short, Ending::Killed(Limit::Wall));
        check_ending("while :; do :; done", short, Ending::Killed(Limit::Wall));
        let small = Limits {
            output: 1000,
            ..LIMITS
        };
        check_ending(
            "while :; do echo 0123456789; done",
            small,
            Ending::Killed(Limit::Output),
        );
        check_ending(
            "head -c 1001 /dev/zero",
            small,
            Ending::Killed(Limit::Output),
        );
        check_ending("head -c 1000 /dev/zero", small, Ending::Exited(0));
    }

    #[test]
    fn neither_side_waits_for_the_other_for_ever() {
        let much = "x".repeat(5_000_000);
        for (run, output) in run_everywhere("echo right", &much, LIMITS) {
            assert_eq!(
                (run.ending, &output[..]),
                (Ending::Exited(0), &b"right\n"[..])
            );
        }
        let script = "head -c 3000000 /dev/zero >&2; head -c 1000000 /dev/zero; cat | wc -c";
        for (run, output) in run_everywhere(script, &much, LIMITS) {
            assert_eq!(run.ending, Ending::Exited(0));
            assert_eq!(output.len(), 1_000_000 + "5000000\n".len());
            assert!(run.stderr.len() <= super::STDERR_KEPT);
        }
    }

    #[test]
    fn what_was_written_before_the_end_is_read_although_the_pipe_stays_open() {
        let begin = Instant::now();
        for (run, output) in run_everywhere("echo right; sleep 30 &", "", LIMITS) {
            assert_eq!(
                (run.ending, &output[..]),
                (Ending::Exited(0), &b"right\n"[..])
            );
        }
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn an_interrupt_ends_a_run() {
        let session = Session::new(Interrupt::install().unwrap()).unwrap();
        let command = ["sleep", "20"].map(OsString::from);
        let job = Job {
            command: &command,
            input: "/dev/null".as_ref(),
            limits: LIMITS,
        };
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                session.interrupt().set();
            });
            execute(&job, &session, &mut |_| {})
        });
        assert_eq!(run.unwrap().ending, Ending::Interrupted);
    }

    #[test]
    fn a_program_that_does_not_exist_is_an_error() {
        let session = Session::new(Interrupt::install().unwrap()).unwrap();
        let command = [OsString::from("/nonexistent/program")];
        let job = Job {
            command: &command,
            input: "/dev/null".as_ref(),
            limits: LIMITS,
        };
        assert!(execute(&job, &session, &mut |_| {}).is_err());
        let input = "/nonexistent/input".as_ref();
        let command = [OsString::from("true")];
        assert!(
            execute(
                &Job {
                    command: &command,
                    input,
                    limits: LIMITS
                },
                &session,
                &mut |_| {}
            )
            .is_err()
        );
    }

    /// What only the kernel of Linux tells.
    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::{
            Duration, Ending, Instant, Interrupt, Job, LIMITS, Limit, Limits, OsString, Run,
            Session, execute, fs,
        };

        fn run(script: &str, limits: Limits) -> Run {
            let session = Session::new(Interrupt::install().unwrap()).unwrap();
            let command = ["sh", "-c", script].map(OsString::from);
            let job = Job {
                command: &command,
                input: "/dev/null".as_ref(),
                limits,
            };
            execute(&job, &session, &mut |_| {}).unwrap()
        }

        /// Whether a process that was started as `sleep` with this odd number of seconds lives.
        fn is_asleep(seconds: &str) -> bool {
            let processes = fs::read_dir("/proc").unwrap().flatten();
            let mut command_lines =
                processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
            let wanted = format!("sleep\0{seconds}\0");
            command_lines.any(|command_line| command_line == wanted.as_bytes())
        }

        #[test]
        fn cpu_time_is_limited_and_told() {
            let limits = Limits {
                cpu: Duration::from_millis(300),
                ..LIMITS
            };
            let run = run("while :; do :; done", limits);
            assert_eq!(run.ending, Ending::Killed(Limit::Cpu));
            assert!(
                run.usage.cpu > Some(Duration::from_millis(250)),
                "{:?}",
                run.usage
            );
            assert!(run.usage.wall < Duration::from_secs(8), "{:?}", run.usage);
        }

        #[test]
        fn cpu_time_of_descendants_counts_while_they_run() {
            let limits = Limits {
                cpu: Duration::from_millis(300),
                ..LIMITS
            };
            let run = run("(while :; do :; done); true", limits);
            assert_eq!(run.ending, Ending::Killed(Limit::Cpu));
        }

        #[test]
        fn memory_is_limited_while_it_grows() {
            let limits = Limits {
                memory_kib: 64 * 1024,
                ..LIMITS
            };
            let run = run(
                "x=$(head -c 30000000 /dev/zero | tr '\\0' a); y=$x$x$x$x; sleep 20",
                limits,
            );
            assert_eq!(run.ending, Ending::Killed(Limit::Memory));
            assert!(run.usage.peak_kib > Some(64 * 1024));
        }

        #[test]
        fn what_stays_behind_is_found_and_killed() {
            for (script, seconds) in [
                ("sleep 301.5 & sleep 0.05", "301.5"),
                ("setsid sleep 302.5 & sleep 0.05", "302.5"),
                (
                    "(setsid sh -c 'sleep 303.5 & sleep 303.5' &) ; sleep 0.05",
                    "303.5",
                ),
            ] {
                let begin = Instant::now();
                let run = run(script, LIMITS);
                assert_eq!(run.ending, Ending::Exited(0), "{script}");
                assert!(run.is_leaky, "{script}");
                assert!(begin.elapsed() < Duration::from_secs(2), "{script}");
                assert!(!is_asleep(seconds), "{script}");
            }
        }

        #[test]
        fn what_has_ended_by_itself_is_no_leak() {
            assert!(!run("true & sleep 0.05", LIMITS).is_leaky);
            assert!(!run("(true &) ; sleep 0.05", LIMITS).is_leaky);
        }

        #[test]
        fn a_killed_run_takes_its_descendants_with_it() {
            let limits = Limits {
                wall: Duration::from_millis(200),
                ..LIMITS
            };
            let run = run("sleep 304.5 & setsid sleep 304.5 & wait", limits);
            assert_eq!(run.ending, Ending::Killed(Limit::Wall));
            assert!(!run.is_leaky, "it had no chance to clean up");
            assert!(!is_asleep("304.5"));
        }

        #[test]
        fn a_program_starts_clean() {
            let session = Session::new(Interrupt::install().unwrap()).unwrap();
            let script =
                "ls /proc/self/fd | wc -l; ulimit -c; grep -E 'Sig(Blk|Ign)' /proc/self/status";
            let command = ["sh", "-c", script].map(OsString::from);
            let job = Job {
                command: &command,
                input: "/dev/null".as_ref(),
                limits: LIMITS,
            };
            let mut output = Vec::new();
            execute(&job, &session, &mut |bytes| output.extend_from_slice(bytes)).unwrap();
            let output = String::from_utf8(output).unwrap();
            let lines: Vec<&str> = output.split_whitespace().collect();
            // 0, 1, 2, and the folder that `ls` itself has open; no core file.
            assert_eq!(lines[..2], ["4", "0"], "{output}");
            let signals = |name: &str| {
                let value = lines
                    .iter()
                    .skip_while(|word| **word != name)
                    .nth(1)
                    .unwrap();
                // The signals with names; further ones are nobody's business here.
                u64::from_str_radix(value, 16).unwrap() & 0x7fff_ffff
            };
            assert_eq!((signals("SigBlk:"), signals("SigIgn:")), (0, 0), "{output}");
        }
    }
}
