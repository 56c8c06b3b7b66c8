package portal;

import java.io.IOException;
import java.util.List;

public final class InvoicePage {
    private final InvoiceFolder folder;

    public InvoicePage(InvoiceFolder folder) {
        this.folder = folder;
    }

    public List<String> list(Session session) throws IOException {
        return folder.names(session);
    }
}
