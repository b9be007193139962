import { type AnomalyFact, type Fact, placeOf, wholeFile } from "../fact/fact.ts";
import type { SkillFile } from "../file/file-kind.ts";
import { decodeText } from "../file/identify-file.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { lastAtMost, lineStarts } from "../text/source-text.ts";
import { wordSet } from "../word-list.ts";
import type { IsFixture } from "./fixture-files.ts";

/**
 * Notes the addresses that a skill calls but that are in none of its files: they are assembled from codes,
 * reversed, decoded or pieced together, so that nobody who reads or searches the files finds them.
 */
export function findAssembledAddresses(
  facts: readonly Fact[],
  files: readonly SkillFile[],
  isFixture: IsFixture,
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
    if (known) continue;
    found.push({ ...placeOf(fact), kind: "anomaly", what: "assembled-address", detail: host });
  }
  return [...found, ...files.flatMap((file) => reversedAddresses(file, isFixture))];
}

function reversedAddresses(
  { path: file, bytes, unread }: SkillFile,
  isFixture: IsFixture,
): readonly AnomalyFact[] {
  if (unread !== undefined || /\.(?:md|txt)$/i.test(file)) return [];
  const { text } = decodeText(bytes);
  if (!text.includes("//:")) return [];
  const starts = lineStarts(text);
  const found: AnomalyFact[] = [];
  for (const { 0: snippet, index } of text.matchAll(/[\w.%/-]{4,200}\/\/:s?ptth/gi)) {
    const detail = hostOf([...snippet].reverse().join("")) ?? snippet;
    const line = lastAtMost(starts, index) + 1;
    const place = { ...wholeFile(file, snippet, isFixture(file)), line, medium: "script" } as const;
    found.push({ ...place, kind: "anomaly", what: "assembled-address", detail });
    if (found.length === MAX_REVERSED) break;
  }
  return found;
}

/** Per file; a single one is enough to condemn. */
const MAX_REVERSED = 20;

const ORDINARY: ReadonlySet<string> = wordSet(
  "unknown loopback private known-vendor code-host package-registry",
);

function hostIn(fact: Fact): string | undefined {
  const isSpelled = fact.chain.some(({ how }) => how === "character codes");
  if (fact.kind === "link") return isSpelled ? hostOf(fact.url) : undefined;
  if (fact.kind !== "act" || (fact.medium !== "script" && fact.medium !== "config")) return undefined;
  const { act } = fact;
  // The host of a bucket is our own interpretation of its name.
  const isCalled = (act.type === "fetch" || act.type === "send") && /^(?:https?|wss?):/i.test(act.url);
  return isCalled ? hostOf(act.host) : undefined;
}
