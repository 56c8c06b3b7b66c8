mod command;

fn main() {
    for line in ["help", "quit", "   "] {
        println!("{:?}", command::parse(line));
    }
}
