package till;

public final class Drawer {
    private long cents;

    public synchronized void add(long amount) {
        cents += amount;
    }

    public synchronized long cents() {
        return cents;
    }
}
