package subscriptions;

public final class MonthlyBill {
    private MonthlyBill() {}

    /** What a subscription costs this month, in cents. */
    public static int cents(Subscription subscription, int price) {
        switch (subscription.state()) {
            case ACTIVE:
                return price;
            case CANCELLED:
                return 0;
            default:
                throw new IllegalStateException("unknown state " + subscription.state());
        }
    }
}
