/** An address that leads nowhere. */
import { Link } from 'wouter';
import { isFile } from '../file/contents';
import { useTitle } from './title';

export function NoSuchPage({ what = 'page' }: { what?: 'page' | 'review' }) {
  useTitle(`There is no such ${what}`);
  return (
    <div className="frame history">
      <h1>There is no such {what}</h1>
      <p>The address may be cut off{what === 'review' ? ' or mistyped, or the review was deleted' : ''}.{isFile ? null : <> <Link href="/history">Past reviews</Link> are in the history.</>}</p>
    </div>
  );
}
