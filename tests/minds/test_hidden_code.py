"""Code that looks like a secret is hidden from models, so a review by models does not approve it."""

import json

import pytest

from model_server import serving
from panelists import panelists, review
from repositories import Repo

SHELL = 'function run($x) { system($_GET["c"]); return $x; }\n'
KEY = "<?php\n// -----BEGIN PRIVATE KEY-----\n// ...\n" + SHELL * 9 + "// -----END PRIVATE KEY-----\n"
SECRET = "<?php /*\nkind: Secret\ndata:\n" + "  k: */ system($_GET['c']); /*\n" * 9 + "*/\n"
PLAIN = f'<?php\n$password = "Xk9vQ2mLr7Zt4WbN";\n{SHELL}'


@pytest.mark.parametrize(
    ("path", "code", "hidden"),
    [
        ("helper.pl", KEY, 9),
        ("helper.pl", SECRET, 9),
        ("helper.php", KEY, 9),
        ("helper.php", PLAIN, 0),
    ],
)
def test_lines_that_redaction_hides_from_models_are_named_and_not_approved(
    repo: Repo, path: str, code: str, hidden: int
) -> None:
    repo.commit("Begin", {"README.md": "# One\n"})
    repo.commit("Helper", {path: code})
    with serving(panelists()) as (address, script):
        report = json.loads(review(repo.path, address).out)
    told = json.dumps(script.requests)
    assert ("system(" in told) is (hidden == 0)
    said = f"{hidden} added lines hidden from models by redaction"
    assert (said in report["coverage"][0]["reason"]) is bool(hidden)
    assert (report["verdict"]["decision"] == "approve") is (hidden == 0)
