export interface Request {
  path: string;
  query: Record<string, string>;
  roles: string[];
}

export interface Response {
  status: number;
  body: string;
}

export type Handler = (request: Request) => Promise<Response>;

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** What the server sends back; nothing that a handler throws gets further than this. */
export async function answer(handler: Handler, request: Request): Promise<Response> {
  try {
    return await handler(request);
  } catch (error) {
    if (error instanceof HttpError) {
      return { status: error.status, body: error.message };
    }
    return { status: 500, body: "something went wrong" };
  }
}
