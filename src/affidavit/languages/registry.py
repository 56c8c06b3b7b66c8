"""The table of languages whose imports are understood."""

from affidavit.languages.c import c_resolver, extract_c
from affidavit.languages.csharp import csharp_resolver, extract_csharp
from affidavit.languages.engine.language import ImportLanguage
from affidavit.languages.go import extract_go, go_resolver
from affidavit.languages.java import extract_java, java_resolver
from affidavit.languages.javascript.imports import extract_javascript
from affidavit.languages.javascript.modules import javascript_resolver
from affidavit.languages.php.classes import php_resolver
from affidavit.languages.php.imports import extract_php
from affidavit.languages.python.imports import extract_python
from affidavit.languages.python.modules import python_resolver
from affidavit.languages.ruby import extract_ruby, ruby_resolver
from affidavit.languages.rust.crates import rust_resolver
from affidavit.languages.rust.imports import extract_rust

JAVASCRIPT_GRAMMARS = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
}
C_GRAMMARS = {
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl"), "cpp"),
}
RUBY_GRAMMARS = dict.fromkeys(("rb", "rake", "gemspec", "ru"), "ruby")

LANGUAGES = (
    ImportLanguage(
        "python", dict.fromkeys(("py", "pyi", "pyw"), "python"), 1, extract_python, python_resolver
    ),
    ImportLanguage("javascript", JAVASCRIPT_GRAMMARS, 1, extract_javascript, javascript_resolver),
    ImportLanguage("go", {"go": "go"}, 1, extract_go, go_resolver),
    ImportLanguage("java", {"java": "java"}, 1, extract_java, java_resolver),
    ImportLanguage("rust", {"rs": "rust"}, 1, extract_rust, rust_resolver),
    ImportLanguage("c", C_GRAMMARS, 1, extract_c, c_resolver),
    ImportLanguage("ruby", RUBY_GRAMMARS, 1, extract_ruby, ruby_resolver),
    ImportLanguage("php", dict.fromkeys(("php", "phtml", "inc"), "php"), 1, extract_php, php_resolver),
    ImportLanguage("c#", dict.fromkeys(("cs", "csx"), "c_sharp"), 1, extract_csharp, csharp_resolver),
)
