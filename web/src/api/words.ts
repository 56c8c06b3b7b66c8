/** What the service refuses, in the words of the page: its users know fields with labels, not an API. */

const FIELDS: [RegExp, string][] = [
  [/\bdiff_text\b/g, 'the diff'],
  [/\b(?:github|gitlab)_url\b/g, 'the address'],
  [/\bfocus_areas\b/g, '“Show only”'],
  [/\bseverity_threshold\b/g, '“From severity”'],
  [/\binclude_style\b/g, '“Include style”'],
];
const PLACES: Record<string, string> = {
  diff_text: 'The diff', github_url: 'The address', gitlab_url: 'The address', repository: 'The repository', base: 'The revision before', head: 'The revision after',
  title: 'The title', description: 'The description', question: 'The question', label: 'The mark', why: 'The reason', search: 'The search', cursor: 'The place in the list',
  limit: 'The number of rows', since: 'The date', path: 'The file', start: 'The first line', end: 'The last line',
};
/** Advice for whoever writes programs is none for whoever reads a page. */
const FOR_PROGRAMS = /\/openapi\.json|Authorization: Bearer|\bGET \/|\bPOST \/|\/api\/|_url\b|`again`|`cursor`/;

export interface Fault {
  where: string;
  what: string;
}

const SHALLOW = /;? ?this clone is shallow[\s\S]*$/;

/** Sentences of a refusal with the names that the page uses. */
export function plain(text: string): string {
  // Commands for whoever runs the service are none for whoever reads the page.
  const said = text.replace(SHALLOW, '; the service holds only the newest history of this repository: choose a newer revision, or ask whoever runs the service to fetch the rest');
  return FIELDS.reduce((words, [name, word]) => words.replace(name, word), said);
}

export function plainAdvice(advice: string): string {
  return plain(advice.split(/(?<=[.;])\s+/).filter((one) => !FOR_PROGRAMS.test(one)).join(' ')).replace(/;$/, '.');
}

/** One thing that does not fit, as a sentence. */
export function plainFault({ where, what }: Fault): string {
  const names = where.split('.').filter((part) => !['body', 'query', 'path', 'header'].includes(part) || where === part);
  const place = PLACES[names.findLast((part) => !/^\d+$/.test(part)) ?? ''] ?? 'What was sent';
  return `${place} ${complaint(what)}.`;
}

function complaint(what: string): string {
  const most = /at most (\d+) (character|item)s?/.exec(what);
  if (most) return `is too long: at most ${Number(most[1]).toLocaleString('en')} ${most[2]}s`;
  const least = /at least (\d+) (character|item)s?/.exec(what);
  if (least) return least[1] === '1' ? 'is empty' : `is too short: at least ${least[1]} ${least[2]}s`;
  if (/match pattern/.test(what)) return 'is not written as expected';
  if (/^Field required/.test(what)) return 'is missing';
  if (/valid (integer|number)|unable to parse string as an integer/.test(what)) return 'is not a number';
  const range = /(greater|less) than or equal to (\d+)/.exec(what);
  if (range) return `must be ${range[1] === 'greater' ? 'at least' : 'at most'} ${Number(range[2]).toLocaleString('en')}`;
  if (/^Input should be '/.test(what)) return `must be one of ${what.slice('Input should be '.length).replaceAll("'", '')}`;
  if (/Extra inputs/.test(what)) return 'has something in it that the service does not know; reload the page';
  return `is refused: ${plain(what.replace(/^Value error, /, ''))}`;
}
