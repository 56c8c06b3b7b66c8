"""What is known of libraries: which calls escape, in which order arguments go, which options protect."""

from dataclasses import dataclass

from affidavit.records.finding import Category

MARKUP = "markup in it becomes part of the page (cross-site scripting)"
ADDRESS = "a special character in it (`&`, `/`, `#`, `?`) changes the meaning of the address"
COMMAND = "a special character in it becomes part of the shell command (command injection)"
PATTERN = "a special character in it becomes part of the regular expression"
PLACE = "a path with `..` or a folder in it leads outside of where it should stay"

ESCAPES = {
    "html.escape": MARKUP,
    "escape_html": MARKUP,
    "conditional_escape": MARKUP,
    "force_escape": MARKUP,
    "escapeHtml": MARKUP,
    "escapeHTML": MARKUP,
    "DOMPurify.sanitize": MARKUP,
    "bleach.clean": MARKUP,
    "strip_tags": MARKUP,
    "html.EscapeString": MARKUP,
    "template.HTMLEscapeString": MARKUP,
    "HtmlUtils.htmlEscape": MARKUP,
    "shlex.quote": COMMAND,
    "quote_plus": ADDRESS,
    "urlquote": ADDRESS,
    "encodeURIComponent": ADDRESS,
    "url.QueryEscape": ADDRESS,
    "url.PathEscape": ADDRESS,
    "URLEncoder.encode": ADDRESS,
    "re.escape": PATTERN,
    "regexp.QuoteMeta": PATTERN,
    "Pattern.quote": PATTERN,
    "escapeRegExp": PATTERN,
    "secure_filename": PLACE,
    "get_valid_filename": PLACE,
    "os.path.basename": PLACE,
    "filepath.Base": PLACE,
    "filepath.Clean": PLACE,
    "path.basename": PLACE,
}

# The first two arguments of calls whose parameters have the same type and a fixed order.
KNOWN_ORDER = {
    "re.match": ("pattern", "string"),
    "re.search": ("pattern", "string"),
    "re.fullmatch": ("pattern", "string"),
    "re.findall": ("pattern", "string"),
    "re.split": ("pattern", "string"),
    "os.rename": ("src", "dst"),
    "os.replace": ("src", "dst"),
    "shutil.copy": ("src", "dst"),
    "shutil.copyfile": ("src", "dst"),
    "shutil.move": ("src", "dst"),
    "os.path.relpath": ("path", "start"),
    "fnmatch.fnmatch": ("name", "pattern"),
    "strings.Contains": ("s", "substr"),
    "strings.HasPrefix": ("s", "prefix"),
    "strings.HasSuffix": ("s", "suffix"),
    "strings.TrimPrefix": ("s", "prefix"),
    "strings.TrimSuffix": ("s", "suffix"),
    "strings.Split": ("s", "sep"),
    "strings.Index": ("s", "substr"),
    "bytes.HasPrefix": ("s", "prefix"),
    "filepath.Rel": ("basepath", "targpath"),
    "os.Rename": ("oldpath", "newpath"),
    "Math.pow": ("base", "exponent"),
    "path.relative": ("from", "to"),
    "fs.renameSync": ("oldPath", "newPath"),
    "fs.copyFileSync": ("src", "dest"),
}

NORMALISING_METHODS = frozenset(
    {"lower", "upper", "casefold", "strip", "toLowerCase", "toUpperCase", "trim", "toLocaleLowerCase"}
)
NORMALISING_CALLS = frozenset({"strings.ToLower", "strings.ToUpper", "strings.TrimSpace"})


@dataclass(frozen=True)
class UnsafeOption:
    """An option's good value, its bad one, and what comes of that."""

    safe: str
    unsafe: str
    effect: str
    category: Category
    is_for_calls: bool = False
    """As the default of a parameter the value may be either."""


_TLS = "certificates are not checked, so anybody between the two ends can read and change what is sent"
OPTIONS = {
    "verify": UnsafeOption("True", "False", _TLS, Category.SECURITY),
    "rejectUnauthorized": UnsafeOption("true", "false", _TLS, Category.SECURITY),
    "InsecureSkipVerify": UnsafeOption("false", "true", _TLS, Category.SECURITY),
    "check_hostname": UnsafeOption("True", "False", _TLS, Category.SECURITY),
    "shell": UnsafeOption("False", "True", COMMAND, Category.SECURITY, is_for_calls=True),
    "autoescape": UnsafeOption("True", "False", MARKUP, Category.SECURITY),
    "httponly": UnsafeOption("True", "False", "scripts of the page can read the cookie", Category.SECURITY),
    "httpOnly": UnsafeOption("true", "false", "scripts of the page can read the cookie", Category.SECURITY),
    "HttpOnly": UnsafeOption("true", "false", "scripts of the page can read the cookie", Category.SECURITY),
    "secure": UnsafeOption(
        "True", "False", "it is sent over plain connections too", Category.SECURITY, is_for_calls=True
    ),
    "allow_redirects": UnsafeOption(
        "False",
        "True",
        "a redirect leads the request to places that were not checked",
        Category.SECURITY,
        True,
    ),
    "check": UnsafeOption(
        "True", "False", "a program that fails goes unnoticed", Category.RELIABILITY, is_for_calls=True
    ),
    "exist_ok": UnsafeOption(
        "True",
        "False",
        "the call fails where the folder is there already",
        Category.RELIABILITY,
        is_for_calls=True,
    ),
    "parents": UnsafeOption(
        "True",
        "False",
        "the call fails where the folder above is not there",
        Category.RELIABILITY,
        is_for_calls=True,
    ),
    "missing_ok": UnsafeOption(
        "True",
        "False",
        "the call fails where the file is gone already",
        Category.RELIABILITY,
        is_for_calls=True,
    ),
    "ignore_conflicts": UnsafeOption(
        "True", "False", "a row that is there already makes the whole insert fail", Category.RELIABILITY, True
    ),
    "select_for_update": UnsafeOption(
        "True", "False", "two writers can overwrite each other", Category.RELIABILITY, True
    ),
    "strict": UnsafeOption(
        "True",
        "False",
        "sequences of different length are cut off silently",
        Category.CORRECTNESS,
        is_for_calls=True,
    ),
}
