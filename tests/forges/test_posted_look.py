"""What is posted, as a real renderer of markdown shows it: the boxes that the pictures are drawn from."""

import re

import pytest

from posted_picture import Box, page, posted, threads


@pytest.mark.parametrize("boxes", [posted(), threads()], ids=["posted", "threads"])
def test_what_is_posted_is_read_as_markdown_to_the_last_line(boxes: list[Box]) -> None:
    html = page(boxes)
    assert html.count("<details>") == html.count("</details>") == html.count("<summary>") > 0
    text = re.sub(r"<pre>.*?</pre>|<code>.*?</code>|<!--.*?-->|<style>.*?</style>", "", html, flags=re.DOTALL)
    visible = re.sub(r"<[^>]+>", "", text)
    assert "affidavit:" not in visible
    # A list, an emphasis, a fence or a heading that the renderer did not take for one.
    assert not re.search(r"^\s*(?:[-*] |#{1,6} |```)|\*\*", visible, re.MULTILINE), visible


def test_a_smaller_point_names_itself_so_that_it_can_be_dismissed() -> None:
    fold = posted()[0][1].partition("smaller point")[2].partition("</details>")[0]
    points = [line for line in fold.splitlines() if line.startswith("- ")]
    assert points
    assert all(re.search(r"`[0-9a-f]{16}`$", line) for line in points), points


def test_a_review_that_says_nothing_does_not_say_how_to_dismiss_it() -> None:
    clean = threads()[-1][1]
    assert "No problems found" in clean
    assert "/affidavit dismiss" not in clean
    assert "/affidavit dismiss" in posted()[0][1]
