import { wordSet } from "../word-list.ts";
import { hostOf, registeredDomain } from "./classify-host.ts";
import { VENDORS } from "./vendors.ts";

/**
 * Whether a secret's own vendor owns the host: `OPENAI_API_KEY` and api.openai.com, `FOO_TOKEN` and api.foo.test, or a
 * host that the skill declares for everything it does. Meant for single named keys, never for a whole environment.
 */
export function isAligned(secretName: string, host: string, declaredHosts: ReadonlySet<string>): boolean {
  const plain = hostOf(host);
  if (plain === undefined) return false;
  const domain = registeredDomain(plain);
  const words = secretName
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== "" && !GENERIC_WORDS.has(word));
  const vendors = words.flatMap((word) => VENDORS.get(word) ?? []);
  if (vendors.includes(domain)) return true;
  // A key of a vendor that is known goes to that vendor or nowhere; the host's own name does not help it.
  if (vendors.length > 0) return false;
  const label = (domain.split(".")[0] ?? "").toUpperCase().replaceAll("-", "");
  const joined = words.join("");
  return (
    words.some(
      (word) => word.length >= 3 && (label === word || (word.length >= 5 && label.includes(word))),
    ) ||
    (label.length >= 4 && joined.includes(label)) ||
    declaredHosts.has(plain) ||
    declaredHosts.has(domain)
  );
}

export function isVendorKey(secretName: string): boolean {
  return secretName
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .some((word) => word.length > 1 && VENDORS.has(word) && !GENERIC_WORDS.has(word));
}

const GENERIC_WORDS: ReadonlySet<string> = wordSet(`
  API KEY KEYS TOKEN SECRET ACCESS AUTH CLIENT ID PASSWORD PASS USER BEARER BOT APP URL BASE HOST PRIVATE
  PUBLIC SERVICE ACCOUNT PROD DEV TEST MY THE
`);
