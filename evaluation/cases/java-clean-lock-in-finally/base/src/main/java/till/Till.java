package till;

public final class Till {
    private final Drawer drawer;

    public Till(Drawer drawer) {
        this.drawer = drawer;
    }

    public void sell(long cents) {
        drawer.add(cents);
    }
}
