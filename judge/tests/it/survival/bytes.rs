//! Outputs that differ from the answer in little, or that hold anything.

use crate::fixture::Workspace;

/// In words; how the problem compares; the answer, the output and the verdict.
type Fault = (
    &'static str,
    &'static str,
    &'static [u8],
    &'static [u8],
    &'static str,
);

/// Every byte there is, and the same with two of them changed places.
const EVERY_BYTE: [u8; 256] = every_byte();
const OTHERWISE: [u8; 256] = {
    let mut bytes = every_byte();
    (bytes[0], bytes[255]) = (255, 0);
    bytes
};

const FAULTS: [Fault; 24] = [
    (
        "CRLF in the output",
        "lines",
        b"1\n2\n",
        b"1\r\n2\r\n",
        "AC",
    ),
    (
        "CRLF in the answer",
        "lines",
        b"1\r\n2\r\n",
        b"1\n2\n",
        "AC",
    ),
    ("CRLF in both", "lines", b"1\r\n2\r\n", b"1\r\n2\r\n", "AC"),
    ("CRLF to the byte", "exact", b"1\n", b"1\r\n", "WA"),
    (
        "blanks at the ends",
        "lines",
        b"1\n2\n",
        b"1 \n2\t \n",
        "AC",
    ),
    ("blanks in the answer", "lines", b"1 \n2\n", b"1\n2\n", "AC"),
    ("a blank at the start", "lines", b"1\n", b" 1\n", "WA"),
    ("no final newline", "lines", b"1\n", b"1", "AC"),
    ("none in the answer", "lines", b"1", b"1\n", "AC"),
    ("three of them", "lines", b"1\n", b"1\n\n\n", "AC"),
    ("none to the byte", "exact", b"1\n", b"1", "WA"),
    (
        "an empty line within",
        "lines",
        b"1\n2\n",
        b"1\n\n2\n",
        "WA",
    ),
    ("two words in one", "tokens", b"a b\n", b"ab\n", "WA"),
    ("one word in two", "tokens", b"ab\n", b"a b\n", "WA"),
    ("words in lines", "tokens", b"a b\n", b"a\nb\n", "AC"),
    ("a case of letters", "tokens", b"YES\n", b"Yes\n", "WA"),
    ("invalid UTF-8", "lines", b"3\n", b"\xff\xfe\xc0\n", "WA"),
    ("NUL", "lines", b"3\n", b"3\0\n", "WA"),
    ("every byte", "exact", &EVERY_BYTE, &EVERY_BYTE, "AC"),
    (
        "every byte otherwise",
        "exact",
        &EVERY_BYTE,
        &OTHERWISE,
        "WA",
    ),
    (
        "codes of a terminal",
        "lines",
        b"3\n",
        b"\x1b[2J\x1b]0;x\x07\n",
        "WA",
    ),
    ("an empty answer", "lines", b"", b"", "AC"),
    ("a space for an empty answer", "lines", b"", b" \n\n", "AC"),
    ("a word for an empty answer", "lines", b"", b"0", "WA"),
];

const fn every_byte() -> [u8; 256] {
    let mut bytes = [0; 256];
    let mut byte: u8 = 0;
    while byte < u8::MAX {
        byte += 1;
        bytes[byte as usize] = byte;
    }
    bytes
}

/// A workspace with the faults of one way to compare, each by its words.
fn workspace(rule: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("problems/p/problem.toml", format!("compare = \"{rule}\"\n"));
    for (what, _, expected, output, _) in FAULTS.iter().filter(|fault| fault.1 == rule) {
        workspace.case(&format!("p/{what}"), output, expected);
    }
    workspace
}

#[test]
fn every_output_gets_its_verdict_alone_and_in_company() {
    let mut n_judged = 0;
    for rule in ["lines", "tokens", "exact"] {
        for jobs in ["1", "8"] {
            let (verdicts, _) = workspace(rule).verdicts(&["--exec", "cat", "-j", jobs]);
            for (case, verdict) in verdicts {
                let fault = FAULTS.iter().find(|fault| case == format!("p/{}", fault.0));
                assert_eq!(Some(verdict.as_str()), fault.map(|fault| fault.4), "{case}");
                n_judged += 1;
            }
        }
    }
    assert_eq!(n_judged, 2 * FAULTS.len());
}

#[test]
fn a_report_of_any_output_can_be_printed() {
    for rule in ["lines", "exact"] {
        let workspace = workspace(rule);
        let output = workspace.judge(&["--exec", "cat"]).assert().code(1);
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        let is_strange = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(is_strange), "{text:?}");
        assert!(text.contains("WA  "), "{text}");
    }
}
