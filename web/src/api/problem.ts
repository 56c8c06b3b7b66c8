/** What the service said instead of an answer, in the words of the page. */
import { sentence } from '../report/text';
import { plain, plainAdvice, plainFault } from './words';

export class Problem extends Error {
  readonly status: number;
  readonly advice: string;

  constructor(status: number, title: string, detail: string, advice: string) {
    super(detail || title);
    this.name = 'Problem';
    this.status = status;
    this.advice = advice;
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const said = JSON.parse(text) as { title?: string; detail?: string; advice?: string; errors?: { where: string; what: string }[] };
    const detail = said.errors?.length ? said.errors.map(plainFault).join(' ') : sentence(plain(said.detail ?? ''));
    return new Problem(response.status, said.title ?? response.statusText, detail, sentence(plainAdvice(said.advice ?? '')));
  } catch {
    return new Problem(response.status, response.statusText, text.slice(0, 300) || `Status ${response.status}`, '');
  }
}
