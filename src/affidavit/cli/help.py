"""Show the common options of a long command with `--help`, and all of them with `--help-all`."""

from collections.abc import Iterator, Sequence

import click

from affidavit.config.readers import ROLES

ROLE_OPTIONS = ("model", "max_tokens", "base_url")
SECTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Change": (
        ("staged", "repo", "title", "description", "include", "exclude"),
        ("work_tree", "allow_alternates", "allow_filters", "discussion"),
    ),
    "Findings": (
        (
            *("fail_on", "severity_threshold", "focus", "include_style", "nits", "verbose"),
            *("show_withheld", "analysers_off", "rules_off", "allow_linters"),
        ),
        ("fold", "whole", "analyser_timeout_seconds", "typescript_server", "language_servers"),
    ),
    "Models": (
        ("model", "effort", "base_url", "budget_usd", "estimate", "what_leaves", "resume"),
        (
            *("budget_tokens", "prices_usd_per_million", "model_timeout_seconds"),
            *("record", "replay", "dependencies", "mcp_servers", "prompts", "prompt_version"),
            *(f"{role}_{what}" for role in ROLES for what in ROLE_OPTIONS),
        ),
    ),
    "Programs": (
        ("run", "environments"),
        ("run_seconds", "run_at_once"),
    ),
    "Earlier reviews": (("previous", "series", "all"), ("max_iterations",)),
    "Posting": (("post",), ("may_approve", "may_block")),
    "Output": (("formats", "output", "quiet"), ("events",)),
    "Settings and storage": (("config", "data", "database", "no_store", "no_cache"), ()),
}
"""The common and the rare parameters of each heading; all others are listed under Options."""
_ALL = "affidavit.help_all"


def sections(
    options: Sequence[click.Parameter], *, with_rare: bool
) -> Iterator[tuple[str, list[click.Parameter]]]:
    """Group options under their headings; empty groups are left out."""
    known: set[str] = set()
    for heading, (everyday, rare) in SECTIONS.items():
        known.update(everyday, rare)
        names = everyday + rare * with_rare
        if own := [one for one in options if one.name in names]:
            yield heading, own
    if others := [one for one in options if one.name not in known]:
        yield "Options", others


class LongCommand(click.Command):
    """A command with too many options for one screen."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        for heading, own in sections(options, with_rare=_ALL in ctx.meta):
            with formatter.section(heading):
                formatter.write_dl([row for one in own if (row := one.get_help_record(ctx))])


def _show_all(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every option and exit.",
)
