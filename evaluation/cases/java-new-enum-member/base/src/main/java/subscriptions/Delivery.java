package subscriptions;

import java.util.List;

public final class Delivery {
    private Delivery() {}

    public static List<Subscription> due(List<Subscription> all) {
        return all.stream().filter(one -> one.state() == State.ACTIVE).toList();
    }
}
