//! Events of every algebra under one key that is hashed with Rust's own hasher, and handlers that fail by rule.

use crate::message_pack_body;
use anyhow::{Context, Result, anyhow, bail};
use iggy::prelude::IggyClient;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::hash::DefaultHasher;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use wakuwaku_iggy::error::HandleError;
use wakuwaku_iggy::{
    Associative, Commutative, ConsumerConfig, Event, EventAtomicOrdering, EventHandler,
    EventSemigroup, EventTypeTag, Idempotent, IdempotentCommutative, IggyConsumerRegisterCenter,
    IggySuperPartitionName, NonAssociative, PartitionKey, Publisher,
};

/// More attempts than failures by rule can need, so that only what always fails is given up.
const RETRY_DELAYS: &[Duration] = &[Duration::from_millis(5); 40];

#[derive(Hash)]
pub struct TraceKey {
    customer: String,
    number: u64,
}

impl PartitionKey for TraceKey {
    type PartitionMerge = DefaultHasher;
    const SUPER_PARTITION_NAME: IggySuperPartitionName = IggySuperPartitionName("traces");
}

/// The numbers of an event, and how a handler takes them.
trait Traced {
    fn line(&self) -> String;
    fn is_of(&self, customer: &str) -> bool;
    fn values(&self) -> &[u64];
}

macro_rules! traced {
    ($($event:ident $tag:literal $algebra:ty),+ $(,)?) => {$(
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $event {
            customer: String,
            number: u64,
            values: Vec<u64>,
            #[serde(skip)]
            ordering: u8,
        }

        message_pack_body!($event);

        impl Event for $event {
            const TYPE_TAG: EventTypeTag = EventTypeTag::new($tag);
            type Key = TraceKey;
            type Algebra = $algebra;
            fn key(&self) -> TraceKey {
                TraceKey { customer: self.customer.clone(), number: self.number }
            }
            fn atomic_ordering(&self) -> EventAtomicOrdering {
                EventAtomicOrdering::try_from(self.ordering).expect("checked when it was read")
            }
        }

        impl Traced for $event {
            fn line(&self) -> String {
                let values: Vec<String> = self.values.iter().map(u64::to_string).collect();
                format!("{} {} {} {}\n", $tag, self.customer, self.number, values.join(","))
            }
            fn is_of(&self, customer: &str) -> bool {
                self.customer == customer
            }
            fn values(&self) -> &[u64] {
                &self.values
            }
        }

        impl EventHandler<$event> for Recorder {
            const MAX_BATCH: NonZeroUsize = NonZeroUsize::MIN;
            async fn handle(&self, run: &[$event]) -> Result<(), HandleError> {
                run.iter().try_for_each(|event| self.take($tag, event))
            }
        }
    )+};
}

traced!(
    Plain 1 NonAssociative,
    Folded 2 Associative,
    Repeated 3 Idempotent,
    Unordered 4 Commutative,
    Merged 5 IdempotentCommutative,
);

impl EventSemigroup for Folded {
    fn combine(mut self, other: Self) -> Self {
        self.values.extend(other.values);
        self
    }
}

/// Keeps what was handled, and fails by the rules that `trace_events.py` has too.
struct Recorder {
    file: Mutex<BufWriter<File>>,
    calls: Mutex<HashMap<u64, u32>>,
}

impl Recorder {
    fn take(&self, tag: u32, event: &impl Traced) -> Result<(), HandleError> {
        if tag == 1 && event.is_of("poison") {
            return Err(HandleError::retryable(anyhow!("always")));
        }
        for &value in event.values() {
            if tag == 1 && value % 211 == 5 {
                return Err(HandleError::unrecoverable(anyhow!("never")));
            }
            if value % 101 == 7 && self.call(value) <= 2 {
                return Err(HandleError::retryable(anyhow!("not yet")));
            }
            if value % 503 == 3 && self.call(value) <= 1 {
                return Err(HandleError::transient(anyhow!("not now")));
            }
        }
        let mut file = self.file.lock().expect("no handler panics");
        file.write_all(event.line().as_bytes())
            .map_err(HandleError::unrecoverable)
    }

    fn call(&self, value: u64) -> u32 {
        let mut calls = self.calls.lock().expect("no handler panics");
        let count = calls.entry(value).or_default();
        *count += 1;
        *count
    }
}

pub async fn publish(client: Arc<IggyClient>, stream: &str) -> Result<()> {
    let publisher = Publisher::new(client, stream)?;
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        if line == "flush" {
            println!("flushed");
            continue;
        }
        let fields: Vec<&str> = line.split(' ').collect();
        let [kind, ordering, customer, number, value] = fields.as_slice() else {
            bail!("no event: {line}");
        };
        let (customer, values) = (customer.to_string(), vec![value.parse()?]);
        let (number, ordering) = (number.parse()?, ordering.parse()?);
        EventAtomicOrdering::try_from(ordering).context("no ordering")?;
        macro_rules! send {
            ($event:ident) => {
                publisher
                    .publish($event {
                        customer,
                        number,
                        values,
                        ordering,
                    })
                    .await?
            };
        }
        match *kind {
            "1" => send!(Plain),
            "2" => send!(Folded),
            "3" => send!(Repeated),
            "4" => send!(Unordered),
            "5" => send!(Merged),
            _ => bail!("no event: {line}"),
        }
    }
    Ok(())
}

pub async fn consume(
    client: Arc<IggyClient>,
    stream: &str,
    consumer: &str,
    partitions: &[u32],
    file: &str,
) -> Result<()> {
    let recorder = Arc::new(Recorder {
        file: Mutex::new(BufWriter::new(File::create(file)?)),
        calls: Mutex::default(),
    });
    let mut config = ConsumerConfig::new(stream, consumer, partitions.to_vec());
    config.retry_delays = RETRY_DELAYS;
    let runtime = IggyConsumerRegisterCenter::<_, Plain>::new(recorder.clone())
        .push::<_, Folded>(recorder.clone())
        .push::<_, Repeated>(recorder.clone())
        .push::<_, Unordered>(recorder.clone())
        .push::<_, Merged>(recorder.clone())
        .start(client, config)
        .await?;
    let mut lines = BufReader::new(stdin()).lines();
    while lines.next_line().await?.is_some() {}
    runtime.shutdown().await;
    recorder.file.lock().expect("no handler panics").flush()?;
    Ok(())
}

/// An event of a key of its own, for measuring.
pub fn plain(number: u64) -> Plain {
    Plain {
        customer: "Ada".to_owned(),
        number,
        values: vec![number],
        ordering: EventAtomicOrdering::Relaxed as u8,
    }
}
