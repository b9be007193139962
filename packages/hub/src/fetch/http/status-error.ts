import { SkilletError } from "@skillet/kit/errors";
import type { HttpAnswer } from "./send-request.ts";
import { showUrl } from "./show-url.ts";

/** The error for an answer that is none of those hoped for, with what the server says about when to come back. */
export function statusError(
  url: URL,
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
): SkilletError {
  const retryAfter = headers["retry-after"]?.replace(/[^\x20-\x7e]/g, "").slice(0, 40);
  const shown = showUrl(url);
  return new SkilletError(
    "http-status",
    `${shown} answered ${status}${meaningOf(status)}; ${advise(status, retryAfter)}.`,
    {
      data: { url: shown, status, ...(retryAfter === undefined ? {} : { retryAfter }) },
    },
  );
}

function meaningOf(status: number): string {
  const meaning = MEANINGS.get(status);
  return meaning === undefined ? "" : ` (${meaning})`;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [401, "not signed in"],
  [403, "not allowed"],
  [404, "nothing there"],
  [410, "taken away"],
  [429, "too many requests"],
  [503, "not available"],
]);

function advise(status: number, retryAfter: string | undefined): string {
  if (retryAfter !== undefined)
    return /^\d+$/.test(retryAfter) ? `try again in ${retryAfter} seconds` : `try again after ${retryAfter}`;
  if (status === 401 || status === 403) return "check that you may read it and that your credentials are set";
  if (status === 404 || status === 410) return "check the address";
  return status === 429 || status >= 500
    ? "try again later"
    : "check the address, or ask whoever runs the server";
}
