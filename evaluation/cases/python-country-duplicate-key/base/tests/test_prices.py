from shipping.prices import parcel_cents


def test_a_parcel_within_the_country_is_cheap():
    assert parcel_cents("DE") == 490
