"""The one file that an import means: how a language looks for it in, a resolver that looks once out."""

from collections.abc import Callable, Iterable

from affidavit.languages.engine.language import Meant, Resolve, Statement
from affidavit.languages.engine.tree_files import parent

COMPUTED = "computed"
"""The form of an import whose path is put together at run time: nobody can say what it means."""


def one_file(find: Callable[[str, Statement], str | None]) -> Resolve:
    """Resolve imports of a folder by name and form; `find` is given the importing file and the statement."""
    found: dict[tuple[str, str, str], tuple[str, ...]] = {}

    def meant(path: str, statement: Statement) -> Iterable[Meant]:
        key = (parent(path), statement.name, statement.form)
        if key not in found:
            file = None if statement.form == COMPUTED else find(path, statement)
            found[key] = (file,) if file else ()
        return (Meant(found[key], statement.names),)

    return meant
