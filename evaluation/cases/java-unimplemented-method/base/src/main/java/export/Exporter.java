package export;

import java.util.List;

/** Writes rows in one format. */
public interface Exporter {
    String export(List<String> rows);
}
