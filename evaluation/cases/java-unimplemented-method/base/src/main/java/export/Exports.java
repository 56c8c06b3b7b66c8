package export;

import java.util.List;

public final class Exports {
    private Exports() {}

    public static String describe(Exporter exporter, List<String> rows) {
        String name = exporter.getClass().getSimpleName();
        return name + ": " + exporter.export(rows).length() + " characters";
    }
}
