import pytest

from bank.account import Account


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "x", ""])
def test_what_is_no_positive_amount_is_refused(text):
    with pytest.raises(ValueError):
        Account().receive(text)
