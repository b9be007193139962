import type { FactPlace } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyHost, hostOf } from "../host/classify-host.ts";

/**
 * Whether a command stands in the documents of a skill about attacks and has nobody's address in it.
 *
 * By span: a script does what it does, and a real address is a real destination, whatever the skill is about.
 */
export function isTeaching(
  place: FactPlace,
  urlOrHost: string | undefined,
  { isSecurityTool }: SkillProfile,
): boolean {
  if (!isSecurityTool || !isDocument(place)) return false;
  // Nobody encodes a shape to teach it; a specimen shows how one is found.
  if (place.chain.length > 0) return urlOrHost !== undefined && isSpecimenHost(urlOrHost);
  if (urlOrHost === undefined || urlOrHost === "" || urlOrHost === "*") return true;
  const kind = classifyHost(urlOrHost);
  if (kind === "unknown" || kind === "placeholder" || kind === "private" || kind === "loopback") return true;
  return isSpecimenHost(urlOrHost);
}

/** Whether an address stands for an attacker's in writing about attacks: a name that says so, or one that is nobody's. */
export function isSpecimenHost(urlOrHost: string): boolean {
  const host = hostOf(urlOrHost) ?? "";
  return classifyHost(urlOrHost) === "placeholder" || DOCUMENTATION.test(host) || SPECIMEN.test(host);
}

// Addresses that are kept free for documents (RFC 5737): nothing answers there.
const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$/;

/** Whether a place is text for a reader, not a file that is run. */
export function isDocument({ medium }: FactPlace): boolean {
  return DOCUMENT_MEDIA.has(medium);
}

const DOCUMENT_MEDIA: ReadonlySet<FactPlace["medium"]> = new Set<FactPlace["medium"]>([
  "prose",
  "list",
  "table",
  "quote",
  "heading",
  "fence",
  "inline-code",
  "link",
]);

// A host that calls itself what it is: nobody downloads from there.
const SPECIMEN =
  /(?:^|[.-])(?:attacker|evil|malicious|hacker|victim|badguy|bad-?(?:actor|site|host|domain)|lhost|untrusted|sketchy|rogue)[\w-]{0,20}(?:[.-]|$)|(?:^|\.)(?:attack|malware|c2|bad|phishing|exploit|example|listener|kali|suspicious)-?(?:site|server|host|domain|example|c2|url)?(?:\.|$)/;
