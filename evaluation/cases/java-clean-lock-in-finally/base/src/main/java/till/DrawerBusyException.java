package till;

public final class DrawerBusyException extends RuntimeException {
    public DrawerBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
