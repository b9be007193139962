import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson } from "@skillet/kit/json";
import {
  array,
  digest,
  filledText,
  matching,
  object,
  oneOf,
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

export type IndexEntry =
  /** Version 0.2: one artefact, a SKILL.md or an archive. */
  | {
      readonly kind: "skill-md" | "archive";
      readonly name: string;
      readonly description: string;
      readonly url: string;
      readonly digest: Digest;
      readonly signatures?: readonly string[];
    }
  /** Version 0.1: plain files, without a digest. */
  | {
      readonly kind: "files";
      readonly name: string;
      readonly description: string;
      readonly files: readonly { readonly path: string; readonly url: string }[];
    };

/** An index as it was read; entries with faults are left out, and diagnostics say why. */
export interface SkillIndex {
  readonly location: string;
  readonly entries: readonly IndexEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

export function entryOf({ entries, location, diagnostics }: SkillIndex, name: string): IndexEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const fault = diagnostics.find(({ message }) => message.includes(`(${quoteName(name)})`));
  const reason =
    fault === undefined
      ? "it may have been removed or renamed"
      : `its entry cannot be used: ${fault.message}`;
  const message = `The index ${showUrl(location)} has no skill ${quoteName(name.slice(0, 64))}; ${reason}. List what it offers, or tell the site's owner.`;
  throw new SkilletError("index-entry-missing", message, {
    data: { index: showUrl(location), name: name.slice(0, 64) },
  });
}

interface IndexPlace {
  readonly url: string;
  readonly limits: HubLimits;
}

type ParsedIndex =
  | { readonly entries: readonly IndexEntry[]; readonly diagnostics: readonly Diagnostic[] }
  | { readonly fault: Diagnostic };

const SCHEMA_0_2 = /^https?:\/\/schemas\.agentskills\.io\/discovery\/0\.2\.[0-9]+\/schema\.json$/;
const SCHEMA_0_1 = /^https?:\/\/schemas\.agentskills\.io\/discovery\/0\.1\.[0-9]+\/schema\.json$/;

/** Reads an index of version 0.2 or 0.1; each entry with a fault is left out, with the exact reason. */
export function parseIndex(bytes: Uint8Array, place: IndexPlace): ParsedIndex {
  const file = showUrl(place.url);
  const document = parseJson(bytes);
  if (document === undefined) return { fault: unusable(file, "is not JSON, as pages for people are") };
  const skills = fieldOf(document, "skills");
  if (!Array.isArray(skills)) return { fault: unusable(file, 'is JSON without a list "skills"') };
  const schema = fieldOf(document, "$schema");
  const hasDigests = typeof schema === "string" && SCHEMA_0_2.test(schema);
  if (!hasDigests && schema !== undefined && !(typeof schema === "string" && SCHEMA_0_1.test(schema)))
    return { fault: unknownSchema(file, schema) };
  if (skills.length > place.limits.maxEntries)
    return { fault: unusable(file, `lists more than ${place.limits.maxEntries} skills`) };
  const entry = hasDigests ? artefactEntry(place) : filesEntry(place);
  const entries = new Map<string, IndexEntry>();
  const diagnostics: Diagnostic[] = [];
  for (const [index, skill] of (skills as readonly unknown[]).entries()) {
    const name = fieldOf(skill, "name");
    const label = `skills[${index}]${typeof name === "string" ? ` (${quoteName(name.slice(0, 64))})` : ""}`;
    const type = fieldOf(skill, "type");
    const { value, faults } = readDocument(entry, skill, { name: "the entry", maxFaults: 1 });
    if (hasDigests && typeof type === "string" && !TYPES.some((known) => known === type))
      diagnostics.push(unknownType(file, label, type));
    else if (value === undefined) diagnostics.push(entryFault(file, `${label}: ${faults[0]?.message}`));
    else if (entries.has(value.name)) diagnostics.push(entryFault(file, `${label} is there twice`));
    else entries.set(value.name, value);
  }
  return { entries: [...entries.values()], diagnostics };
}

const skillName = matching(
  /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
  "at most 64 lower-case letters, digits and single hyphens",
);
const description = scalar("text of 1 to 1024 characters", (value) =>
  typeof value === "string" && value.trim() !== "" && value.length <= 1024 ? value : undefined,
);

const TYPES = ["skill-md", "archive"] as const;

interface ArtefactEntry {
  readonly name: string;
  readonly description: string;
  readonly type: (typeof TYPES)[number];
  readonly url: string;
  readonly digest: Digest;
}

function artefactEntry(place: IndexPlace): Schema<IndexEntry> {
  const url = addressOn(place);
  const entry = object<ArtefactEntry>(
    { name: skillName, description, type: oneOf(TYPES), url, digest },
    { unknown: "drop" },
  );
  return (given, reading) => {
    const other = ["sha256", "hash", "checksum", "integrity"].find(
      (key) => fieldOf(given, key) !== undefined,
    );
    if (fieldOf(given, "digest") === undefined && other !== undefined)
      reading.fault(`has no \`digest\` but the key \`${other}\`; version 0.2 wants "digest": "sha256:…"`);
    const value = entry(given, reading);
    if (value === undefined) return undefined;
    // An addition to version 0.2, so one that cannot be read is not a fault: a policy that wants it finds none.
    const listed = fieldOf(given, "signatures");
    const signatures = (Array.isArray(listed) ? listed : []).flatMap(
      (item: unknown) => readDocument(url, item).value ?? [],
    );
    const { type: kind, ...rest } = value;
    return { kind, ...rest, ...(signatures.length > 0 && { signatures }) };
  };
}

// A slash, a backslash, a dot or a NUL that only some servers decode.
const ENCODED_TRAVERSAL = /%(?:2f|5c|2e|00)/i;

function addressOn(place: IndexPlace): Schema<string> {
  return refine(filledText, (value, reading) => {
    if (!URL.canParse(value, place.url)) return reading.fault("is not a URL");
    const url = new URL(value, place.url);
    const [path = ""] = value.split(/[?#]/);
    if (ENCODED_TRAVERSAL.test(path) || path.includes("\\") || path.split("/").includes(".."))
      return reading.fault("climbs out of its folder or hides where it leads");
    if (url.username !== "" || url.password !== "") return reading.fault("has credentials");
    if (url.origin !== new URL(place.url).origin) return reading.fault("is on another site than the index");
    return url.href;
  });
}

interface FilesEntry {
  readonly name: string;
  readonly description: string;
  readonly files: readonly string[];
}

function filesEntry(place: IndexPlace): Schema<IndexEntry> {
  const entry = object<FilesEntry>({
    name: skillName,
    description,
    files: refine(array(filePath, { maxItems: place.limits.maxSkillFiles }), (paths, reading) => {
      if (!paths.includes("SKILL.md")) return reading.fault("does not list SKILL.md");
      const collision = findCollisions(paths);
      return collision === undefined ? paths : reading.fault(`has paths of which ${collision}`);
    }),
  });
  return (given, reading) => {
    const isNewer = fieldOf(given, "url") !== undefined || fieldOf(given, "digest") !== undefined;
    if (fieldOf(given, "files") === undefined && isNewer)
      reading.fault('has `url` or `digest` in an index without "$schema", which version 0.2 needs');
    const value = entry(given, reading);
    if (value === undefined) return undefined;
    const { name, files } = value;
    const urlOf = (path: string): string =>
      new URL(`${name}/${path.split("/").map(encodeURIComponent).join("/")}`, place.url).href;
    return {
      kind: "files",
      name,
      description: value.description,
      files: files.map((path) => ({ path, url: urlOf(path) })),
    };
  };
}

const filePath: Schema<string> = refine(text, (path, reading) => {
  // What version 0.1 lets a path be made of.
  if (!/^[\x21-\x7e]+$/.test(path) || /[\\?#[\]]/.test(path))
    return reading.fault("has characters other than printable ASCII, or one of \\ ? # [ ]");
  // Checked as a server would decode it, too.
  const problem = checkEntryPath(path) ?? (path.includes("%") ? checkDecoded(path) : undefined);
  return problem === undefined ? path : reading.fault(problem);
});

function checkDecoded(path: string): string | undefined {
  try {
    return checkEntryPath(decodeURIComponent(path));
  } catch (error) {
    if (error instanceof URIError) return "has a percent sign that encodes nothing";
    throw error;
  }
}

function entryFault(file: string, message: string): Diagnostic {
  return {
    code: "index-entry-invalid",
    severity: "error",
    message: `${message}; it is left out`,
    file,
    hint: "tell the site's owner; the other skills can be installed",
  };
}

function unknownType(file: string, label: string, type: string): Diagnostic {
  return {
    code: "index-type-unknown",
    severity: "warning",
    message: `${label} has the type ${quoteName(type.slice(0, 64))}, which this version does not know; it is left out`,
    file,
    hint: "a newer Skillet may know it",
  };
}

function unusable(file: string, message: string): Diagnostic {
  return { code: "index-invalid", severity: "error", message, file, hint: "tell the site's owner" };
}

function unknownSchema(file: string, schema: unknown): Diagnostic {
  const shown = quoteName(typeof schema === "string" ? schema.slice(0, 200) : "of another kind than text");
  return {
    code: "index-schema-unknown",
    severity: "warning",
    message: `has the "$schema" ${shown}, which this version does not know; it is not processed`,
    file,
    hint: "a newer Skillet may know it",
  };
}
