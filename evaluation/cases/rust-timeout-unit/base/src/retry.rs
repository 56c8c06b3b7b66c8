use std::time::Duration;

use crate::settings::Settings;

/// The pause before an attempt.
pub fn pause(settings: &Settings, attempt: u32) -> Duration {
    Duration::from_secs(settings.wait()) * attempt
}
