#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Quit,
    Nothing,
    Unknown(String),
}

pub fn parse(line: &str) -> Command {
    match line.trim() {
        "" => Command::Nothing,
        "help" => Command::Help,
        "quit" => Command::Quit,
        other => Command::Unknown(other.to_string()),
    }
}
