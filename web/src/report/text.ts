/** Text of a change as it may be shown: what is invisible or reorders the line is made visible. */

// Control, format, private and unassigned characters, and blanks that are no spaces; the HTML report does the same.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0e\uffa0]/gu;
const LONGEST_LINE = 2_000;

export function visible(text: string, keep = ''): string {
  return text.replace(INVISIBLE, (mark) => (keep.includes(mark) ? mark : picture(mark)));
}

function picture(mark: string): string {
  const code = mark.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** One line of code: tabs stay, a carriage return at the end does not count, a very long line is cut. */
export function codeLine(text: string): string {
  const line = wholeLine(text);
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** The same to its very end. */
export function wholeLine(text: string): string {
  return visible(text.replace(/\r$/, ''), '\t');
}

export function isCut(text: string): boolean {
  return text.length > LONGEST_LINE / 8 && wholeLine(text).length > LONGEST_LINE;
}

/** One line of prose. */
export function oneLine(text: string, limit = 300): string {
  const line = visible(text.split(/\s+/).join(' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** A part of an address; one that was cut in the middle of a mark stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

export function seconds(milliseconds: number): string {
  const total = milliseconds / 1000;
  if (total < 60) return `${total.toFixed(total < 10 ? 1 : 0)} s`;
  return `${Math.floor(total / 60)} min ${Math.round(total % 60)} s`;
}

export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return 'price not known';
  return usd === 0 ? '$0' : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export function moment(iso: string | null | undefined): string {
  if (!iso) return '';
  const time = new Date(iso);
  return Number.isNaN(time.valueOf()) ? iso : time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** `12 minutes ago`; the exact time belongs into a title. */
export function ago(iso: string | null | undefined, now = Date.now()): string {
  if (!iso) return '';
  const gone = (now - new Date(iso).valueOf()) / 1000;
  if (Number.isNaN(gone)) return iso;
  if (gone < 60) return 'just now';
  for (const [unit, size] of [['minute', 60], ['hour', 3600], ['day', 86_400]] as const) {
    const next = unit === 'minute' ? 3600 : unit === 'hour' ? 86_400 : 30 * 86_400;
    if (gone < next) return `${counted(Math.floor(gone / size), unit)} ago`;
  }
  return new Date(iso).toLocaleDateString('en-GB', { dateStyle: 'medium' });
}

/** Whether it begins with a name that is written as it is: a host, a path, code. */
const NAME = /^(?:\S+[./_]\S*\w|`|[\w-]*\d)/;

/** A capital letter at its beginning, a stop at its end. */
export function sentence(text: string): string {
  const said = text.trim();
  if (!said) return '';
  const begun = NAME.test(said.split(/\s/, 1)[0]!) ? said : `${said[0]!.toUpperCase()}${said.slice(1)}`;
  return ended(begun);
}

function ended(text: string): string {
  return !text || /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
