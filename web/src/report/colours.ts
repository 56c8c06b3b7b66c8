/** Syntax colours for lines of code: each grammar is loaded when a file needs it; code without one stays plain. */
import { type HunkData, type HunkTokens, markEdits, tokenize } from 'react-diff-view';
import { refractor } from 'refractor/core';
import type { FileChange } from './findings';

type Syntax = Parameters<typeof refractor.register>[0];

const GRAMMARS: Record<string, () => Promise<{ default: Syntax }>> = {
  bash: () => import('refractor/bash'),
  c: () => import('refractor/c'),
  cpp: () => import('refractor/cpp'),
  csharp: () => import('refractor/csharp'),
  css: () => import('refractor/css'),
  docker: () => import('refractor/docker'),
  go: () => import('refractor/go'),
  hcl: () => import('refractor/hcl'),
  ini: () => import('refractor/ini'),
  java: () => import('refractor/java'),
  javascript: () => import('refractor/javascript'),
  json: () => import('refractor/json'),
  jsx: () => import('refractor/jsx'),
  kotlin: () => import('refractor/kotlin'),
  makefile: () => import('refractor/makefile'),
  markdown: () => import('refractor/markdown'),
  markup: () => import('refractor/markup'),
  php: () => import('refractor/php'),
  python: () => import('refractor/python'),
  ruby: () => import('refractor/ruby'),
  rust: () => import('refractor/rust'),
  scss: () => import('refractor/scss'),
  sql: () => import('refractor/sql'),
  swift: () => import('refractor/swift'),
  toml: () => import('refractor/toml'),
  tsx: () => import('refractor/tsx'),
  typescript: () => import('refractor/typescript'),
  yaml: () => import('refractor/yaml'),
};

const ENDINGS: Record<string, string> = {
  bash: 'bash', sh: 'bash', zsh: 'bash', c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp', cs: 'csharp', css: 'css',
  dockerfile: 'docker', go: 'go', tf: 'hcl', hcl: 'hcl', ini: 'ini', cfg: 'ini', java: 'java', js: 'javascript', mjs: 'javascript', cjs: 'javascript',
  json: 'json', jsx: 'jsx', kt: 'kotlin', kts: 'kotlin', mk: 'makefile', makefile: 'makefile', md: 'markdown', html: 'markup', htm: 'markup',
  xml: 'markup', svg: 'markup', vue: 'markup', php: 'php', py: 'python', pyi: 'python', rb: 'ruby', rs: 'rust', scss: 'scss', sql: 'sql',
  swift: 'swift', toml: 'toml', tsx: 'tsx', ts: 'typescript', mts: 'typescript', cts: 'typescript', yml: 'yaml', yaml: 'yaml',
};

const loaded = new Map<string, Promise<boolean>>();

export function grammarOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return ENDINGS[name.slice(name.lastIndexOf('.') + 1)] ?? null;
}

function load(grammar: string): Promise<boolean> {
  const known = loaded.get(grammar);
  if (known) return known;
  const loading = GRAMMARS[grammar]!()
    .then((module) => {
      refractor.register(module.default);
      return true;
    })
    .catch(() => false);
  loaded.set(grammar, loading);
  return loading;
}

const LONGEST = 500;

/** Tokens of a run of lines, by line number as the diff viewer wants them. */
export async function colour(lines: HunkData, file: Pick<FileChange, 'path'>): Promise<HunkTokens | null> {
  const grammar = grammarOf(file.path);
  const isKnown = grammar !== null && (await load(grammar));
  if (lines.changes.some((change) => change.content.length > LONGEST)) return null;
  const { moved, oldShift, newShift } = fromOne(lines);
  const enhancers = [markEdits([replaced(moved)], { type: 'line' })];
  try {
    const tokens = isKnown
      ? tokenize([moved], { highlight: true, refractor: spoken as never, language: grammar, enhancers })
      : tokenize([moved], { highlight: false, enhancers });
    return { old: shifted(tokens.old, oldShift), new: shifted(tokens.new, newShift) };
  } catch {
    return null;
  }
}

/** Only lines that took the place of others, one for one: marks within lines that have nothing in common are noise. */
function replaced(lines: HunkData): HunkData {
  const kept: HunkData['changes'] = [];
  let removed: HunkData['changes'] = [];
  let added: HunkData['changes'] = [];
  const flush = () => {
    if (removed.length === added.length) kept.push(...removed, ...added);
    removed = [];
    added = [];
  };
  for (const change of lines.changes) {
    if (change.type === 'insert') added.push(change);
    else {
      if (added.length || change.type === 'normal') flush();
      if (change.type === 'delete') removed.push(change);
      else kept.push(change);
    }
  }
  flush();
  return { ...lines, changes: kept };
}

// The viewer speaks to the highlighter of some versions ago, whose answer was the list of nodes itself.
const spoken = { highlight: (text: string, language: string) => refractor.highlight(text, language).children };

/** The same lines numbered from 1: the viewer fills up everything before the first line. */
function fromOne(lines: HunkData): { moved: HunkData; oldShift: number; newShift: number } {
  const olds = lines.changes.flatMap((one) => (one.type === 'insert' ? [] : one.type === 'delete' ? one.lineNumber : one.oldLineNumber));
  const news = lines.changes.flatMap((one) => (one.type === 'delete' ? [] : one.type === 'insert' ? one.lineNumber : one.newLineNumber));
  const oldShift = (olds[0] ?? 1) - 1;
  const newShift = (news[0] ?? 1) - 1;
  const changes = lines.changes.map((one) => {
    if (one.type === 'normal') return { ...one, oldLineNumber: one.oldLineNumber - oldShift, newLineNumber: one.newLineNumber - newShift };
    return { ...one, lineNumber: one.lineNumber - (one.type === 'insert' ? newShift : oldShift) };
  });
  const moved = { ...lines, changes, oldStart: 1, oldLines: olds.length, newStart: 1, newLines: news.length };
  return { moved, oldShift, newShift };
}

function shifted<One>(rows: One[], by: number): One[] {
  const moved: One[] = [];
  rows.forEach((row, index) => {
    moved[index + by] = row;
  });
  return moved;
}

/** Lines of plain code in colour: a list of nodes for each line. */
export async function colourLines(lines: string[], path: string): Promise<HunkTokens['new'] | null> {
  const changes: HunkData['changes'] = lines.map((content, index) => ({ type: 'insert', isInsert: true, lineNumber: index + 1, content }));
  const tokens = await colour({ content: '', oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, changes }, { path });
  return tokens?.new ?? null;
}
