"""From a file's bytes to the UTF-8 that analysers read, since most of them refuse a file in anything else."""

import codecs
import io
import re
import tokenize

from affidavit.languages.python.modules import MODULE_ENDS

# The name comes from the change, so only codecs that map characters, in linear time, are used.
_CHARACTER_SETS = re.compile(
    r"iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gbk|gb2312|gb18030|big5\w*|shift_jis\w*|euc_\w+|tis-620"
)


def as_utf8(path: str, content: bytes) -> bytes:
    """The content in UTF-8, line for line; as it is where the language itself would refuse it."""
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if is_utf16 and not path.endswith(MODULE_ENDS):
        return content.decode("utf-16", "replace").encode()
    if _is_utf8(content):
        return content
    if path.endswith(MODULE_ENDS):
        return _declared_python(content)
    # Shells and script engines read such a file all the same, and the rest of it is sound.
    return content.decode("utf-8", "replace").encode()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _declared_python(content: bytes) -> bytes:
    """Python source by the encoding that it declares."""
    try:
        declared, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        encoding = codecs.lookup(declared).name
        return content.decode(encoding).encode() if _CHARACTER_SETS.fullmatch(encoding) else content
    except (SyntaxError, LookupError, UnicodeError):
        return content
