import { BookingError } from "./errors.js";

/** Throws BookingError where a booking cannot be taken. */
export function checkBooking(booking) {
  if (!booking.guest) {
    throw new BookingError("guest", "A booking needs a guest.");
  }
  if (booking.nights < 1) {
    throw new BookingError("nights", "A booking has at least one night.");
  }
}
