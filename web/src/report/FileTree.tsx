/** The files of the change, with how many findings each has. */
import { useMemo } from 'react';
import { type FileChange, type Placed, SEVERITIES, type Said } from './findings';
import type { Reading } from './reading';
import { counted, oneLine } from './text';
import { type Branch, grow } from './tree';

interface Leaf {
  file: FileChange | null;
  findings: Said[];
}

export function FileTree({ reading, placed, show }: { reading: Reading; placed: Placed; show: (path: string) => void }) {
  const branches = useMemo(() => {
    const changed = reading.report.change.files.map((file) => ({ path: file.path, leaf: { file, findings: inFile(placed, file) } }));
    const untouched = [...placed.elsewhere].map(([path, findings]) => ({ path, leaf: { file: null, findings } }));
    return grow<Leaf>([...changed, ...untouched]);
  }, [reading, placed]);
  return (
    <nav className="tree" aria-label="Files">
      <h2>{counted(reading.report.change.files.length, 'file')} changed{placed.elsewhere.size ? `, ${placed.elsewhere.size} not` : ''}</h2>
      <Level branches={branches} show={show} />
    </nav>
  );
}

function inFile(placed: Placed, file: FileChange): Said[] {
  return [...(placed.beside.get(file) ?? []), ...[...(placed.atLines.get(file)?.values() ?? [])].flat()];
}

function Level({ branches, show }: { branches: Branch<Leaf>[]; show: (path: string) => void }) {
  return (
    <ul>
      {branches.map((one) => (
        <li key={one.path}>
          {one.leaf ? <FileRow branch={one} leaf={one.leaf} show={show} /> : <details open><summary>{oneLine(one.name)}</summary><Level branches={one.children} show={show} /></details>}
        </li>
      ))}
    </ul>
  );
}

const MARKS: Record<string, string> = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', copied: 'C' };

function FileRow({ branch, leaf, show }: { branch: Branch<Leaf>; leaf: Leaf; show: (path: string) => void }) {
  const worst = SEVERITIES.find((severity) => leaf.findings.some((one) => one.finding.severity === severity));
  const status = leaf.file?.status;
  return (
    <button type="button" onClick={() => show(branch.path)} title={oneLine(branch.path)}>
      <span className={`mark ${status ?? 'untouched'}`} title={status ?? 'not changed'}>{status ? MARKS[status] : '·'}</span>
      <span className="name">{oneLine(branch.name)}</span>
      {leaf.findings.length ? <span className={`count ${worst ?? ''}`} aria-label={counted(leaf.findings.length, 'finding')}>{leaf.findings.length}</span> : null}
    </button>
  );
}
