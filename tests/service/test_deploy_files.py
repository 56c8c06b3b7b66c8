"""The files to run the service with: they are well formed, and name only what there is."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from affidavit.cli.serve import command as serve
from affidavit.cli.worker import command as worker
from affidavit.service.telemetry.metrics import REGISTRY

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
        re.findall(r'(?<=[" ])--(?:host|port|data|no-work|drain-seconds|database)\b', file.read_text())
    )
    assert named <= known


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    text = json.dumps(json.loads((DEPLOY / "grafana.json").read_text()))
    made = {metric.name for metric in REGISTRY.collect()}
    asked = {re.sub(r"_(total|bucket)$", "", name) for name in re.findall(r"affidavit_\w+", text)}
    assert asked <= made
