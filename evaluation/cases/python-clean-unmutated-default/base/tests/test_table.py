from tables.table import render


def test_a_row_becomes_a_line():
    assert render([{"name": "Lamp", "price": "19"}]) == ["Lamp | 19"]
