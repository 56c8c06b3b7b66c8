/** What to do first in an empty installation. */

export function First({ trySample, isBusy, models }: { trySample: () => void; isBusy: boolean; models: number }) {
  return (
    <section className="sheet first" aria-labelledby="first">
      <h2 id="first">Nothing has been reviewed here yet</h2>
      <ol>
        <li><strong>See what a review looks like.</strong> A small shop gets coupons, with four mistakes that analysers find by themselves: one of them is in a file that the change does not touch. {models ? 'Your models look, too; that costs a little.' : 'It takes some seconds and costs nothing.'}
          <p><button type="button" className="primary" onClick={trySample} disabled={isBusy}>{isBusy ? 'One moment …' : 'Review the sample change'}</button></p></li>
        <li><strong>Review a change of yours.</strong> Paste a diff below, or let the service see the repository: <code>affidavit repository add NAME FOLDER</code></li>
        {models ? null : <li><strong>Let a model look, too.</strong> Start the service with <code>--model PROVIDER:NAME</code>; the estimate says before what it costs.</li>}
      </ol>
    </section>
  );
}
