package export;

import java.util.List;

public class ListExporter implements Exporter {
    @Override
    public String export(List<String> rows) {
        return "<ul><li>" + String.join("</li><li>", rows) + "</li></ul>";
    }
}
