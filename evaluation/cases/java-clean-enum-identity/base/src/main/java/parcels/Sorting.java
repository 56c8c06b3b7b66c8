package parcels;

public final class Sorting {
    private Sorting() {}

    public static String chute(Parcel parcel, String town) {
        if (Checks.isLarge(parcel)) {
            return "floor";
        }
        return Checks.isLocal(parcel, town) ? "local" : "outbound";
    }
}
