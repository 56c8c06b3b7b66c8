mod book;
mod table;

fn main() {
    let books = [book::Book::new("Größenwahn und Mäßigung", 1998)];
    for row in table::rows(&books) {
        println!("{row}");
    }
}
