"""A change as it may leave: its hunks are cut from files that were redacted whole."""

from affidavit.diff.redacted import redact_change
from affidavit.records.change import Change, Comment
from affidavit.stages.intake import ChangeRequest, open_change
from repositories import Repo

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
BODY = [f"{number:02}bXk5QWJjRGVmR2hpSktsbW5PcFFyU3RVdld4WVox" for number in range(26)]
"""Lines shorter than encoders make them: by itself none of them is known for a part of a key."""
KEY = ["-----BEGIN RSA PRIVATE " + "KEY-----", *BODY, "-----END RSA PRIVATE " + "KEY-----"]


def leaving(repo: Repo, **fields: object) -> Change:
    with open_change(ChangeRequest("HEAD", repo=repo.path)) as opened:
        return redact_change(opened.change.model_copy(update=fields), opened.repository)


def lines_of(change: Change) -> list[str]:
    return [line for file in change.files for hunk in file.hunks for line in hunk.lines]


def test_a_key_that_begins_above_the_hunk_does_not_leave(repo: Repo) -> None:
    repo.commit("base", {"key.pem": "\n".join([*KEY, ""])})
    changed = [*KEY[:14], "00" + BODY[13][2:], *KEY[15:], ""]
    repo.commit("head", {"key.pem": "\n".join(changed)})
    shown = lines_of(leaving(repo))
    assert len(shown) == 8
    assert all(line[1:].startswith("REDACTED_private_key_") for line in shown)
    assert len({line[1:] for line in shown if line[0] != " "}) == 2


def test_both_sides_of_a_hunk_are_redacted(repo: Repo) -> None:
    repo.commit("base", {"app.py": f'a = 1\nTOKEN = "{TOKEN}"\nb = 2\n'})
    repo.commit("head", {"app.py": f'a = 1\nTOKEN = "{TOKEN[::-1]}"\nOTHER = "{TOKEN}"\nb = 2\n'})
    shown = lines_of(leaving(repo))
    assert not [line for line in shown if TOKEN in line]
    assert '-TOKEN = "REDACTED_token_1"' in shown
    assert '+TOKEN = "REDACTED_secret_1"' in shown
    assert '+OTHER = "REDACTED_token_1"' in shown


def test_the_heading_of_a_hunk_is_no_way_out(repo: Repo) -> None:
    lines = [f"def send(a, b, c, token='{TOKEN}'):", *(f"    a{n} = {n}" for n in range(30))]
    repo.commit("base", {"app.py": "\n".join([*lines, ""])})
    repo.commit("head", {"app.py": "\n".join([*lines[:-1], "    last = 1", ""])})
    (file,) = leaving(repo).files
    assert file.hunks[0].heading == "def send(a, b, c, token='REDACTED_token_1'):"


def test_carriage_returns_and_a_byte_order_mark_stay(repo: Repo) -> None:
    repo.commit("base", {"app.py": "x\r\n"})
    repo.commit("head", {"app.py": f"\ufeffKEY='{TOKEN}'\r\nx\r\n"})
    shown = lines_of(leaving(repo))
    assert shown[0] == "+KEY='REDACTED_token_1'\r"
    assert shown[1] == " x\r"


def test_what_people_wrote_about_the_change_is_redacted(repo: Repo) -> None:
    repo.commit("base", {"app.py": "x = 1\n"})
    repo.commit(f"Use {TOKEN}", {f"keys/{TOKEN}.txt": "x\n"})
    comment = Comment(author="Ada", body=f"is {TOKEN} real?", file=f"keys/{TOKEN}.txt")
    change = leaving(repo, description=f"with {TOKEN}", discussion=(comment,))
    assert TOKEN not in change.model_dump_json()
    assert change.commits[0].subject == "Use REDACTED_token_0"
    assert change.discussion[0].file == change.files[0].path == "keys/REDACTED_token_0.txt"


def test_a_diff_without_its_repository_is_redacted(repo: Repo) -> None:
    diff = f"--- a/app.py\n+++ b/app.py\n@@ -10,1 +10,2 @@\n a = 1\n+T = '{TOKEN}'\n"
    with open_change(ChangeRequest("-", diff_text=diff.encode())) as opened:
        change = redact_change(opened.change, opened.repository)
    assert lines_of(change) == [" a = 1", "+T = 'REDACTED_token_1'"]


def test_a_change_without_secrets_stays_as_it_is(repo: Repo) -> None:
    repo.commit("base", {"app.py": "def f():\n    a = 1\n" + "    b = 2\n" * 20, "logo.png": b"\x89PNG\0"})
    repo.commit("Head\n\nBody", {"app.py": "def f():\n    a = 1\n" + "    b = 2\n" * 21, "logo.png": b"\0\1"})
    with open_change(ChangeRequest("HEAD", repo=repo.path)) as opened:
        assert redact_change(opened.change, opened.repository) == opened.change
