//! The table: one attempt a line.

/// In words; the attempt, as `tests/programs/escaping` names it; what becomes of it in the sandbox;
/// and what without one, `-` if it is not tried there. Names with a dollar stand for what differs
/// from run to run.
const ATTEMPTS: &str = "
the expected output                    | read $CASE.out                       | refused | done
the expected output, by a link         | read-by-link $CASE.out $SCRATCH/link | refused | -
the expected output, by another root   | read /proc/self/root$CASE.out        | refused | done
the expected output, moved             | rename $CASE.out $SCRATCH/moved      | refused | -
the expected output, linked            | link $CASE.out $SCRATCH/linked       | refused | -
its input by name                      | read $CASE.in                        | refused | done
the input of another case              | read $PROBLEM/other.in               | refused | done
the output of another case             | read $PROBLEM/other.out              | refused | done
what a case is a link to               | read $OUTSIDE/linked.out             | refused | done
the list of the cases                  | list $PROBLEM                        | refused | done
the list of the problems               | list $PROBLEM/..                     | refused | done
the history of the workspace           | read $ROOT/.git/objects/answers      | refused | done
a change of the expected output        | write $CASE.out                      | refused | -
a new case                             | create $PROBLEM/new.in               | refused | done

its input                              | read-rest 7777                       | done    | done
its input by another name              | reread /dev/stdin                    | done    | done
its input by number                    | reread /proc/self/fd/0               | done    | done
a write to the input                   | write-stdin                          | refused | -
a write to the input by name           | write /dev/stdin                     | refused | -
a write to the input by number         | write /proc/self/fd/0                | refused | -
a write to the input by file           | write $CASE.in                       | refused | -
a write to the input by memory         | map-stdin                            | refused | -
the input made empty                   | truncate-stdin                       | refused | -
the input made empty by name           | empty /dev/stdin                     | refused | -
the rights of the input                | chmod /dev/stdin                     | refused | done
the time of the input                  | touch /dev/stdin                     | refused | done

all in its scratch folder              | scratch                              | done    | -
a file in the current folder           | create escape-of-a-judged-program    | refused | done
a file at home                         | create $HOME/.escape-of-a-program    | refused | done
a file beside its scratch folder       | create $SCRATCH/../escape            | refused | -
a file beside the judge's folder       | create $SCRATCH/../../escape         | refused | -
what the judge has in its folder       | list $SCRATCH/..                     | refused | -
the judge's notes                      | read $SCRATCH/../groups              | refused | -
the scratch folder of another run      | list-neighbour                       | refused | -
a file in that of another run          | create-at-neighbour                  | refused | -
a file outside, read                   | read $OUTSIDE/file                   | done    | done
a source of the workspace, read        | read $ROOT/Cargo.toml                | done    | done
a file outside, written                | write $OUTSIDE/file                  | refused | done
a file outside, emptied                | empty $OUTSIDE/file                  | refused | done
a file outside, truncated              | truncate $OUTSIDE/file               | refused | done
a file outside, moved                  | rename $OUTSIDE/file $OUTSIDE/other  | refused | -
a file outside, moved in               | rename $OUTSIDE/file $SCRATCH/file   | refused | -
a file outside, linked                 | link $OUTSIDE/file $OUTSIDE/link     | refused | done
a file outside, linked in              | link $OUTSIDE/file $SCRATCH/link     | refused | -
a link outside                         | symlink $OUTSIDE/file $OUTSIDE/soft  | refused | done
a file outside, removed                | unlink $OUTSIDE/spare                | refused | done
a folder outside                       | mkdir $OUTSIDE/folder/new            | refused | done
a folder outside, removed              | rmdir $OUTSIDE/empty                 | refused | done
a pipe with a name outside             | fifo $OUTSIDE/fifo                   | refused | done
the rights of a file outside           | chmod $OUTSIDE/file                  | refused | done
the owner of a file outside            | chown $OUTSIDE/file                  | refused | done
the time of a file outside             | touch $OUTSIDE/file                  | refused | done
an attribute of a file outside         | label $OUTSIDE/file                  | refused | -
its own binary, read                   | own-binary                           | done    | done
memory by its file                     | write /proc/self/mem                 | refused | -

a connection by TCP                    | tcp $TCP                             | refused | done
a datagram by UDP                      | udp $UDP                             | refused | done
a port to listen on                    | listen 127.0.0.1:0                   | refused | done
a connection to a socket's path        | unix $OUTSIDE/stream                 | refused | done
a connection to a socket's name        | abstract $ABSTRACT                   | refused | done
a datagram to a socket's path          | datagram $OUTSIDE/datagrams          | refused | done
the same from a pair                   | datagram-of-pair $OUTSIDE/datagrams  | refused | done
the same, connected                    | connect-of-pair $OUTSIDE/datagrams   | refused | done
a datagram to a socket's name          | abstract-of-pair $DATAGRAMS          | refused | done
a raw pair                             | raw-pair                             | refused | done
a socket of any family                 | socket-of-any-family                 | refused | done
a pair of connected sockets            | pair                                 | done    | done
a pipe                                 | pipe                                 | done    | done

a signal to the judge                  | kill $JUDGE                          | refused | done
a signal to its threads                | kill-threads $JUDGE                  | refused | done
the same by both numbers               | tgkill $JUDGE                        | refused | done
the same by one number                 | tkill $JUDGE                         | refused | done
a signal with a value                  | queue $JUDGE                         | refused | done
a signal by a file                     | pidfd $JUDGE                         | refused | done
a signal to its group                  | kill-group $JUDGE                    | refused | done
a signal to a process of the user      | kill $WITNESS                        | refused | done
the same to its thread                 | tgkill $WITNESS                      | refused | done
the same with a value                  | queue $WITNESS                       | refused | done
the same by a file                     | pidfd $WITNESS                       | refused | done
the same to its group                  | kill-group $WITNESS                  | refused | done
a signal to anybody                    | kill-anybody                         | refused | done
a file that signals the judge          | owner $JUDGE                         | refused | done
the same by its kind                   | owner-of-kind $JUDGE                 | refused | done
the same by ioctl                      | owner-by-ioctl $JUDGE                | refused | done
another signal from a file             | signal-of-file $JUDGE                | refused | done
the judge, traced                      | trace $JUDGE                         | refused | -
a process of the user, traced          | trace $WITNESS                       | refused | -
the memory of the judge                | read-memory $JUDGE                   | refused | -
the same by its file                   | open /proc/$JUDGE/mem                | refused | -
the same by its threads                | open-of-threads $JUDGE mem           | refused | -
the environment of the judge           | read /proc/$JUDGE/environ            | refused | done
a file of the judge                    | open /proc/$JUDGE/fd/0               | refused | done
the same by its threads                | open-of-threads $JUDGE fd/0          | refused | done
the root of the judge                  | list /proc/$JUDGE/root/tmp           | refused | done
the folder of the judge                | list /proc/$JUDGE/cwd/               | refused | done
the environment of anybody             | read-of-anybody environ              | refused | done
the input of anybody                   | open-of-anybody fd/0                 | refused | -
the map of anybody                     | read-of-anybody maps                 | refused | done
the limits of the judge                | limits $JUDGE                        | refused | done
the precedence of the judge            | priority $JUDGE                      | refused | done
the precedence of all                  | priority-of-user                     | refused | -
the processors of the judge            | affinity $JUDGE                      | refused | done
the scheduler of the judge             | scheduler $JUDGE                     | refused | done
a child of the judge                   | sibling                              | refused | -
a child                                | child                                | done    | done
another program                        | command                              | done    | done
a child, killed                        | child-killed                         | done    | done
threads                                | threads                              | done    | done
its own precedence                     | own-priority                         | done    | done
its own limits                         | own-limits                           | done    | done
its own processors                     | own-affinity                         | done    | done

a world of its own                     | unshare-user                         | refused | -
mounts of its own                      | unshare-mounts                       | refused | -
a child in a world of its own          | clone-user                           | refused | -
the same by the newer call             | clone3-user                          | refused | -
a mount                                | mount $SCRATCH                       | refused | -
another root                           | change-root                          | refused | -
another user                           | become 12345                         | refused | -
a ring of calls                        | ring                                 | refused | -
a key                                  | add-key                              | refused | -
a ring of keys                         | keyring                              | refused | -
memory with a name                     | shared-file                          | refused | done
memory with a number                   | make-memory                          | refused | -
somebody's memory                      | attach-memory $MEMORY                | refused | done
somebody's memory, removed             | remove-memory $MEMORY                | refused | -
a semaphore                            | make-semaphore                       | refused | -
somebody's semaphore                   | raise-semaphore $SEMAPHORE           | refused | done
somebody's semaphore, removed          | remove-semaphore $SEMAPHORE          | refused | -
a queue                                | make-queue                           | refused | -
somebody's queue                       | send-to-queue $QUEUE                 | refused | done
somebody's message                     | take-from-queue $QUEUE               | refused | -
somebody's queue, removed              | remove-queue $QUEUE                  | refused | -
a queue with a name                    | named-queue                          | refused | -
calls by other numbers                 | other-numbers                        | refused | -
calls by an old door                   | old-door                             | refused | -
the devices                            | list /dev                            | refused | done
chance                                 | random                               | done    | done
chance by its file                     | read /dev/urandom                    | done    | done
zeros by their file                    | read /dev/zero                       | done    | done
nothing, written                       | write /dev/null                      | done    | done
shared memory                          | memory                               | done    | done
a file in memory                       | memory-file                          | done    | done
";

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) what: &'static str,
    /// What the program is told to do.
    pub(super) line: &'static str,
    /// What it must say of it.
    pub(super) in_sandbox: &'static str,
    /// None where that would do harm, or depends on the system.
    pub(super) without: Option<&'static str>,
}

impl Attempt {
    pub(super) fn verb(&self) -> &'static str {
        self.line.split(' ').next().unwrap_or_default()
    }
}

pub(super) fn attempts() -> Vec<Attempt> {
    let lines = ATTEMPTS.lines().filter(|line| !line.is_empty());
    lines.map(attempt).collect()
}

fn attempt(line: &'static str) -> Attempt {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [what, line, in_sandbox, without] = columns[..] else {
        panic!("not four columns: {line}")
    };
    Attempt {
        what,
        line,
        in_sandbox,
        without: Some(without).filter(|without| *without != "-"),
    }
}
