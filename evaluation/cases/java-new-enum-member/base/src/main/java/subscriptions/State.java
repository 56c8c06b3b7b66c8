package subscriptions;

public enum State {
    ACTIVE,
    CANCELLED
}
