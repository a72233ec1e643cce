//! How fast the published crate publishes and consumes, beside which the package in Python is measured.

use crate::trace::{Plain, plain};
use anyhow::Result;
use iggy::prelude::IggyClient;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wakuwaku_iggy::error::HandleError;
use wakuwaku_iggy::{ConsumerConfig, EventHandler, IggyConsumerRegisterCenter, Publisher};

/// Publish events in one call, each of another key.
pub async fn publish(client: Arc<IggyClient>, stream: &str, count: u64) -> Result<()> {
    let publisher = Publisher::new(client, stream)?;
    let start = Instant::now();
    publisher.publish_batch((0..count).map(plain)).await?;
    println!("{}", start.elapsed().as_secs_f64());
    Ok(())
}

struct Count(AtomicUsize);

impl EventHandler<Plain> for Count {
    const MAX_BATCH: NonZeroUsize = NonZeroUsize::MAX;
    async fn handle(&self, run: &[Plain]) -> Result<(), HandleError> {
        self.0.fetch_add(run.len(), Ordering::Relaxed);
        Ok(())
    }
}

/// Consume with a handler that does nothing but count, until it was given this many events.
pub async fn consume(client: Arc<IggyClient>, config: ConsumerConfig, count: usize) -> Result<()> {
    let handler = Arc::new(Count(AtomicUsize::new(0)));
    let start = Instant::now();
    let runtime = IggyConsumerRegisterCenter::<_, Plain>::new(handler.clone())
        .start(client, config)
        .await?;
    while handler.0.load(Ordering::Relaxed) < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let seconds = start.elapsed().as_secs_f64();
    runtime.shutdown().await;
    println!("{seconds}");
    Ok(())
}
