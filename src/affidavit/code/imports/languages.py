"""The table of languages whose imports are understood."""

from affidavit.code.imports.javascript import extract_javascript
from affidavit.code.imports.javascript_modules import javascript_resolver
from affidavit.code.imports.python import extract_python
from affidavit.code.imports.python_modules import python_resolver
from affidavit.code.imports.statements import ImportLanguage

JAVASCRIPT_GRAMMARS = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
}

LANGUAGES = (
    ImportLanguage("python", {"py": "python", "pyi": "python"}, 1, extract_python, python_resolver),
    ImportLanguage("javascript", JAVASCRIPT_GRAMMARS, 1, extract_javascript, javascript_resolver),
)
