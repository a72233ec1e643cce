//! Shares topics of an Iggy server with programs in Python: publishes what it reads, tells what its handlers were given.

mod body;
mod measure;
mod shop;
mod timestamp;
mod trace;

use anyhow::{Context, Result, bail};
use iggy::prelude::{Client, IggyClient};
use std::sync::Arc;
use wakuwaku_iggy::ConsumerConfig;

const USAGE: &str = "usage: peer URL STREAM COMMAND, with one of
  shop-publish                                  events of the shop, one JSON object a line of the input
  shop-consume CONSUMER PARTITIONS FILE         until the end of the input; what handlers got goes to the file
  trace-publish                                 lines of the input: TYPE ORDERING CUSTOMER NUMBER VALUE, or flush
  trace-consume CONSUMER PARTITIONS FILE        until the end of the input; what handlers got goes to the file
  measure-publish COUNT                         events, each of another key; prints the seconds
  measure-consume CONSUMER PARTITIONS COUNT POLL_COUNT
                                                with handlers that do nothing; prints the seconds";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, stream, command, rest @ ..] = arguments.as_slice() else {
        bail!(USAGE);
    };
    let client = Arc::new(IggyClient::from_connection_string(url)?);
    client.connect().await.context("no server answers")?;
    match (command.as_str(), rest) {
        ("shop-publish", []) => shop::publish(client, stream).await,
        ("shop-consume", [consumer, partitions, file]) => {
            shop::consume(client, stream, consumer, &ids(partitions)?, file).await
        }
        ("trace-publish", []) => trace::publish(client, stream).await,
        ("trace-consume", [consumer, partitions, file]) => {
            trace::consume(client, stream, consumer, &ids(partitions)?, file).await
        }
        ("measure-publish", [count]) => measure::publish(client, stream, count.parse()?).await,
        ("measure-consume", [consumer, partitions, count, poll_count]) => {
            let mut config = ConsumerConfig::new(stream, consumer, ids(partitions)?);
            config.poll_count = poll_count.parse()?;
            measure::consume(client, config, count.parse()?).await
        }
        _ => bail!(USAGE),
    }
}

/// Partition ids, separated by commas.
fn ids(text: &str) -> Result<Vec<u32>> {
    text.split(',')
        .map(|id| {
            id.parse()
                .context("partitions are numbers, separated by commas")
        })
        .collect()
}
