"""A finding says nothing twice: neither its message after its title, nor its claim after its message."""

import pytest

from affidavit.render.formats import render
from reports import a_candidate, a_finding, a_report, a_verification

SAID = "The total is read before it is known"


@pytest.mark.parametrize("name", ["terminal", "markdown"])
@pytest.mark.parametrize("field", ["message", "failing_input", "wrong_outcome"])
def test_what_the_title_says_is_not_said_again(name: str, field: str) -> None:
    again = f"{SAID.lower()}."
    said = {"message": again} if field == "message" else {"verification": a_verification(**{field: again})}
    finding = a_finding(**{"title": SAID, "message": "Nothing is like it.", **said})
    assert again not in render(a_report(a_candidate(finding=finding)), name)
