package log;

import java.util.Date;

public record Entry(Date time, String text) {}
