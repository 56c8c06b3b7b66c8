package prices;

import java.util.HashMap;
import java.util.Map;

public final class PriceList {
    private final Map<String, Price> prices = new HashMap<>();

    public void put(Price price) {
        prices.put(price.article(), price);
    }

    public Price get(String article) {
        return prices.get(article);
    }
}
