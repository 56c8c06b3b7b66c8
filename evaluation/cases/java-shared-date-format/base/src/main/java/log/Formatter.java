package log;

import java.text.SimpleDateFormat;

public final class Formatter {
    private Formatter() {}

    public static String format(Entry entry) {
        SimpleDateFormat pattern = new SimpleDateFormat("yyyy-MM-dd HH:mm:ss");
        return pattern.format(entry.time()) + " " + entry.text();
    }
}
