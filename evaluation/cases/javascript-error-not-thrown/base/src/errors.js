export class BookingError extends Error {
  constructor(field, message) {
    super(message);
    this.name = "BookingError";
    this.field = field;
  }
}
