from exports.daily import articles


def test_the_articles_are_read():
    assert articles(b'{"articles": [1, 2]}') == [1, 2]
