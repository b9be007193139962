import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { FetchContext } from "../fetch-context.ts";
import { showUrl } from "../http/check-url.ts";
import { download } from "../http/download.ts";
import { parseIndex, type SkillIndex } from "./skill-index.ts";

// Thousands of skills with their longest descriptions.
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
// 403 as well: some stores answer so for whatever they do not have.
const ABSENT: readonly number[] = [403, 404, 410];

export async function findIndex(base: string, context: FetchContext): Promise<SkillIndex> {
  const faults: Diagnostic[] = [];
  const locations = indexLocations(base);
  for (const location of locations) {
    context.onStep?.({ step: "resolve", what: showUrl(location) });
    const answer = await download(location, context, {
      accept: "application/json",
      maxBytes: Math.min(MAX_INDEX_BYTES, context.limits.maxDownloadBytes),
      statuses: ABSENT,
    });
    if (ABSENT.includes(answer.status)) continue;
    const parsed = parseIndex(answer.bytes, { url: answer.url, limits: context.limits });
    if ("fault" in parsed) faults.push(parsed.fault);
    else return { location, entries: parsed.entries, diagnostics: [...faults, ...parsed.diagnostics] };
  }
  throw noIndex(base, { faults, locations });
}

function noIndex(
  base: string,
  { faults, locations }: { readonly faults: readonly Diagnostic[]; readonly locations: readonly string[] },
): SkilletError {
  const data = { base: showUrl(base), locations: locations.map(showUrl), faults };
  if (faults.length > 0) {
    const message = `The index of skills at ${showUrl(base)} cannot be used: ${faults.map(({ file, message }) => `${file} ${message}`).join("; ")}. Tell whoever runs the site, or give the address of a skill.`;
    return new SkilletError("index-unusable", message, { data });
  }
  const message = `${showUrl(base)} offers no index of skills; there is none at ${locations.map(showUrl).join(", ")}. Check the address, or give that of a repository, an archive or a SKILL.md.`;
  return new SkilletError("index-not-found", message, { data });
}

// The newer draft's first.
const PREFIXES: readonly string[] = [".well-known/agent-skills", ".well-known/skills"];

/** Where the index of a site may be: below the path that was given, then at the root, under both prefixes. */
function indexLocations(base: string): readonly string[] {
  const { origin, pathname } = new URL(base);
  if (pathname.endsWith("/index.json")) return [`${origin}${pathname}`];
  const folder = pathname.replace(/\/+$/, "");
  // The address of the index's own folder.
  if (PREFIXES.some((prefix) => folder.endsWith(`/${prefix}`))) return [`${origin}${folder}/index.json`];
  const scopes = folder === "" ? [""] : [folder, ""];
  return scopes.flatMap((scope) => PREFIXES.map((prefix) => `${origin}${scope}/${prefix}/index.json`));
}
