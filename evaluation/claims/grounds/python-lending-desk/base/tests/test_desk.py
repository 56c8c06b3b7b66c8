import pytest

from lending.desk import Desk, Refused


def test_the_last_copy_is_lent_once():
    desk = Desk({"Atlas": 1})
    desk.lend("mara", "Atlas")
    with pytest.raises(Refused):
        desk.lend("jonas", "Atlas")
