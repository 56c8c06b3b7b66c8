package parcels;

public record Parcel(Size size, String destination) {}
