/** What the rates leave out, and what must not be: a sentence each, as `affidavit quality` says it. */
import type { Shape } from '../api/client';
import { counted, oneLine } from '../report/text';

type Measured = Shape<'Quality'>;

const MOST_NAMED = 5;

/** Whose word counts nowhere, what was withheld wrongly, what could not be read. */
export function leftOut(quality: Measured): string[] {
  const said: string[] = [];
  const { unheard, withheld_labelled: labelled, withheld_valid: valid, unreadable } = quality;
  if (unheard) said.push(`Not counted: ${counted(unheard, 'finding')} labelled by the author of a change or without write access (${named(Object.keys(quality.unheard_from), ', ')}).`);
  if (labelled) said.push(`Of ${counted(labelled, 'withheld finding')} that people labelled, ${valid} ${valid === 1 ? 'is' : 'are'} valid: withheld wrongly.`);
  if (unreadable) said.push(`${counted(unreadable, 'report')} kept by another version ${unreadable === 1 ? 'is' : 'are'} left out, but for the labels.`);
  return said;
}

export function alarm({ absences }: Pick<Measured, 'absences'>): string {
  const missing = absences.unsearched;
  return missing.length ? `${counted(missing.length, 'absence claim was', 'absence claims were')} shown without a search that ran. This must never happen: ${named(missing, '; ')}` : '';
}

function named(names: readonly string[], between: string): string {
  return [...names.slice(0, MOST_NAMED).map((one) => oneLine(one, 80)), ...(names.length > MOST_NAMED ? ['…'] : [])].join(between);
}
