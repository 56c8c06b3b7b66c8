import { checkBooking } from "./checks.js";

export function addBooking(store, booking, today) {
  checkBooking(booking);
  store.push({ ...booking, enteredOn: today });
}
