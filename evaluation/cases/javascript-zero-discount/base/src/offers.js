const USUAL_PERCENT = 10;

/** The price of an offer in cents; a shop may set a percentage of its own, also none. */
export function offerPrice(cents, shop) {
  const percent = shop.percent === undefined ? USUAL_PERCENT : shop.percent;
  return Math.round((cents * (100 - percent)) / 100);
}
