import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { parseUrl } from "@skillet/kit/network";
import {
  array,
  digest,
  filledText,
  matching,
  object,
  oneOf,
  optional,
  readDocument,
  refine,
  type Schema,
  scalar,
  text,
} from "@skillet/kit/schema";
import { quoteName } from "@skillet/kit/text";
import type { HubLimits } from "../hub-limits.ts";
import { checkEntryPath, findCollisions } from "./entry-path.ts";
import { showUrl } from "./http/address.ts";
import { decodeUri } from "./source-text.ts";

interface Described {
  readonly name: string;
  readonly description: string;
}

/** Version 0.2: one artefact, a SKILL.md or an archive; `plugin`, the archive of an Agent Plugin, is our addition. */
interface ArtefactEntry extends Described {
  readonly type: "skill-md" | "archive" | "plugin";
  readonly url: string;
  readonly digest: Digest;
  readonly signatures?: readonly string[];
}

/** Version 0.1: plain files without a digest. */
interface FilesEntry extends Described {
  readonly type: "files";
  readonly files: readonly { readonly path: string; readonly url: string }[];
}

export type IndexEntry = ArtefactEntry | FilesEntry;

interface IndexPlace {
  readonly url: string;
  readonly limits: HubLimits;
}

type ParsedIndex =
  | { readonly entries: readonly IndexEntry[]; readonly diagnostics: readonly Diagnostic[] }
  | { readonly fault: Diagnostic };

const SCHEMA = /^https?:\/\/schemas\.agentskills\.io\/discovery\/(0\.[12])\.[0-9]+\/schema\.json$/;
const TYPES = ["skill-md", "archive", "plugin"] as const;
const NEWER = "a newer Skillet may know it";

/** Parses an index of version 0.2 or 0.1; each faulty entry is left out, with the exact reason. */
export function parseIndex(bytes: Uint8Array, place: IndexPlace): ParsedIndex {
  const file = showUrl(place.url);
  const unusable = (message: string): ParsedIndex => ({
    fault: { code: "index-invalid", severity: "error", message, file, hint: "tell the site's owner" },
  });
  const document = parseJson(bytes);
  if (document === undefined) return unusable("is not JSON, as pages for people are");
  const skills = fieldOf(document, "skills");
  if (!Array.isArray(skills)) return unusable('is JSON without a list "skills"');
  const schema = fieldOf(document, "$schema");
  const version = schema === undefined ? "0.1" : SCHEMA.exec(typeof schema === "string" ? schema : "")?.[1];
  if (version === undefined) {
    const shown = quoteName(typeof schema === "string" ? schema.slice(0, 200) : "of another kind than text");
    const message = `has the "$schema" ${shown}, which this version does not know; it is not processed`;
    return { fault: { code: "index-schema-unknown", severity: "warning", message, file, hint: NEWER } };
  }
  if (skills.length > place.limits.maxEntries)
    return unusable(`lists more than ${place.limits.maxEntries} skills`);
  const entry: Schema<IndexEntry> = version === "0.2" ? artefactEntry(place) : filesEntry(place);
  const entries = new Map<string, IndexEntry>();
  const diagnostics: Diagnostic[] = [];
  for (const [index, skill] of (skills as readonly unknown[]).entries()) {
    const name = fieldOf(skill, "name");
    const label = `skills[${index}]${typeof name === "string" ? ` (${quoteName(name.slice(0, 64))})` : ""}`;
    const type = version === "0.2" ? fieldOf(skill, "type") : undefined;
    if (typeof type === "string" && !TYPES.some((known) => known === type)) {
      const message = `${label} has the type ${quoteName(type.slice(0, 64))}, which this version does not know; it is left out`;
      diagnostics.push({ code: "index-type-unknown", severity: "warning", message, file, hint: NEWER });
      continue;
    }
    const { value, faults } = readDocument(entry, skill, { name: "the entry", maxFaults: 1 });
    if (value !== undefined && !entries.has(value.name)) entries.set(value.name, value);
    else {
      const message = `${label}${value === undefined ? `: ${faults[0]?.message}` : " is there twice"}; it is left out`;
      const hint = "tell the site's owner; the other skills can be installed";
      diagnostics.push({ code: "index-entry-invalid", severity: "error", message, file, hint });
    }
  }
  return { entries: [...entries.values()], diagnostics };
}

const skillName = matching(
  /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
  "at most 64 lower-case letters, digits and single hyphens",
);
const pluginName = matching(
  /^(?=.{1,64}$)(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/,
  "at most 64 lower-case letters, digits, single hyphens and dots",
);
const description = scalar("text of 1 to 1024 characters", (value) =>
  typeof value === "string" && value.trim() !== "" && value.length <= 1024 ? value : undefined,
);

function artefactEntry(place: IndexPlace): Schema<ArtefactEntry> {
  const url = addressOn(place);
  // Our addition to version 0.2, so an unreadable list is not a fault: a policy that requires signatures finds none.
  const signatures = optional((listed: unknown) =>
    (Array.isArray(listed) ? listed : []).flatMap((item: unknown) => readDocument(url, item).value ?? []),
  );
  const entryNamed = (name: Schema<string>): Schema<ArtefactEntry> =>
    object<ArtefactEntry>(
      { name, description, type: oneOf(TYPES), url, digest, signatures },
      { unknown: "drop" },
    );
  const [skill, plugin] = [entryNamed(skillName), entryNamed(pluginName)];
  return (given, reading) => {
    const other = ["sha256", "hash", "checksum", "integrity"].find(
      (key) => fieldOf(given, key) !== undefined,
    );
    if (fieldOf(given, "digest") === undefined && other !== undefined)
      reading.fault(`has no \`digest\` but the key \`${other}\`; version 0.2 wants "digest": "sha256:…"`);
    return (fieldOf(given, "type") === "plugin" ? plugin : skill)(given, reading);
  };
}

// An encoded slash, backslash, dot or NUL that only some servers decode.
const ENCODED_TRAVERSAL = /%(?:2f|5c|2e|00)/i;

function addressOn(place: IndexPlace): Schema<string> {
  return refine(filledText, (value, reading) => {
    const url = parseUrl(value, place.url);
    if (url === undefined) return reading.fault("is not a URL");
    const [path = ""] = value.split(/[?#]/);
    if (ENCODED_TRAVERSAL.test(path) || path.includes("\\") || path.split("/").includes(".."))
      return reading.fault("climbs out of its folder or hides where it leads");
    if (url.username !== "" || url.password !== "") return reading.fault("has credentials");
    if (url.origin !== new URL(place.url).origin) return reading.fault("is on another site than the index");
    return url.href;
  });
}

function filesEntry({ url, limits }: IndexPlace): Schema<FilesEntry> {
  const listed = refine(array(filePath, { maxItems: limits.maxSkillFiles }), (paths, reading) => {
    if (!paths.includes("SKILL.md")) return reading.fault("does not list SKILL.md");
    const collision = findCollisions(paths);
    return collision === undefined ? paths : reading.fault(`has paths of which ${collision}`);
  });
  const entry = object<Described & { readonly files: readonly string[] }>({
    name: skillName,
    description,
    files: listed,
  });
  return (given, reading) => {
    const isNewer = fieldOf(given, "url") !== undefined || fieldOf(given, "digest") !== undefined;
    if (fieldOf(given, "files") === undefined && isNewer)
      reading.fault('has `url` or `digest` in an index without "$schema", which version 0.2 needs');
    const value = entry(given, reading);
    if (value === undefined) return undefined;
    const { name, description: described } = value;
    const files = value.files.map((path) => {
      const encoded = path.split("/").map(encodeURIComponent).join("/");
      return { path, url: new URL(`${name}/${encoded}`, url).href };
    });
    return { type: "files", name, description: described, files };
  };
}

const filePath: Schema<string> = refine(text, (path, reading) => {
  // The characters that version 0.1 allows in a path.
  if (!/^[\x21-\x7e]+$/.test(path) || /[\\?#[\]]/.test(path))
    return reading.fault("has characters other than printable ASCII, or one of \\ ? # [ ]");
  // Also checked as a server would decode it.
  const problem = checkEntryPath(path) ?? (path.includes("%") ? checkDecoded(path) : undefined);
  return problem === undefined ? path : reading.fault(problem);
});

function checkDecoded(path: string): string | undefined {
  const decoded = decodeUri(path);
  return decoded === undefined ? "has a percent sign that encodes nothing" : checkEntryPath(decoded);
}
