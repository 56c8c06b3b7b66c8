package portal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Invoices are kept in one folder for each customer. */
public final class InvoiceFolder {
    private final Path root;

    public InvoiceFolder(Path root) {
        this.root = root;
    }

    public List<String> names(Session session) throws IOException {
        try (var files = Files.list(root.resolve(session.customer()))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
