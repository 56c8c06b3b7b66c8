/** What to do first in an empty installation. */

export function First({ trySample, isBusy }: { trySample: () => void; isBusy: boolean }) {
  return (
    <section className="sheet first" aria-labelledby="first">
      <h2 id="first">Nothing has been reviewed here yet</h2>
      <ol>
        <li><strong>See what a review looks like.</strong> A small shop gets coupons, with four mistakes in it. It takes some seconds and costs nothing without a model.
          <p><button type="button" className="primary" onClick={trySample} disabled={isBusy}>{isBusy ? 'One moment …' : 'Review the sample change'}</button></p></li>
        <li><strong>Review a change of yours.</strong> Paste a diff below, or let the service see the repository: <code>affidavit repository add NAME PATH-OR-URL</code></li>
        <li><strong>Let a model look, too.</strong> Start the service with <code>--model PROVIDER:NAME</code>; the estimate says before what it costs.</li>
      </ol>
    </section>
  );
}
