import { findSpokenCommands } from "../analyse/shell/find-spoken-commands.ts";
import { type Fact, FactBook } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/finding.ts";
import { hostOf, registeredDomain } from "../host/classify-host.ts";
import { findProseActs, findProseFlows } from "../prose/find-flows.ts";
import { shareStatements } from "../prose/statements.ts";
import { isPlain } from "../text/fold-text.ts";

export function createProfile(book: FactBook): SkillProfile {
  const declared = book.of("declaration");
  const valuesOf = (what: (typeof declared)[number]["what"]): string[] =>
    declared.filter((fact) => fact.what === what).map(({ value }) => value);
  const headings = book
    .of("clause")
    .filter(({ medium, file }) => medium === "heading" && file.toLowerCase() === "skill.md")
    .map(({ text }) => text);
  const name = valuesOf("name")[0] ?? headings[0] ?? "";
  const description = valuesOf("description")[0] ?? "";
  const about = [name, description, ...headings].join(" ").toLowerCase();
  return {
    name,
    description,
    declaredHosts: new Set([...valuesOf("homepage"), ...valuesOf("host")].flatMap(hostNames)),
    isSecurityTool: SECURITY.test(`${name} ${description}`.toLowerCase()) || SECURITY.test(headings[0] ?? ""),
    words: new Set(about.match(isPlain(about) ? PLAIN_WORDS : WORDS) ?? []),
  };
}

function hostNames(url: string): string[] {
  const host = hostOf(url);
  return host === undefined || host === "" ? [] : [host, registeredDomain(host)];
}

const WORDS = /[\p{L}\p{N}]{2,}/gu;
const PLAIN_WORDS = /[a-z0-9]{2,}/g;
const SECURITY =
  /\b(?:security|secure|malware|malicious|threat|attack|exploit|vulnerabilit|penetration|pentest|red[- ]?team|blue[- ]?team|injection|jailbreak|guardrail|hardening|forensic|incident|detect|scanner|audit|phishing|reverse[- ]engineer|ctf|offensive|defen[cs]|siem|sigma|yara|owasp|cve|sast|dast|intrusion|ransomware|exfiltrat|privilege escalation|sanitiz|secrets? scan|leak)/;

export function createFactBook(facts: readonly Fact[]): FactBook {
  const seen = new FactBook(facts);
  const said = [...findProseFlows(seen), ...findProseActs(seen), ...findSpokenCommands(seen)];
  if (said.length === 0) return seen;
  const book = new FactBook([...facts, ...said]);
  shareStatements(seen, book);
  return book;
}
