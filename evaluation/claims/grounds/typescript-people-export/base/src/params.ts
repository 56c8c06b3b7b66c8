import { HttpError, type Request } from "./http";

/** A whole number from the query, from 0 to `most`; what is anything else is answered with 400. */
export function wholeNumber(request: Request, name: string, fallback: number, most: number): number {
  const text = request.query[name];
  if (text === undefined) {
    return fallback;
  }
  if (!/^\d{1,9}$/.test(text) || Number(text) > most) {
    throw new HttpError(400, `${name} is a whole number up to ${most}`);
  }
  return Number(text);
}
