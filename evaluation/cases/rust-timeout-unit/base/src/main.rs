mod retry;
mod settings;
mod socket;

fn main() {
    let settings = settings::Settings::default();
    println!("pause {:?}", retry::pause(&settings, 1));
    println!("timeout {:?}", socket::timeout(&settings));
}
