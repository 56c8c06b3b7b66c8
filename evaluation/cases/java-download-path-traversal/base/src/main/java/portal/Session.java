package portal;

public record Session(String customer) {}
