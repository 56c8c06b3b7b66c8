"""The files to run the service with: they are well formed, and name only what there is."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from affidavit.service.api.guard import OwnHosts
from affidavit.service.commands.serve import command as serve
from affidavit.service.commands.worker import command as worker
from affidavit.service.metrics import REGISTRY

DEPLOY = Path(__file__).parents[2] / "deploy"
BESIDE = Path(sys.executable).parent


@pytest.mark.parametrize("file", sorted(DEPLOY.glob("*.yaml")), ids=lambda file: file.name)
def test_yaml_is_well_formed(file: Path) -> None:
    rules = "{extends: default, rules: {line-length: {max: 120}, braces: disable}}"
    done = subprocess.run(
        [BESIDE / "yamllint", "--strict", "-d", rules, file], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_image_is_well_formed() -> None:
    done = subprocess.run(
        [BESIDE / "hadolint", DEPLOY.parent / "Dockerfile"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", sorted(DEPLOY.iterdir()), ids=lambda file: file.name)
def test_every_option_that_is_named_is_there(file: Path) -> None:
    known = {
        name
        for one in (serve, worker)
        for option in one.params
        for name in (*option.opts, *option.secondary_opts)
    }
    named = set(
        re.findall(
            r'(?<=[" ])--(?:host|port|data|no-work|drain-seconds|database|metrics-host|metrics-port)\b',
            file.read_text(),
        )
    )
    assert named <= known


def test_what_prometheus_scrapes_is_a_name_that_servers_answer_to() -> None:
    scraped = re.search(r'targets: \["([a-z]+):8000"\]', (DEPLOY / "prometheus.yaml").read_text())
    assert scraped is not None
    for name in ("compose.yaml", "kubernetes.yaml"):
        allowed = re.findall(r"AFFIDAVIT_ALLOWED_HOSTS\W.*", (DEPLOY / name).read_text())
        hosts = OwnHosts(re.findall(r"[a-z]+", " ".join(allowed)), is_loopback=False)
        assert hosts.has(f"{scraped[1]}:8000"), name


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    text = json.dumps(json.loads((DEPLOY / "grafana.json").read_text()))
    made = {metric.name for metric in REGISTRY.collect()}
    asked = {re.sub(r"_(total|bucket)$", "", name) for name in re.findall(r"affidavit_\w+", text)}
    assert asked <= made


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return found


def test_what_is_mounted_into_the_image_belongs_to_whom_it_runs_as() -> None:
    image = (DEPLOY.parent / "Dockerfile").read_text()
    user = re.search(r"^USER (\d+)$", image, re.MULTILINE)
    assert user is not None
    for name in ("server", "worker"):
        for mounted in services()[name]["volumes"]:
            owner = f"--owner {user[1]} --group {user[1]} --mode 0700"
            made = rf"install --directory {owner} {mounted.split(':')[1]}$"
            assert re.search(made, image, re.MULTILINE), mounted


def test_every_secret_of_the_documents_reaches_what_needs_it_and_is_unset_by_itself() -> None:
    table = (DEPLOY.parent / "docs" / "operations.md").read_text().split("\n## ")[1]
    secret = r"AFFIDAVIT_\w*(?:TOKEN|SECRET|TENANT|COMMAND)"
    told = set(re.findall(f"`({secret})`", table))
    assert len(told) == 6
    for name in ("server", "worker"):
        given = services()[name]["environment"]
        assert {one: given[one] for one in given if re.fullmatch(secret, one)} == dict.fromkeys(told)


def test_whatever_ends_by_itself_is_started_again() -> None:
    assert {one.get("restart") for one in services().values()} == {"unless-stopped"}
