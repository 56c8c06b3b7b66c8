pub struct Book {
    pub title: String,
    pub year: u16,
}

impl Book {
    pub fn new(title: &str, year: u16) -> Self {
        Book { title: title.to_string(), year }
    }
}
