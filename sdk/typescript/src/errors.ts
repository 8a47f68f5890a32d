// Errors, a class for each kind of the API.

export interface ErrorOptions {
  status?: number | undefined;
  requestId?: string | undefined;
  fields?: { location?: string; message?: string }[] | undefined;
  rejected?: { index: number; reason: string; detail?: string }[] | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** What went wrong. The message says what to fix. */
export class TrilithError extends Error {
  /** The kind of the API, stable. */
  readonly kind: string;
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** Identifies the line in the server's log. */
  readonly requestId: string | undefined;
  /** The fields that are wrong. */
  readonly fields: { location?: string; message?: string }[];
  /** The items of a request of which nothing is stored. */
  readonly rejected: { index: number; reason: string; detail?: string }[];
  /** Seconds after which repeating makes sense, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(kind: string, detail: string, options: ErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.status = options.status;
    this.requestId = options.requestId;
    this.fields = options.fields ?? [];
    this.rejected = options.rejected ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** A fault of the server, or a malformed answer. */
export class Internal extends TrilithError {}
/** The request has to change. */
export class Invalid extends TrilithError {}
/** There is no key, or it is not known. */
export class Unauthenticated extends TrilithError {}
/** The key lacks the right. */
export class Forbidden extends TrilithError {}
/** It is not there, or it is outside of the scope. */
export class NotFound extends TrilithError {}
/** It has changed meanwhile, or is taken. */
export class Conflict extends TrilithError {}
/** The server cannot do this as it is set up. */
export class Unsupported extends TrilithError {}
/** A limit is reached: of size, of a budget, of the disk. */
export class Exhausted extends TrilithError {}
/** The server does not answer now. */
export class Unavailable extends TrilithError {}
/** The request was given up. */
export class Canceled extends TrilithError {}
/** It took too long. */
export class DeadlineExceeded extends TrilithError {}

const classes: Record<string, typeof TrilithError> = {
  internal: Internal,
  invalid: Invalid,
  unauthenticated: Unauthenticated,
  forbidden: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  unsupported: Unsupported,
  exhausted: Exhausted,
  unavailable: Unavailable,
  canceled: Canceled,
  deadline_exceeded: DeadlineExceeded,
};

/** Proxies in between answer without a kind. */
const kinds: Record<number, string> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "exhausted",
  429: "exhausted",
  501: "unsupported",
  502: "unavailable",
  503: "unavailable",
  504: "deadline_exceeded",
  507: "exhausted",
};

/** Makes the error of a kind; a kind that a later server knows is a TrilithError. */
export function errorOf(kind: string, detail: string, options: ErrorOptions = {}): TrilithError {
  return new (classes[kind] ?? TrilithError)(kind, detail, options);
}

/** Reads an answer of another status than 200 and 202. */
export async function problem(response: Response): Promise<TrilithError> {
  const status = response.status;
  let said: any;
  try {
    said = await response.json();
  } catch {
    said = undefined;
  }
  if (typeof said?.error === "object") said = { kind: said.error.data?.kind, detail: said.error.message }; // of JSON-RPC
  const kind = said?.kind ?? kinds[status] ?? (status >= 400 && status < 500 ? "invalid" : "internal");
  const after = response.headers.get("retry-after") ?? "";
  return errorOf(kind, said?.detail ?? `the server answers ${status} ${response.statusText}`, {
    status,
    requestId: said?.request_id ?? response.headers.get("x-request-id") ?? undefined,
    fields: said?.errors,
    rejected: said?.rejected,
    retryAfter: /^\d+$/.test(after) ? Number(after) : undefined,
  });
}
