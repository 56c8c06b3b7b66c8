package parcels;

public enum Size {
    SMALL,
    LARGE
}
