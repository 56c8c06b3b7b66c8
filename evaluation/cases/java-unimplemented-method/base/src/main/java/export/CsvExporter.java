package export;

import java.util.List;

public class CsvExporter implements Exporter {
    @Override
    public String export(List<String> rows) {
        return String.join("\n", rows);
    }
}
