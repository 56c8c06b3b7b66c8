/** The diff viewer alone on the same diff: what the page is compared with by `make bench`. */
import { createRoot } from 'react-dom/client';
import { Diff, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';

const files = parseDiff(await (await fetch('/diff.txt')).text());
createRoot(document.getElementById('page')!).render(
  <main>
    {files.map((file) => (
      <section key={file.newPath}>
        <h3>{file.newPath}</h3>
        <Diff viewType="unified" diffType={file.type} hunks={file.hunks}>{(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}</Diff>
      </section>
    ))}
  </main>,
);
