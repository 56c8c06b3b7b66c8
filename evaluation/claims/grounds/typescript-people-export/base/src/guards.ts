import { type Handler, HttpError } from "./http";

/** The handler, for administrators only. */
export function forAdmins(handler: Handler): Handler {
  return async (request) => {
    if (!request.roles.includes("admin")) {
      throw new HttpError(403, "for administrators only");
    }
    return handler(request);
  };
}
