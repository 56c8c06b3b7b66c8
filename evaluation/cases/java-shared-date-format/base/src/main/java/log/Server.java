package log;

import java.util.Date;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class Server {
    private final ExecutorService workers = Executors.newFixedThreadPool(8);

    public void accept(String text) {
        workers.submit(() -> System.out.println(Formatter.format(new Entry(new Date(), text))));
    }
}
