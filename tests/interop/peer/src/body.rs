//! Bodies of events as MessagePack maps by field name, as the codecs in Python write and read them.

/// Give a type with serde's traits the traits of an event body.
#[macro_export]
macro_rules! message_pack_body {
    ($($body:ty),+ $(,)?) => {$(
        impl kanau::message::MessageSer for $body {
            type SerError = anyhow::Error;
            fn to_bytes(self) -> Result<Box<[u8]>, anyhow::Error> {
                Ok(rmp_serde::to_vec_named(&self)?.into())
            }
        }

        impl kanau::message::MessageDe for $body {
            type DeError = anyhow::Error;
            fn from_bytes(bytes: &[u8]) -> Result<Self, anyhow::Error> {
                Ok(rmp_serde::from_slice(bytes)?)
            }
        }

        impl wakuwaku_iggy::EventBody for $body {}
    )+};
}
