from tickets.views import open_tickets


def test_closed_tickets_are_not_listed():
    assert open_tickets([{"state": "closed"}, {"state": "open"}]) == [{"state": "open"}]
