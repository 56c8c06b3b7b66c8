use crate::book::Book;

pub fn rows(books: &[Book]) -> Vec<String> {
    books.iter().map(|book| format!("{} ({})", book.title, book.year)).collect()
}
