package prices;

/** A price in cents. */
public record Price(String article, int cents) {}
