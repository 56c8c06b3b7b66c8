"""Kingfisher: passwords, tokens and private keys in the lines that the change adds; nothing is tried out."""

import json
import re
from collections.abc import Sequence
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection, Invocation
from affidavit.analysers.reading import Canary
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

PREFIX = "betterleaks."
# Tokens with a shape of their own. The many rules that guess from a nearby word are left out: they are wrong
# too often, and compiling all of them takes eight seconds.
TOKENS = (
    "airtable-personnal-access-token anthropic-admin-api-key anthropic-api-key artifactory-api-key"
    " atlassian-api-token aws-access-token azure-ad-client-secret azure-storage-account-key"
    " buildkite-user-access-token clojars-api-token cloudflare-origin-ca-key crates-io-api-key"
    " databricks-api-token digitalocean-access-token digitalocean-pat dockerhub-organization-access-token"
    " dockerhub-personal-access-token doppler-api-token dynatrace-api-token figma-personal-access-token"
    " flyio-access-token gcp-service-account github-app-token github-fine-grained-pat github-oauth"
    " github-pat github-refresh-token gitlab-deploy-token gitlab-pat gitlab-pat-routable gitlab-ptt"
    " gitlab-rrt gitlab-runner-authentication-token grafana-cloud-api-token grafana-service-account-token"
    " groq-api-key hashicorp-tf-api-token heroku-api-key-v2 huggingface-access-token linear-api-key"
    " mailgun-private-api-token netlify-access-token new-relic-user-api-key notion-api-token npm-access-token"
    " openai-api-key openrouter-api-key perplexity-api-key planetscale-api-token planetscale-password"
    " posthog-personal-api-key postman-api-token pulumi-api-token pypi-upload-token replicate-api-token"
    " rubygems-api-token sendgrid-api-token sendinblue-api-token sentry-org-token sentry-user-token"
    " shopify-access-token shopify-private-app-access-token shopify-shared-secret slack-app-token"
    " slack-bot-token slack-user-token slack-webhook-url snyk-api-token square-access-token"
    " stripe-access-token supabase-management-token telegram-bot-api-token twilio-api-key vault-service-token"
    " vercel-personal-access-token xai-api-key"
)
CANARY_ID = "affidavit.canary"
CANARY_RULES = "canary.yml"
CANARY_LINE = b"affidavit_canary_5d3a91c7"
CANARY_RULE = b"""\
rules:
  - name: Read to its end
    id: affidavit.canary
    pattern: '\\b(affidavit_canary_[0-9a-f]{8})\\b'
    min_entropy: 0.0
    confidence: high
    examples: ["affidavit_canary_5d3a91c7"]
"""
EXAMPLE = re.compile(
    r"example|sample|dummy|fake|placeholder|changeme|redacted|xxxx|12345678|abcdef|0{6}|test",
    re.IGNORECASE,
)
EXAMPLE_PLACE = re.compile(
    r"(^|/)(docs?|examples?|samples?|cassettes|mocks?|snapshots)/|\.(md|rst|adoc|mdx)$"
)

_leaked = RuleMaker("kingfisher", category=Category.SECURITY)
KINGFISHER_RULES: tuple[Rule, ...] = (
    *_leaked(
        TOKENS,
        "A secret stands in the code",
        "Everybody who can read the repository, now or later, can use it.",
        "Revoke it now, since the history keeps it, and take the new one from the environment.",
        severity=Severity.CRITICAL,
        in_tests=False,
        failing_input="Anybody who reads {file} at this commit.",
    ),
    *_leaked(
        "private-key age-secret-key",
        "A private key stands in the code",
        "Everybody who can read the repository, now or later, can act as its owner.",
        "Replace the key now, since the history keeps it, and keep the new one outside the repository.",
        severity=Severity.HIGH,
        in_tests=False,
        failing_input="Anybody who reads {file} at this commit.",
    ),
)
NAMES = tuple(rule.id.removeprefix("kingfisher/") for rule in KINGFISHER_RULES)


def invoke_kingfisher(_base: Tree, _paths: Sequence[str]) -> Invocation:
    """Our rules only, no network, no history, no archives; the secrets themselves are not printed."""
    return Invocation(
        (
            "scan",
            "--no-validate",
            "--no-update-check",
            "--no-rule-cache",
            "--no-extract-archives",
            "--git-history=none",
            "--no-dedup",
            # A change that brings a secret must not excuse it.
            "--no-ignore",
            "--redact",
            "--quiet",
            "--jobs=1",
            "--format=json",
            f"--rules-path=../{CANARY_RULES}",
            f"--rule={CANARY_ID}",
            *(f"--rule={PREFIX}{name}" for name in NAMES),
            ".",
        ),
        outside={CANARY_RULES: CANARY_RULE},
    )


def read_kingfisher(text: str) -> list[AnalyserDiagnostic]:
    """The findings of kingfisher's JSON, without what was found."""
    return [_diagnostic(row["rule"], row["finding"]) for row in json.loads(text)["findings"]]


def _diagnostic(rule: Any, found: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"kingfisher/{rule['id'].removeprefix(PREFIX)}",
        message=rule["description"],
        path=found["path"],
        line=found["line"],
        column=found["column_start"] + 1,
    )


def judge_kingfisher(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a secret is no finding: the change did not add it, or it is an example."""
    file = inspection.change.file_at(diagnostic.path)
    if file is None or diagnostic.line not in file.changed_lines("head"):
        return "the line was there before the change"
    if EXAMPLE_PLACE.search(diagnostic.path):
        return "the file holds examples"
    lines = inspection.repository.head.lines(diagnostic.path) or []
    shown = lines[diagnostic.line - 1 : diagnostic.line + 1]
    is_example = any(EXAMPLE.search(line[(diagnostic.column or 1) - 1 :]) for line in shown)
    return "the value says that it is an example" if is_example else None


KINGFISHER = Analyser(
    name="kingfisher",
    executable="kingfisher",
    patterns=("*",),
    scope="file",
    invoke=invoke_kingfisher,
    read_output=read_kingfisher,
    rules={rule.id: rule for rule in KINGFISHER_RULES},
    elsewhere="take it from https://github.com/mongodb/kingfisher/releases",
    subject="passwords, tokens and private keys in added lines",
    languages=("any text",),
    version_tried="2.14.0",
    distribution="kingfisher-bin",
    judge=judge_kingfisher,
    # 200: something was found.
    accepted_exit_codes=frozenset({0, 200}),
    looks_for="secrets",
    canary=Canary(f"kingfisher/{CANARY_ID}", CANARY_LINE),
)
