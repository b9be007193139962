/** How a registry wants to be signed in to. */
export type OciChallenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service?: string };

const MAX_CHALLENGE = 8_192;
// RFC 9110: a token, `=`, then a token or a quoted string; linear, as nothing in it can match in two ways.
const PARAMETER = /([a-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/giy;
const SCHEME = /([a-z0-9!#$%&'*+.^_`|~-]+)(?:\s+|$)/giy;

/** Reads `WWW-Authenticate`; of several challenges a bearer one is taken first. */
export function parseOciChallenge(header: string | undefined): OciChallenge | undefined {
  if (header === undefined || header.length > MAX_CHALLENGE) return undefined;
  const challenges = readChallenges(header);
  for (const { scheme, parameters } of challenges) {
    const realm = parameters.get("realm");
    if (scheme !== "bearer" || realm === undefined) continue;
    const service = parameters.get("service");
    return { scheme, realm, ...(service !== undefined && { service }) };
  }
  return challenges.some(({ scheme }) => scheme === "basic") ? { scheme: "basic" } : undefined;
}

function readChallenges(header: string): { scheme: string; parameters: Map<string, string> }[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (let index = 0; index < header.length; ) {
    const separator = /[\s,]/.test(header.charAt(index));
    if (separator) {
      index += 1;
      continue;
    }
    PARAMETER.lastIndex = index;
    const parameter = PARAMETER.exec(header);
    SCHEME.lastIndex = index;
    const scheme = parameter === null ? SCHEME.exec(header) : null;
    if (parameter !== null) {
      const value = parameter[2]?.replace(/\\(.)/g, "$1") ?? parameter[3] ?? "";
      const parameters = challenges.at(-1)?.parameters;
      const name = (parameter[1] ?? "").toLowerCase();
      if (parameters !== undefined && !parameters.has(name)) parameters.set(name, value);
      index = PARAMETER.lastIndex;
    } else if (scheme !== null) {
      challenges.push({ scheme: (scheme[1] ?? "").toLowerCase(), parameters: new Map() });
      index = SCHEME.lastIndex;
    } else break;
  }
  return challenges;
}
