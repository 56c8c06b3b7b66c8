import { newCart } from "./cart.js";

export function openSession(user) {
  return { user, cart: newCart() };
}
