// SPDX-License-Identifier: Apache-2.0
//! Which stages share a thread.

use std::collections::HashMap;

use crate::graph::GraphError;

/// A thread and its stages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thread {
    /// Its name, for people.
    pub name: String,
    /// Names of its stages; they take turns in this order.
    pub stages: Vec<String>,
    /// The core that it stays on, if the system allows it.
    pub core: Option<usize>,
}

impl Thread {
    /// A thread on any core.
    pub fn new<S: Into<String>>(name: &str, stages: impl IntoIterator<Item = S>) -> Self {
        Self {
            name: name.to_owned(),
            stages: stages.into_iter().map(Into::into).collect(),
            core: None,
        }
    }

    /// The same on this core.
    #[must_use]
    pub fn on(self, core: usize) -> Self {
        Self {
            core: Some(core),
            ..self
        }
    }
}

/// Which stages share a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// A thread for each stage.
    Spread,
    /// One thread for all.
    Together,
    /// These threads; every stage is on one of them.
    Threads(Vec<Thread>),
}

impl Placement {
    /// The threads for stages of these names: for each of them its stages, as indices.
    pub(crate) fn resolve(&self, names: &[&str]) -> Result<Vec<(Thread, Vec<usize>)>, GraphError> {
        let one = |index: usize| (Thread::new(names[index], [names[index]]), vec![index]);
        let threads = match self {
            Self::Spread => return Ok((0..names.len()).map(one).collect()),
            Self::Together => {
                let all = Thread::new("all", names.iter().copied());
                return Ok(vec![(all, (0..names.len()).collect())]);
            }
            Self::Threads(threads) => threads,
        };
        let mut free: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let mut resolved = Vec::new();
        for thread in threads {
            let mut indices = Vec::new();
            for stage in &thread.stages {
                match free.remove(stage.as_str()) {
                    Some(index) => indices.push(index),
                    None if names.contains(&stage.as_str()) => {
                        return Err(GraphError::PlacedTwice(stage.clone()));
                    }
                    None => return Err(GraphError::NoSuchStage(stage.clone())),
                }
            }
            resolved.push((thread.clone(), indices));
        }
        match names.iter().find(|name| free.contains_key(*name)) {
            Some(name) => Err(GraphError::NotPlaced((*name).to_owned())),
            None => Ok(resolved),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_placed_once() {
        let names = ["a", "b", "c"];
        assert_eq!(Placement::Spread.resolve(&names).unwrap().len(), 3);
        assert_eq!(Placement::Together.resolve(&names).unwrap()[0].1, [0, 1, 2]);
        let of = |lists: &[&[&str]]| {
            let threads = lists
                .iter()
                .map(|list| Thread::new("t", list.iter().copied()).on(1));
            Placement::Threads(threads.collect()).resolve(&names)
        };
        let threads = of(&[&["c", "a"], &["b"]]).unwrap();
        assert_eq!((&threads[0].1, &threads[1].1), (&vec![2, 0], &vec![1]));
        for (lists, error) in [
            (&[&["a", "b"][..]][..], GraphError::NotPlaced("c".into())),
            (
                &[&["a", "b", "c"], &["a"]],
                GraphError::PlacedTwice("a".into()),
            ),
            (&[&["x"]], GraphError::NoSuchStage("x".into())),
        ] {
            assert_eq!(of(lists).unwrap_err(), error);
        }
    }
}
