import { phrases } from "../word-list.ts";

export interface OwaspList {
  readonly name: string;
  readonly titles: ReadonlyMap<string, string>;
}

// The name of a list, then its entries.
const LISTS = `
  OWASP Agentic Skills Top 10: AST01 Malicious Skills, AST02 Supply Chain Compromise, AST03 Over-Privileged Skills,
    AST04 Insecure Metadata, AST05 Untrusted External Instructions, AST06 Weak Isolation, AST07 Update Drift,
    AST08 Poor Scanning, AST09 No Governance, AST10 Cross-Platform Reuse
  OWASP Top 10 for Agentic Applications 2026: ASI01 Agent Goal Hijack, ASI02 Tool Misuse and Exploitation,
    ASI03 Identity and Privilege Abuse, ASI04 Agentic Supply Chain Vulnerabilities, ASI05 Unexpected Code Execution,
    ASI06 Memory and Context Poisoning, ASI07 Insecure Inter-Agent Communication, ASI08 Cascading Failures,
    ASI09 Human-Agent Trust Exploitation, ASI10 Rogue Agents
`;

export const OWASP_LISTS: readonly OwaspList[] = Array.from(
  LISTS.matchAll(/^ {2}(\S.*?): ((?:.*\n)(?: {4}.*\n)*)/gm),
  ([, name = "", entries = ""]) => ({
    name,
    titles: new Map(phrases(entries).map((entry): [string, string] => [entry.slice(0, 5), entry.slice(6)])),
  }),
);

/** The title of an entry of OWASP's lists, such as `Malicious Skills`; undefined for any other id. */
export function owaspTitle(id: string): string | undefined {
  return OWASP_LISTS.find(({ titles }) => titles.has(id))?.titles.get(id);
}
