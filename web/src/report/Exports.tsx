/** The report in every format: downloaded, or copied as markdown. */
import { useState } from 'react';
import { download, getText } from '../api/client';
import { useMe } from '../shell/session';
import type { Reading } from './reading';

const ENDINGS: Record<string, string> = {
  report: 'json', verdict: 'json', 'review-result': 'json', gitlab: 'json', feedback: 'json',
  sarif: 'sarif', junit: 'xml', markdown: 'md', html: 'html', terminal: 'txt', text: 'txt',
};

/** For whom each is; docs/formats.md says the same. */
const USES: Record<string, string> = {
  report: 'everything with the diff unredacted, for recheck',
  verdict: 'the verdict by file, for services',
  'review-result': 'the findings of the contract, for agents',
  markdown: 'for a comment on a pull request',
  html: 'one file to read and to send, secrets redacted',
  terminal: 'as the command line prints it',
  sarif: 'code scanning, editors',
  gitlab: 'GitLab’s code quality widget',
  feedback: 'what to do next, for coding agents',
  junit: 'the test page of a CI',
  agent: 'instructions for a coding agent to fix what is proven',
  lines: 'FILE:LINE: MESSAGE, for editors',
};

export function Exports({ reading }: { reading: Reading }) {
  const { me } = useMe();
  const [said, setSaid] = useState('');
  const formats = me?.formats.length ? me.formats : ['report', 'markdown', 'html'];
  const save = async (format: string) => {
    try {
      await download(`${reading.address}/report/${format}`, `affidavit-${reading.report.id}.${format === 'sarif' || format === 'html' || format === 'markdown' ? '' : `${format}.`}${ENDINGS[format] ?? 'txt'}`);
      setSaid(`Saved as ${format}`);
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await getText(`${reading.address}/report/markdown`));
      setSaid('Copied');
    } catch (error) {
      setSaid(`Not copied: ${(error as Error).message}`);
    }
  };
  return (
    <span className="exports">
      <span className="hint" role="status">{said}</span>
      <button type="button" onClick={() => void copy()}>Copy as markdown</button>
      <details className="menu">
        <summary role="button">Export</summary>
        <ul>
          {formats.map((format) => <li key={format}><button type="button" onClick={() => void save(format)}>{format}{USES[format] ? <small> {USES[format]}</small> : null}</button></li>)}
        </ul>
      </details>
    </span>
  );
}
