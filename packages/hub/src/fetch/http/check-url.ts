import { SkilletError } from "@skillet/kit/errors";
import { showUrl } from "./show-url.ts";

// Beyond what servers take; keeps hostile redirects out of memory and messages.
const MAX_URL_CHARACTERS = 8192;

/** Reads an address that may be downloaded from: http or https, without credentials. */
export function checkUrl(text: string): URL {
  const fault = findFault(text);
  if (fault === undefined) return new URL(text);
  throw new SkilletError("url-invalid", `The address ${showUrl(text)} ${fault}`, {
    data: { url: showUrl(text) },
  });
}

function findFault(text: string): string | undefined {
  if (text.length > MAX_URL_CHARACTERS) return `is longer than ${MAX_URL_CHARACTERS} characters; shorten it.`;
  // The parser reads odd spellings of addresses, such as 0x7f.1, as what they mean, and refuses zones of IPv6.
  if (!URL.canParse(text)) return "cannot be read; write it like https://example.com/skill.zip.";
  const { protocol, username, password } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:")
    return "is neither http nor https; other protocols are not downloaded from.";
  if (username !== "" || password !== "")
    return "holds credentials, which would end up in locks and logs; leave them out.";
  return undefined;
}
