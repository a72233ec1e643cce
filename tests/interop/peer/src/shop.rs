//! The events of the shop, whose keys are hashed with XXH3: published from JSON, and told as JSON.

use crate::message_pack_body;
use crate::timestamp::Timestamp;
use anyhow::{Context, Result};
use iggy::prelude::IggyClient;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use wakuwaku_iggy::error::HandleError;
use wakuwaku_iggy::{
    Associative, ConsumerConfig, Event, EventAtomicOrdering, EventHandler, EventSemigroup,
    EventTypeTag, Idempotent, IggyConsumerRegisterCenter, IggySuperPartitionName, PartitionKey,
    Publisher,
};
use xxhash_rust::xxh3::Xxh3Default;

#[derive(Hash)]
pub struct OrderKey(u64);

impl PartitionKey for OrderKey {
    type PartitionMerge = Xxh3Default;
    const SUPER_PARTITION_NAME: IggySuperPartitionName = IggySuperPartitionName("orders");
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    sku: String,
    quantity: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderPlaced {
    order_id: u64,
    customer: String,
    lines: Vec<Line>,
    currency: String,
    total_cents: i64,
    coupon: Option<String>,
    placed_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentReceived {
    order_id: u64,
    amount_cents: i64,
    last_paid_at: Timestamp,
    references: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderShipped {
    order_id: u64,
    carrier: String,
    tracking_code: String,
}

message_pack_body!(OrderPlaced, PaymentReceived, OrderShipped);

impl EventSemigroup for PaymentReceived {
    fn combine(mut self, other: Self) -> Self {
        self.amount_cents += other.amount_cents;
        self.last_paid_at = self.last_paid_at.max(other.last_paid_at);
        self.references.extend(other.references);
        self
    }
}

macro_rules! shop_event {
    ($event:ty, $tag:literal, $algebra:ty, $ordering:ident) => {
        impl Event for $event {
            const TYPE_TAG: EventTypeTag = EventTypeTag::new($tag);
            type Key = OrderKey;
            type Algebra = $algebra;
            fn key(&self) -> OrderKey {
                OrderKey(self.order_id)
            }
            fn atomic_ordering(&self) -> EventAtomicOrdering {
                EventAtomicOrdering::$ordering
            }
        }
    };
}

shop_event!(OrderPlaced, 1, Idempotent, Acquire);
shop_event!(PaymentReceived, 2, Associative, Relaxed);
shop_event!(OrderShipped, 3, Idempotent, Release);

#[derive(Serialize, Deserialize)]
#[serde(tag = "event")]
enum Told {
    OrderPlaced(OrderPlaced),
    PaymentReceived(PaymentReceived),
    OrderShipped(OrderShipped),
}

pub async fn publish(client: Arc<IggyClient>, stream: &str) -> Result<()> {
    let publisher = Publisher::new(client, stream)?;
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        match serde_json::from_str(&line).with_context(|| format!("no event: {line}"))? {
            Told::OrderPlaced(event) => publisher.publish(event).await?,
            Told::PaymentReceived(event) => publisher.publish(event).await?,
            Told::OrderShipped(event) => publisher.publish(event).await?,
        }
    }
    Ok(())
}

/// Write what a handler was given.
#[derive(Clone)]
struct Tell(Arc<Mutex<BufWriter<File>>>);

impl Tell {
    fn all(&self, events: impl Iterator<Item = Told>) -> Result<(), HandleError> {
        let mut file = self.0.lock().expect("no handler panics");
        for event in events {
            serde_json::to_writer(&mut *file, &event).map_err(HandleError::unrecoverable)?;
            file.write_all(b"\n").map_err(HandleError::unrecoverable)?;
        }
        Ok(())
    }
}

macro_rules! tells {
    ($($event:ident),+) => {$(
        impl EventHandler<$event> for Tell {
            const MAX_BATCH: NonZeroUsize = NonZeroUsize::new(100).unwrap();
            async fn handle(&self, run: &[$event]) -> Result<(), HandleError> {
                self.all(run.iter().cloned().map(Told::$event))
            }
        }
    )+};
}

tells!(OrderPlaced, PaymentReceived, OrderShipped);

pub async fn consume(
    client: Arc<IggyClient>,
    stream: &str,
    consumer: &str,
    partitions: &[u32],
    file: &str,
) -> Result<()> {
    let tell = Tell(Arc::new(Mutex::new(BufWriter::new(File::create(file)?))));
    let runtime = IggyConsumerRegisterCenter::<_, OrderPlaced>::new(Arc::new(tell.clone()))
        .push::<_, PaymentReceived>(Arc::new(tell.clone()))
        .push::<_, OrderShipped>(Arc::new(tell.clone()))
        .start(
            client,
            ConsumerConfig::new(stream, consumer, partitions.to_vec()),
        )
        .await?;
    let mut lines = BufReader::new(stdin()).lines();
    while lines.next_line().await?.is_some() {}
    runtime.shutdown().await;
    tell.0.lock().expect("no handler panics").flush()?;
    Ok(())
}
