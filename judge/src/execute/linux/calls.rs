//! Which calls of the system a judged program is refused: those that reach beyond itself and that
//! Landlock does not know.

use std::collections::BTreeMap;
use std::io;

use rustix::process::getpid;
use rustix::thread::gettid;
use seccompiler::{
    BackendError, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

/// Calls that are refused whatever their arguments.
const REFUSED: &[i64] = &[
    // Connections. A pair of sockets that are connected with each other is allowed, below.
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    // What a file is said to be, which needs no right to write it.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // What outlives the run, or belongs to somebody else.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Other processes by other names, and other sets of them.
    libc::SYS_pidfd_send_signal,
    libc::SYS_ioprio_set,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// The same by the old names that not every processor has.
#[cfg(target_arch = "x86_64")]
const REFUSED_BY_OLD_NAMES: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_BY_OLD_NAMES: &[i64] = &[];

// New calls have the same number on all processors.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// Calls whose first argument must not name the judge.
const AIMED: [i64; 5] = [
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
];

/// Calls whose first argument must be 0, which is the caller.
const ON_ITSELF: [i64; 7] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Whom `kill` takes this for: all that the caller may send signals to.
const EVERYBODY: i32 = -1;

/// Kinds of sockets that can send to others than the one they are connected with.
const UNCONNECTED: [i32; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// Where the kind of a socket stands, beside flags.
const KIND_OF_SOCKET: u64 = 0xf;

/// Commands of `fcntl` and `ioctl` by which signals are sent to whoever is named.
const SIGNALS_BY_FCNTL: [u64; 3] = [8, 10, 15];
const SIGNALS_BY_IOCTL: [u64; 2] = [0x8901, 0x8902];

/// Commands of `ioctl` that set what a file is said to be: its flags, version and attributes.
const ATTRIBUTES_BY_IOCTL: [u64; 3] = [0x4008_6602, 0x4008_7602, 0x401c_5820];

/// Some kernels know each call by a second number with this bit (x32). Who uses one is killed.
const OTHER_NUMBERS: u32 = 0x4000_0000;
const END_OTHER_NUMBERS: [sock_filter; 3] = [
    // Load the number; go on if it is smaller; kill the process.
    sock_filter {
        code: 0x20,
        jt: 0,
        jf: 0,
        k: 0,
    },
    sock_filter {
        code: 0x35,
        jt: 0,
        jf: 1,
        k: OTHER_NUMBERS,
    },
    sock_filter {
        code: 0x06,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_KILL_PROCESS,
    },
];

type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses these calls to the calling thread and all that it starts. A signal to everybody is one
/// of them unless everybody else is out of reach. Returns, in words, what is missing for that.
///
/// # Errors
///
/// If the kernel has the means, and they fail.
pub(super) fn filter(are_others_out_of_reach: bool) -> io::Result<Option<String>> {
    let Ok(architecture) = std::env::consts::ARCH.try_into() else {
        return Ok(Some(unfiltered("on this processor")));
    };
    let installed = refuse(refused(are_others_out_of_reach), libc::EPERM, architecture)
        // Its arguments cannot be seen; who is told that it does not exist takes `clone`.
        .and_then(|()| refuse(Ok(always(&[libc::SYS_clone3])), libc::ENOSYS, architecture));
    installed.map_or_else(missing, |()| Ok(None))
}

fn unfiltered(place: &str) -> String {
    format!("calls of the system are not filtered {place}: judged programs can open connections")
}

/// What is missing, in words, if the filter cannot be installed for want of means.
fn missing(error: seccompiler::Error) -> io::Result<Option<String>> {
    match error {
        seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error)
            if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) =>
        {
            Ok(Some(unfiltered("in this kernel (seccomp)")))
        }
        error => Err(io::Error::other(error)),
    }
}

fn refuse(
    calls: Result<Calls, BackendError>,
    error: i32,
    architecture: TargetArch,
) -> Result<(), seccompiler::Error> {
    let answer = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(calls?, SeccompAction::Allow, answer, architecture)?;
    let mut program = END_OTHER_NUMBERS.to_vec();
    program.append(&mut Vec::try_from(filter)?);
    apply_filter(&program)
}

fn refused(are_others_out_of_reach: bool) -> Result<Calls, BackendError> {
    let mut calls = always(REFUSED);
    calls.append(&mut always(REFUSED_BY_OLD_NAMES));
    // This thread is on the programs' side of Landlock's fence.
    let judge = [getpid(), gettid()].map(|pid| bits(pid.as_raw_pid()));
    for call in AIMED {
        calls.insert(call, equal(0, &judge)?);
    }
    let mut not_to_kill = judge.to_vec();
    // It has no number here if it began outside of this namespace.
    let group = super::process_tree::status(getpid()).and_then(|status| status.group);
    not_to_kill.extend(group.map(|group| bits(-group.as_raw_pid())));
    if !are_others_out_of_reach {
        not_to_kill.push(bits(EVERYBODY));
    }
    calls.insert(libc::SYS_kill, equal(0, &not_to_kill)?);
    for call in ON_ITSELF {
        calls.insert(call, vec![rule(0, SeccompCmpOp::Ne, 0)?]);
    }
    let of_user = equal(0, &[u64::from(libc::PRIO_USER)])?;
    let of_others = vec![rule(1, SeccompCmpOp::Ne, 0)?];
    calls.insert(libc::SYS_setpriority, [of_user, of_others].concat());
    calls.insert(libc::SYS_socketpair, pairs_with_others()?);
    calls.insert(libc::SYS_fcntl, equal(1, &SIGNALS_BY_FCNTL)?);
    let commands = [&SIGNALS_BY_IOCTL[..], &ATTRIBUTES_BY_IOCTL].concat();
    calls.insert(libc::SYS_ioctl, equal(1, &commands)?);
    // A child of the judge, or one that is root in a world of its own.
    let flags = [libc::CLONE_PARENT, libc::CLONE_NEWUSER].map(bits);
    let has = |flag| rule(0, SeccompCmpOp::MaskedEq(flag), flag);
    calls.insert(
        libc::SYS_clone,
        flags.into_iter().map(has).collect::<Result<_, _>>()?,
    );
    Ok(calls)
}

/// Pairs of sockets that do not only reach each other.
fn pairs_with_others() -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = vec![rule(0, SeccompCmpOp::Ne, bits(libc::AF_UNIX))?];
    for kind in UNCONNECTED {
        rules.push(rule(1, SeccompCmpOp::MaskedEq(KIND_OF_SOCKET), bits(kind))?);
    }
    Ok(rules)
}

/// No conditions, no exceptions.
fn always(calls: &[i64]) -> Calls {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

/// Rules that match where an argument is one of these.
fn equal(argument: u8, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    values
        .iter()
        .map(|&value| rule(argument, SeccompCmpOp::Eq, value))
        .collect()
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    SeccompRule::new(vec![condition])
}

/// A number as the kernel sees it in the lower half of an argument.
fn bits(number: i32) -> u64 {
    u64::from(number.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{missing, unfiltered};

    #[test]
    fn a_kernel_without_filters_is_said_to_filter_nothing() {
        let note = "calls of the system are not filtered in this kernel (seccomp): judged programs \
                    can open connections";
        for number in [libc::EINVAL, libc::ENOSYS] {
            let refusals = [seccompiler::Error::Seccomp, seccompiler::Error::Prctl];
            for refusal in refusals {
                let error = refusal(io::Error::from_raw_os_error(number));
                assert_eq!(missing(error).unwrap().as_deref(), Some(note));
            }
        }
        let note = "calls of the system are not filtered on this processor: judged programs can \
                    open connections";
        assert_eq!(unfiltered("on this processor"), note);
    }

    #[test]
    fn a_filter_that_fails_for_another_reason_is_an_error() {
        let error = io::Error::from_raw_os_error(libc::EFAULT);
        assert!(missing(seccompiler::Error::Seccomp(error)).is_err());
    }
}
