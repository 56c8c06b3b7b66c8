"""Hadolint: Dockerfiles that do not build are found, matters of taste are not."""

import pytest

from affidavit.analysers.hadolint import HADOLINT, ignored_codes
from outcomes import outcomes

PLANTED = """\
FROM debian:12
RUN apt-get update && apt-get install curl
COPY a b c
EXPOSE 80000
RUN rm -rf "$BUILD/"*
CMD ["one"]
CMD ["two"]
"""
HARMLESS = """\
FROM ubuntu:latest
RUN apt-get update && apt-get install -y curl
RUN cd /tmp && curl -s https://example.org/install | bash
ADD . /app
USER root
CMD run
"""


def test_planted_faults_are_found(case, ask):
    found = ask(HADOLINT, case({"x": ""}, {"Dockerfile": PLANTED}))
    assert {(finding["rule_id"], finding["line"]) for finding in found} == {
        ("hadolint/DL3014", 2),
        ("hadolint/DL3021", 3),
        ("hadolint/DL3011", 4),
        ("hadolint/SC2115", 5),
        ("hadolint/DL4003", 7),
    }


def test_matters_of_taste_draw_nothing(case, ask):
    assert ask(HADOLINT, case({"x": ""}, {"Dockerfile": HARMLESS})) == []


def test_a_file_that_does_not_parse_is_high(case, ask):
    found = ask(HADOLINT, case({"x": ""}, {"web/api.Dockerfile": "FROM debian:12\nRUNN echo\n"}))
    assert [(finding["rule_id"], finding["severity"]) for finding in found] == [("hadolint/DL1000", "high")]


def test_only_the_base_commits_configuration_counts(case, ask):
    configured = "# ours\nignored:\n  - DL3014 # asks nothing\n  - SC2115\ntrustedRegistries:\n  - DL3021\n"
    base = case({"x": "", ".hadolint.yaml": configured}, {"Dockerfile": PLANTED})
    assert ignored_codes(base.repository.base) == {"DL3014", "SC2115"}
    assert {finding["line"] for finding in ask(HADOLINT, base)} == {3, 4, 7}
    after = {
        "Dockerfile": "# hadolint global nothing\n" + PLANTED,
        ".hadolint.yaml": "ignored: [DL3014, DL3021, DL3011, SC2115, DL4003]\nformat: tty\n",
    }
    assert len(ask(HADOLINT, case({"Dockerfile": None, ".hadolint.yaml": None}, after))) == 5


@pytest.mark.parametrize(
    "text",
    [
        # docker/buildx 461836ba0fcb, Dockerfile:50.
        'FROM a:1\nCOPY --chmod=755 <<"EOF" /x\nhello there\nEOF\nRUN echo\n',
        # moby/moby b985e2313a86, Dockerfile.simple:43.
        "FROM a:1\nADD <<-EOT /x\nTypes: deb\nEOT\n",
        # moby/moby b985e2313a86, hack/dockerfiles/generate-files.Dockerfile:14.
        "FROM a:1\nRUN --mount=type=tmpfs,target=/x <<EOT\n  tar -x\nEOT\nWORKDIR /x\n",
        # moby/moby b985e2313a86, Dockerfile:117.
        "FROM a:1\nRUN --mount=from=b,src=/usr/src,rw make\n",
    ],
)
def test_what_only_docker_itself_can_parse_is_withheld(case, text):
    assert outcomes(HADOLINT, case({"x": ""}, {"Dockerfile": text})) == {"Dockerfile": "withheld"}


@pytest.mark.parametrize(
    "text",
    [
        "# syntax=docker/dockerfile:1\nFROM a:1\nRUNN echo\n",
        "FROM a:1\nRUNN echo\nCOPY <<EOF /x\nhello\nEOF\n",
    ],
)
def test_a_fault_before_a_here_document_is_found(case, ask, text):
    assert len(ask(HADOLINT, case({"x": ""}, {"Dockerfile": text}))) == 1


def test_the_list_of_ignored_files_is_no_dockerfile(case, ask):
    # aio-libs/aiohttp 495e778360d1, tools/testing/Dockerfile.dockerignore.
    assert ask(HADOLINT, case({"x": ""}, {"web/Dockerfile.dockerignore": "*.pyc\n!a\n"})) == []


USED = 'FROM python:3.13-slim\nCOPY app /app\nUSER app\nCMD ["app"]\n'


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (USED.replace("USER app\n", ""), 1),
        (USED.replace("USER app", "USER root"), 3),
        (USED.replace("USER app", "USER 0:0"), 3),
        ("FROM python:3.13-slim AS build\nUSER app\nFROM python:3.14-slim\nCOPY --from=build /app /app\n", 3),
    ],
)
def test_an_image_that_loses_its_user_runs_as_root(after, line, case, ask):
    (found,) = ask(HADOLINT, case({"Dockerfile": USED}, {"Dockerfile": after}))
    assert (found["rule_id"], found["severity"], found["line"]) == ("hadolint/lost-user", "medium", line)
    assert found["title"] == "Container runs as root now"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FROM debian:12\n", "FROM debian:13\nRUN true\n"),
        (USED, USED.replace("USER app", "USER other")),
        (
            USED,
            USED.replace("USER app\n", "").replace("python:3.13-slim", "gcr.io/distroless/python3:nonroot"),
        ),
        (USED, "FROM python:3.13-slim AS base\nUSER app\nFROM base\nCOPY app /app\n"),
        ("FROM a\nUSER root\n", "FROM a\n"),
    ],
)
def test_an_image_that_keeps_its_user_or_never_had_one_draws_nothing(before, after, case, ask):
    assert ask(HADOLINT, case({"Dockerfile": before}, {"Dockerfile": after})) == []


@pytest.mark.parametrize(
    "command",
    [
        "curl -fsSL http://get.example.org | sh",
        "apt-get update && \\\n    curl -s http://a.example/i.sh | bash -",
        'sh -c "$(wget -qO- http://a.example/i.sh)"',
    ],
)
def test_a_script_from_plain_http_is_found(command, case, ask):
    (found,) = ask(HADOLINT, case({"x": ""}, {"Dockerfile": f"FROM a:1\nRUN {command}\n"}))
    assert (found["rule_id"], found["severity"]) == ("hadolint/unencrypted-script", "high")
    assert found["line"] == 2 + command.count("\n")


@pytest.mark.parametrize(
    "command",
    [
        "curl -fsSL https://get.example.org | sh",
        "curl -f http://localhost:8080/health | sh",
        "curl http://a.example/data | grep sh",
        "echo 'curl http://a.example | sh'",
    ],
)
def test_other_downloads_draw_nothing(command, case, ask):
    assert ask(HADOLINT, case({"x": ""}, {"Dockerfile": f"FROM a:1\nRUN {command}\n"})) == []


def test_an_image_of_windows_draws_nothing(case, ask):
    # dotnet/dotnet-docker 3ed00b611cc8, samples/aspnetapp/Dockerfile.windowsservercore-iis:7.
    files = {
        "Dockerfile": "# escape=`\nFROM a:1\nRUN powershell -Command `\n  if ($x) { `\n    exit 1 `\n  }\n",
    }
    assert ask(HADOLINT, case({"x": ""}, files)) == []
