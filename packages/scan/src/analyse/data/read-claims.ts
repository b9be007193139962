import { type DataNode, entriesOf, scalarsOf, valueAt } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";

/** Reads what a skill promises not to do: no network, nothing written. */
export function readClaims(writer: DataWriter, root: DataNode): void {
  for (const { keys, pattern, what } of SETTINGS) {
    for (const key of keys) {
      const value = valueAt(root, key) ?? valueAt(root, "metadata", key);
      const scalar = scalarsOf(value)[0];
      if (scalar !== undefined && pattern.test(scalar.text)) {
        writer.addDeclaration(what, `${key}: ${scalar.text}`, scalar.start, scalar.end);
      }
    }
  }
  readPermissions(writer, root);
  for (const description of scalarsOf(valueAt(root, "description"))) {
    for (const { pattern, what } of PROMISES) {
      const promise = pattern.exec(description.text)?.[0];
      if (promise !== undefined) writer.addDeclaration(what, promise, description.start, description.end);
    }
  }
}

/** A list of permissions that is empty, or is about files alone, leaves the network out. */
function readPermissions(writer: DataWriter, root: DataNode): void {
  const entry = entriesOf(root).find(({ key }) => /^permissions$/i.test(key));
  if (entry?.value.kind !== "list") return;
  const asked = scalarsOf(entry.value);
  if (asked.length !== entry.value.items.length || !asked.every(({ text }) => FILES_ONLY.test(text))) return;
  const value = `permissions: ${asked.length === 0 ? "none" : asked.map(({ text }) => text).join(", ")}`;
  const end = asked.at(-1)?.end ?? entry.keyStart + entry.key.length;
  writer.addDeclaration("no-network", value, entry.keyStart, end);
}

const FILES_ONLY =
  /^(?:(?:read|write|list|delete)(?:[:_. -](?:\w{1,20}[ _-])?(?:files?|fs|filesystem|disk|workspace|director(?:y|ies)))|(?:files?|fs|filesystem|disk|workspace)(?:[:_. -](?:read|write|list|delete|read[_-]?write))?)$/i;
const NO = /^(?:false|none|no|off|never|disabled|deny)$/i;
const YES = /^(?:true|yes|on)$/i;
const SETTINGS = [
  { keys: ["network", "internet", "network_access", "network-access"], pattern: NO, what: "no-network" },
  { keys: ["offline", "local_only", "local-only"], pattern: YES, what: "no-network" },
  { keys: ["read_only", "read-only", "readonly"], pattern: YES, what: "read-only" },
] as const;
const PROMISES = [
  {
    what: "no-network",
    pattern:
      /\b(?:no network (?:access|calls?|requests?|connections?)|without (?:any )?(?:network|internet)(?: access)?|(?:works?|runs?|operates?) (?:entirely |fully |completely |100% )?(?:offline|locally)(?! hosted| or)|no (?:data|information|file|code) (?:ever )?leaves|nothing leaves your|never (?:sends|uploads|transmits) (?:any )?(?:data|files|code)|no external (?:calls|requests|connections|network)|local[- ]only|fully offline|100% (?:local|offline))\b/i,
  },
  {
    what: "read-only",
    pattern:
      /\b(?:strictly read[- ]only|(?:is|are|operates?|works?) read[- ]only|read[- ]only (?:skill|tool|analysis|audit|scanner)|never (?:modifies|writes|changes|deletes) (?:any )?(?:files|data|anything))\b/i,
  },
] as const;
