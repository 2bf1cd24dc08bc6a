//! The key `compare` of `problem.toml`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::compare::{Rule, Tolerance};
use crate::name::ProblemId;

/// All that the key may be.
const FORMS: &str = "\"lines\", \"tokens\", \"exact\", { float = 1e-6 } or { checker = \"name\" }";

/// Who says whether an output is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Rule(Rule),
    /// A binary of the problem's crate, by name.
    Checker(String),
}

impl Default for Compare {
    fn default() -> Self {
        Self::Rule(Rule::default())
    }
}

impl<'de> Deserialize<'de> for Compare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrTable)
    }
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    float: Option<Tolerance>,
    checker: Option<BinaryName>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct BinaryName(String);

impl TryFrom<String> for BinaryName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        // Such a name is fit for a binary as it is for a problem.
        match ProblemId::parse(&name) {
            Some(_) => Ok(Self(name)),
            None => Err("a checker is named by its binary: ASCII letters, digits, `-`, `_`"),
        }
    }
}

struct WordOrTable;

impl<'de> Visitor<'de> for WordOrTable {
    type Value = Compare;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORMS)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Compare, E> {
        let rule = match word {
            "lines" => Rule::Lines,
            "tokens" => Rule::Tokens,
            "exact" => Rule::Exact,
            "float" => return Err(E::custom("`float` needs a tolerance: { float = 1e-6 }")),
            "checker" => return Err(E::custom("`checker` needs a name: { checker = \"name\" }")),
            _ => return Err(E::custom(format!("`{word}` is none of {FORMS}"))),
        };
        Ok(Compare::Rule(rule))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Compare, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        match (table.float, table.checker) {
            (Some(tolerance), None) => Ok(Compare::Rule(Rule::Float(tolerance))),
            (None, Some(BinaryName(name))) => Ok(Compare::Checker(name)),
            _ => Err(A::Error::custom(format!("expected one of {FORMS}"))),
        }
    }
}
