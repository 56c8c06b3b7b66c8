"""TypeScript by Node alone: the command that finds a Node which strips types, and imports as compilers do."""

from urllib.parse import quote

# A compiler takes `./money` and `./money.js` for the file money.ts; Node by itself takes neither.
HOOKS = """
import { registerHooks } from "node:module";
const ENDINGS = [".ts", ".mts", ".cts", ".js", "/index.ts", "/index.js"];
function others(specifier) {
  const written = specifier.replace(/\\.([cm]?)js$/, ".$1ts");
  return written === specifier ? ENDINGS.map((ending) => specifier + ending) : [written];
}
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^(\\.{0,2}\\/|\\.{1,2}$|file:)/.test(specifier)) throw error;
      for (const other of others(specifier)) {
        try {
          return next(other, context);
        } catch {}
      }
      throw error;
    }
  },
});
//# sourceURL=imports
"""
NEEDED = "node-22.18-or-newer"
# The first Node that can is taken: an older one may come before it on the path. What strips types may also
# transform what is more than types (enums), where its flag is known.
SCRIPT = f"""
set -f
IFS=:
for folder in $PATH; do
  [ -x "$folder/node" ] || continue
  found=$("$folder/node" -p '
    const flag = "--experimental-transform-types";
    process.features.typescript ? process.allowedNodeEnvironmentFlags.has(flag) ? flag : "none" : ""
  ' 2>/dev/null)
  [ -n "$found" ] || continue
  unset IFS
  [ "$found" = none ] || set -- "$found" "$@"
  exec "$folder/node" --disable-warning=ExperimentalWarning --disable-warning=MODULE_TYPELESS_PACKAGE_JSON \\
    --import "data:text/javascript,{quote(HOOKS)}" "$@"
done
echo "{NEEDED}: not found" >&2
exit 127
"""
LAUNCHER = ("sh", "-c", SCRIPT, "sh")
