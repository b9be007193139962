import { isJsonObject } from "@skillet/kit/json";
import type { Resolved } from "../fetch/resolved.ts";
import type { EntryFault } from "./check-entry.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isDigest: Check = (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
const isCommit: Check = (value) => typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const FIELDS: Readonly<Record<Resolved["kind"], Readonly<Record<string, Check>>>> = {
  git: { url: isText, ref: isOptional(isText), commit: isCommit },
  local: { path: isText },
  archive: { location: isText, digest: isDigest },
  "skill-file": { url: isText, digest: isDigest },
  "well-known": { index: isText, name: isText, digest: isOptional(isDigest) },
  npm: { name: isText, version: isText, integrity: isText },
  oci: { registry: isText, repository: isText, tag: isOptional(isText), digest: isDigest },
};

/** What is wrong with the pin of an entry. */
export function checkResolved(resolved: unknown): EntryFault | undefined {
  if (!isJsonObject(resolved)) return { problem: '"resolved" is no object' };
  const { kind } = resolved;
  if (typeof kind !== "string" || !Object.hasOwn(FIELDS, kind))
    return { problem: '"resolved.kind" is no kind of source', at: resolved };
  for (const [field, check] of Object.entries(FIELDS[kind as Resolved["kind"]])) {
    if (!check(resolved[field])) return { problem: `"resolved.${field}" is missing or wrong`, at: resolved };
  }
  return undefined;
}
