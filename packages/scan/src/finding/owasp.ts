export interface OwaspList {
  readonly name: string;
  readonly titles: ReadonlyMap<string, string>;
}

export const OWASP_LISTS: readonly OwaspList[] = [
  {
    name: "OWASP Agentic Skills Top 10",
    titles: new Map([
      ["AST01", "Malicious Skills"],
      ["AST02", "Supply Chain Compromise"],
      ["AST03", "Over-Privileged Skills"],
      ["AST04", "Insecure Metadata"],
      ["AST05", "Untrusted External Instructions"],
      ["AST06", "Weak Isolation"],
      ["AST07", "Update Drift"],
      ["AST08", "Poor Scanning"],
      ["AST09", "No Governance"],
      ["AST10", "Cross-Platform Reuse"],
    ]),
  },
  {
    name: "OWASP Top 10 for Agentic Applications 2026",
    titles: new Map([
      ["ASI01", "Agent Goal Hijack"],
      ["ASI02", "Tool Misuse and Exploitation"],
      ["ASI03", "Identity and Privilege Abuse"],
      ["ASI04", "Agentic Supply Chain Vulnerabilities"],
      ["ASI05", "Unexpected Code Execution"],
      ["ASI06", "Memory and Context Poisoning"],
      ["ASI07", "Insecure Inter-Agent Communication"],
      ["ASI08", "Cascading Failures"],
      ["ASI09", "Human-Agent Trust Exploitation"],
      ["ASI10", "Rogue Agents"],
    ]),
  },
];

/** The title of an entry of OWASP's lists, such as `Malicious Skills`; undefined for any other id. */
export function owaspTitle(id: string): string | undefined {
  for (const { titles } of OWASP_LISTS) {
    const title = titles.get(id);
    if (title !== undefined) return title;
  }
  return undefined;
}
