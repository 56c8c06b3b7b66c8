/** The fields of each kind of change. */
import { type DragEvent, useId, useState } from 'react';
import useSWR from 'swr';
import type { Shape } from '../api/client';
import { counted, oneLine } from '../report/text';
import type { Draft } from './draft';

interface Props {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  repositories: string[];
}

export function SourceFields(props: Props) {
  if (props.draft.source === 'diff') return <DiffField {...props} />;
  if (props.draft.source === 'request') return <RequestField {...props} />;
  return <RepositoryFields {...props} />;
}

function DiffField({ draft, change }: Props) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = async (file: File | undefined) => {
    if (file) change({ diff: await file.text(), title: draft.title || file.name.replace(/\.(diff|patch)$/, '') });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const lines = draft.diff ? draft.diff.split('\n').length : 0;
  return (
    <>
      <label htmlFor={id}>The output of <code>git diff</code></label>
      <div className={`drop ${isOver ? 'over' : ''}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={drop}>
        <textarea id={id} rows={12} spellCheck={false} placeholder={'diff --git a/shop/prices.py b/shop/prices.py\n…'} value={draft.diff} onChange={(event) => change({ diff: event.target.value })} />
      </div>
      <p className="hint">
        {lines ? `${counted(lines, 'line')}. ` : 'Paste it, drop a file here, or '}
        <label className="file-choice">{lines ? 'Take another file' : 'choose a file'}
          <input type="file" accept=".diff,.patch,text/plain" onChange={(event) => void take(event.target.files?.[0])} />
        </label>
        . Of a diff alone only its hunks are known; a repository shows more.
      </p>
      <TitleField draft={draft} change={change} />
    </>
  );
}

function TitleField({ draft, change }: Pick<Props, 'draft' | 'change'>) {
  return (
    <label>Title <span className="hint">(optional: what the change is for)</span>
      <input type="text" value={draft.title} onChange={(event) => change({ title: event.target.value })} />
    </label>
  );
}

function RequestField({ draft, change }: Props) {
  return (
    <label>Address of the pull or merge request
      <input type="url" placeholder="https://github.com/owner/repository/pull/123" value={draft.url} onChange={(event) => change({ url: event.target.value })} />
      <span className="hint">GitHub or GitLab, on a host that this service may reach. Nothing is posted there.</span>
    </label>
  );
}

type Revisions = Shape<'Revisions'>;

function RepositoryFields({ draft, change, repositories }: Props) {
  const listId = useId();
  const known = useSWR<Revisions>(draft.repository ? `/api/repositories/${encodeURIComponent(draft.repository)}/revisions` : null);
  if (!repositories.length) {
    return <p className="empty-note">No repository is registered yet. On the machine of the service: <code>affidavit repository add NAME FOLDER</code></p>;
  }
  const names = [...(known.data?.branches ?? []), ...(known.data?.tags ?? [])];
  const recent = known.data?.recent ?? [];
  return (
    <>
      <label>Repository
        <select value={draft.repository} onChange={(event) => change({ repository: event.target.value })}>
          <option value="">Choose …</option>
          {repositories.map((name) => <option key={name} value={name}>{oneLine(name, 80)}</option>)}
        </select>
      </label>
      <div className="pair">
        <label>Before (base)
          <input type="text" list={listId} placeholder={names[0] ?? 'main'} value={draft.base} onChange={(event) => change({ base: event.target.value })} />
        </label>
        <label>After (head)
          <input type="text" list={listId} placeholder="a branch, tag or commit" value={draft.head} onChange={(event) => change({ head: event.target.value })} />
        </label>
        <datalist id={listId}>
          {names.map((name) => <option key={name} value={name} />)}
          {recent.map((one) => <option key={one.sha} value={one.sha.slice(0, 12)} label={oneLine(one.subject, 100)} />)}
        </datalist>
      </div>
      <TitleField draft={draft} change={change} />
    </>
  );
}
