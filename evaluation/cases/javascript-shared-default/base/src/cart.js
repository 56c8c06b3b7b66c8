/** A cart without anything in it. */
export function newCart() {
  return { items: [], voucher: null };
}

export function addItem(cart, item) {
  cart.items.push(item);
  return cart;
}
