/// How the courier behaves on the network.
pub struct Settings {
    wait: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { wait: 5 }
    }
}

impl Settings {
    /// The waiting time in seconds.
    pub fn wait(&self) -> u64 {
        self.wait
    }
}
