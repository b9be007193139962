import type { AnomalyFact, Fact } from "../fact/fact.ts";
import { decodeText } from "../file/decode-text.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { wordSet } from "../word-list.ts";

/**
 * Notes the addresses that a skill calls and that stand in none of its files: they were put together from codes,
 * reversed, decoded or pieced, so that nobody who reads or searches the files finds them.
 */
export function findAssembledAddresses(
  facts: readonly Fact[],
  files: readonly SkillFile[],
): readonly AnomalyFact[] {
  const found: AnomalyFact[] = [];
  const isWritten = new Map<string, boolean>();
  let texts: readonly string[] | undefined;
  for (const fact of facts) {
    const host = hostIn(fact);
    if (host === undefined || ORDINARY.has(classifyHost(host))) continue;
    const domain = /^[\d.]+$/.test(host) ? host : registeredDomain(host);
    let known = isWritten.get(domain);
    if (known === undefined) {
      texts ??= files.map(({ bytes }) => decodeText(bytes).text.toLowerCase());
      known = texts.some((text) => text.includes(domain));
      isWritten.set(domain, known);
    }
    const { file, line, snippet, chain, medium, stance, section, isFixture } = fact;
    const place = { file, line, snippet, chain, medium, stance, section, isFixture };
    if (!known) found.push({ ...place, kind: "anomaly", what: "assembled-address", detail: host });
  }
  return [...found, ...files.flatMap(reversedAddresses)];
}

function reversedAddresses({ path: file, bytes }: SkillFile): readonly AnomalyFact[] {
  if (/\.(?:md|txt)$/i.test(file)) return [];
  const { text } = decodeText(bytes);
  if (!text.includes("//:")) return [];
  return Array.from(text.matchAll(/[\w.%/-]{4,200}\/\/:s?ptth/gi), ({ 0: snippet, index }): AnomalyFact => {
    const line = text.slice(0, index).split("\n").length;
    const detail = hostOf([...snippet].reverse().join("")) ?? snippet;
    const place = { file, line, snippet, chain: [], section: [], isFixture: false } as const;
    return { ...place, medium: "script", stance: "live", kind: "anomaly", what: "assembled-address", detail };
  });
}

const ORDINARY: ReadonlySet<string> = wordSet(
  "unknown loopback private known-vendor code-host package-registry",
);

/** The host that code calls, or that was decoded from the codes of its letters. */
function hostIn(fact: Fact): string | undefined {
  const isSpelled = fact.chain.some(({ how }) => how === "character codes");
  if (fact.kind === "link") return isSpelled ? hostOf(fact.url) : undefined;
  if (fact.kind !== "act" || (fact.medium !== "script" && fact.medium !== "config")) return undefined;
  const { act } = fact;
  // The host of a bucket is our own reading of its name.
  const isCalled = (act.type === "fetch" || act.type === "send") && /^(?:https?|wss?):/i.test(act.url);
  return isCalled ? hostOf(act.host) : undefined;
}
