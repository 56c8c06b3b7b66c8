use std::time::Duration;

use crate::settings::Settings;

/// How long a connection may stay silent.
pub fn timeout(settings: &Settings) -> Duration {
    Duration::from_secs(settings.wait())
}
