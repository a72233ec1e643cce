//! A point in time as MessagePack's timestamp, extension type -1; as a number in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_bytes::ByteBuf;

const EXTENSION: i8 = -1;
const MICROS: i64 = 1_000_000;

/// Microseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

#[derive(Serialize, Deserialize)]
#[serde(rename = "_ExtStruct")]
struct Extension((i8, ByteBuf));

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_i64(self.0);
        }
        let seconds = self.0.div_euclid(MICROS);
        let nanoseconds = self.0.rem_euclid(MICROS) as u32 * 1_000;
        let mut bytes = Vec::with_capacity(12);
        bytes.extend_from_slice(&nanoseconds.to_be_bytes());
        bytes.extend_from_slice(&seconds.to_be_bytes());
        Extension((EXTENSION, ByteBuf::from(bytes))).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Ok(Self(i64::deserialize(deserializer)?));
        }
        let Extension((kind, bytes)) = Extension::deserialize(deserializer)?;
        if kind != EXTENSION {
            return Err(D::Error::custom("no timestamp"));
        }
        let (seconds, nanoseconds) = match bytes.len() {
            4 => (i64::from(u32::from_be_bytes(first(&bytes))), 0),
            8 => {
                let both = u64::from_be_bytes(first(&bytes));
                ((both & 0x3_ffff_ffff) as i64, (both >> 34) as u32)
            }
            12 => (
                i64::from_be_bytes(first(&bytes[4..])),
                u32::from_be_bytes(first(&bytes)),
            ),
            _ => return Err(D::Error::custom("no timestamp has this length")),
        };
        Ok(Self(seconds * MICROS + i64::from(nanoseconds / 1_000)))
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}
