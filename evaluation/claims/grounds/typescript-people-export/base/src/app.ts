import { countPeople } from "./admin/count";
import { forAdmins } from "./guards";
import { answer, type Handler, type Request, type Response } from "./http";
import type { People } from "./people";

function adminPages(people: People): Record<string, Handler> {
  return {
    "/admin/people/count": countPeople(people),
  };
}

export function respond(people: People, request: Request): Promise<Response> {
  const page = adminPages(people)[request.path];
  if (!page) {
    return Promise.resolve({ status: 404, body: "no such page" });
  }
  return answer(forAdmins(page), request);
}
