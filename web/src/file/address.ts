/** Addresses of a page that is one file: its path is fixed, so the path within the page stands in the query. */
import { navigate, useLocationProperty } from 'wouter/use-browser-location';

const AT = 'at';

/** `/review/r1/withheld?reason=nit#x` as `?reason=nit&at=%2Freview%2Fr1%2Fwithheld#x`. */
export function inFile(href: string, here: string): string {
  const { pathname, searchParams, hash } = new URL(href, `http://file${here}`);
  searchParams.set(AT, pathname);
  return `?${searchParams}${hash}`;
}

export function pathIn(search: string, first: string): string {
  return new URLSearchParams(search).get(AT) ?? first;
}

/** The filters: everything in the query but the path. */
export function searchIn(search: string): string {
  const params = new URLSearchParams(search);
  params.delete(AT);
  return params.toString();
}

/** The two hooks that wouter asks for its location; `first` is where a file opens. */
export function locationsFrom(first: string) {
  // Not every browser lets a file change its query: the path is then kept here.
  let kept: string | null = null;
  const search = () => kept ?? location.search;
  const here = () => pathIn(search(), first);
  const go = (to: string, options?: { replace?: boolean }) => {
    const address = inFile(to, here());
    try {
      navigate(address, options);
      kept = null;
    } catch {
      kept = address.split('#')[0]!;
      location.hash = new URL(address, 'http://file').hash;
      dispatchEvent(new Event('pushState'));
    }
  };
  const useLocation = (): [string, typeof go] => [useLocationProperty(here, () => first), go];
  const useSearch = () => useLocationProperty(() => searchIn(search()), () => '');
  return { hook: useLocation, searchHook: useSearch, hrefs: (href: string) => inFile(href, here()) };
}
