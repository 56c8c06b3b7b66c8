"""`affidavit completion`: print what makes a shell complete commands and options."""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_AFFIDAVIT_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash: affidavit completion bash > ~/.local/share/bash-completion/completions/affidavit
    zsh:  affidavit completion zsh > "${fpath[1]}/_affidavit"
    fish: affidavit completion fish > ~/.config/fish/completions/affidavit.fish
    """
    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(context.find_root().command, {}, "affidavit", VARIABLE).source())
