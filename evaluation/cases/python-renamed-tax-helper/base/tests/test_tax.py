from billing.tax import with_vat


def test_the_reduced_rate_is_seven_percent():
    assert with_vat(100, "reduced") == 107
