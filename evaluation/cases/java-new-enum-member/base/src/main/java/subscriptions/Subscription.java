package subscriptions;

public final class Subscription {
    private State state = State.ACTIVE;

    public State state() {
        return state;
    }

    public void cancel() {
        state = State.CANCELLED;
    }
}
