"""PHP: which file of the repository a class name or an included path means."""

from collections.abc import Iterator, Mapping

from affidavit.languages.engine.language import Extract, Resolve, Statement
from affidavit.languages.engine.one_file import one_file
from affidavit.languages.engine.settings_files import read_json, table, texts
from affidavit.languages.engine.tree_files import TreeFiles, join, nearest, parent, upwards
from affidavit.languages.php.imports import INCLUDES_FROM


def php_resolver(files: TreeFiles, extracts: Mapping[str, Extract]) -> Resolve:
    """Resolve statements of PHP files."""
    return one_file(PhpClasses(files, extracts).find)


class PhpClasses:
    """The classes of a tree: by the autoload rules of composer.json, else by what files declare."""

    def __init__(self, files: TreeFiles, extracts: Mapping[str, Extract]) -> None:
        self._files = files
        self._folders_of_prefix: dict[str, list[str]] = {}
        for path, text in files.configurations("composer.json").items():
            for prefix, folder in _psr4(parent(path), text):
                self._folders_of_prefix.setdefault(prefix, []).append(folder)
        self._declared: dict[str, list[str]] = {}
        for path in sorted(extracts):
            for name in extracts[path].declares:
                self._declared.setdefault(name.lower(), []).append(path)

    def find(self, path: str, statement: Statement) -> str | None:
        """The one file that declares a class or is included."""
        if statement.form == "use":
            return self._autoloaded(statement.name) or nearest(
                path, self._declared.get(statement.name.lower(), ())
            )
        if not statement.form.startswith(INCLUDES_FROM):
            return None
        written = statement.form.removeprefix(INCLUDES_FROM)
        beside = join(parent(path), written)
        if written.startswith("."):
            return self._files.first((beside,))
        # PHP looks along its include path; entry scripts usually stand in a folder around the file.
        return self._files.first(join(around, written) for around in upwards(parent(path)))

    def _autoloaded(self, name: str) -> str | None:
        parts = name.split("\\")
        for count in range(len(parts) - 1, -1, -1):
            prefix = "".join(f"{part}\\" for part in parts[:count])
            rest = "/".join(parts[count:]) + ".php"
            folders = self._folders_of_prefix.get(prefix, ())
            found = self._files.first(join(folder, rest) for folder in folders)
            if found:
                return found
        return None


def _psr4(folder: str, text: str) -> Iterator[tuple[str, str]]:
    settings = read_json(text)
    for section in ("autoload", "autoload-dev"):
        for prefix, places in table(table(settings.get(section)).get("psr-4")).items():
            for place in texts(places):
                home = join(folder, place or ".")
                if home is not None:
                    yield prefix, home
