/** Words beside a finding that only the page has, and a finding as text to be copied. */
import type { Said } from './findings';

/** Whether a maintainer would act on it in this change. */
export const WORTHS: Record<string, string> = {
  act: 'worth acting on',
  maybe: 'perhaps worth acting on',
  nit: 'not worth acting on',
};

/** What the words beside a finding mean, for whoever asks. */
export const WORD_HELP: Record<string, string> = {
  blocks: 'As severe as the gate for builds, or worse: a build that asks for this review fails',
  'outside the change': 'In code that the change does not touch and breaks',
  likely: 'Confirmed with a reservation: the code that was seen leaves it open; alone it does not block',
  unverified: 'The verifier gave no answer on it; alone it does not block',
};

export function markdownOf({ view, finding }: Said): string {
  const lines = [`**${finding.severity}** ${finding.title}`, `\`${view.place}\` · ${view.proof_line.join(' · ')}`, '', finding.message];
  if (view.under.length) lines.push('', ...view.under.map(([label, text]) => `- ${label}: ${text}`));
  if (finding.suggestion) lines.push('', `To do: ${finding.suggestion}`);
  return lines.join('\n');
}
