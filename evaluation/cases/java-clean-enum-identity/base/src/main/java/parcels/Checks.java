package parcels;

final class Checks {
    private Checks() {}

    static boolean isLarge(Parcel parcel) {
        return parcel.size().equals(Size.LARGE);
    }

    static boolean isLocal(Parcel parcel, String town) {
        return parcel.destination().equals(town);
    }
}
