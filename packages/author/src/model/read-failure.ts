import { readBoundedBody } from "@skillet/kit/network";
import { showLine } from "@skillet/kit/text";

/** A longer body is a page and no error; of what is read, so much is shown. */
const MAX_FAILURE_BYTES = 16 * 1024;
const MAX_SHOWN_CHARACTERS = 200;

/** What an endpoint says about its own failure, on one line, without the key; undefined where that is nothing. */
export async function readFailure(
  response: Response,
  apiKey: string | undefined,
): Promise<string | undefined> {
  const text = withoutKey(findMessage(await readText(response)), apiKey);
  // Proxies answer in HTML.
  const plain = text.replace(/<[^<>]{0,500}>/g, " ");
  // Once more, because characters that nobody sees may have stood between those of the key.
  const line = withoutKey(showLine(plain.replace(/\s+/g, " ").trim()), apiKey);
  if (line === "" || line === "{}") return undefined;
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS - 1)}…`;
}

async function readText(response: Response): Promise<string> {
  try {
    const bytes = await readBoundedBody(response, { maxBytes: MAX_FAILURE_BYTES });
    return bytes === undefined ? "" : bytes.toString("utf8");
  } catch (error) {
    // A connection that breaks off; the status has been told by then.
    if (error instanceof TypeError) return "";
    throw error;
  }
}

// `{"error": {"message": "…"}}`, `{"error": "…"}` and `{"message": "…"}` are usual; anything else is shown as it is.
function findMessage(text: string): string {
  try {
    let value: unknown = JSON.parse(text);
    for (const name of ["error", "message"])
      if (typeof value === "object" && value !== null && Object.hasOwn(value, name))
        value = (value as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** Some servers repeat a part of the key; fewer characters of it say nothing. */
const MIN_KEY_PART = 6;

/** Replaces the key and every longer part of it. */
function withoutKey(text: string, apiKey: string | undefined): string {
  if (apiKey === undefined) return text;
  const length = Math.min(MIN_KEY_PART, apiKey.length);
  const isKey = new Uint8Array(text.length);
  for (let start = 0; start + length <= apiKey.length; start += 1) {
    const part = apiKey.slice(start, start + length);
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
      isKey.fill(1, at, at + length);
  }
  let shown = "";
  for (let at = 0; at < text.length; at += 1)
    if (isKey[at] === 0) shown += text[at];
    else if (at === 0 || isKey[at - 1] === 0) shown += "[key]";
  return shown;
}
