import { isUtf8 } from "node:buffer";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { quoteName, showLine, showName } from "@skillet/kit/text";
import type { CallOptions } from "../../ask.ts";
import type { Resource, ResourceKind } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { decideUse } from "../../use/may-use.ts";
import { findActive } from "../active-skills.ts";
import { givenText, showValue } from "../model-input.ts";
import { placeOf } from "../records/session-record.ts";
import { isJudged, vetShown } from "../session-vetting.ts";
import { resolveFor } from "../skill-access.ts";
import { checkTrust, frozenIndex } from "../skill-reader.ts";
import { refusesDrift, type SessionState } from "../state.ts";

const DEFAULT_READ_BYTES = 64_000;
export const MAX_READ_BYTES = 256_000;

// The whole file is read to compare its digest; larger files have no digest either.
const MAX_RESOURCE_BYTES = 64 * 1024 * 1024;

/** Options for reading a file of a skill. */
export interface ReadOptions extends CallOptions {
  readonly maxBytes?: number | undefined;
}

// Model APIs accept images of up to five megabytes.
const MAX_BINARY_BYTES = 5_000_000;

/** Tier 3: one file of a skill, or the reason why not; recorded either way. */
export async function readResource(
  session: SessionState,
  givenName: unknown,
  givenPath: unknown,
  { maxBytes: givenMaxBytes, signal }: ReadOptions,
): Promise<ResourceRead> {
  // Hosts pass on a model's input: anything but text is refused like an unknown name.
  const name = typeof givenName === "string" ? givenName : "";
  const path = typeof givenPath === "string" ? givenPath : "";
  const maxBytes = checkMaxBytes(givenMaxBytes);
  const found = await findReadable(session, name);
  const trust =
    found === undefined ? { isRefused: false, diagnostics: [] } : await checkFiles(session, found, signal);
  const skill = trust.isRefused ? undefined : found;
  const given = await readFrozen(session, { name, skill, path, maxBytes });
  const vetted = skill === undefined ? given : await vetChanged(session, skill, given, signal);
  const read = { ...vetted, diagnostics: [...trust.diagnostics, ...vetted.diagnostics] };
  signal?.throwIfAborted();
  const { type: _type, skill: skillName, kind, content: _content, bytes: _bytes, ...rest } = read;
  await session.recorder.append({
    kind: "resource-read",
    skillName,
    ...(kind !== undefined && { resourceKind: kind }),
    ...(skill !== undefined && placeOf(skill)),
    ...rest,
  });
  return read;
}

export async function listResources(
  session: SessionState,
  name: string,
  signal: AbortSignal | undefined,
): Promise<readonly Resource[]> {
  givenText(name, "The name of the skill", "a skill's name");
  const skill = await findReadable(session, name);
  if (skill !== undefined && !(await checkFiles(session, skill, signal)).isRefused)
    return (await frozenIndex(session, skill)).resources;
  // Throws if there is no such skill; any other needs approval first.
  const { qualifiedName } = resolveFor(session, name, "model");
  const message = `The files of ${showName(qualifiedName)} are not listed before it is loaded; load it first.`;
  throw new SkilletError("skill-denied", message, { data: { skill: qualifiedName } });
}

// Loaded skills may be read, and others if the model may load them without a question.
async function findReadable(session: SessionState, name: string): Promise<Skill | undefined> {
  const find = async (): Promise<Skill | undefined> => {
    const skill = resolveFor(session, name, "model");
    return decideUse(skill, session).outcome === "allow" ? skill : undefined;
  };
  return findActive(session, name) ?? onRefusal(find(), () => undefined);
}

type TrustCheck = { readonly isRefused: boolean; readonly diagnostics: readonly Diagnostic[] };

function checkFiles(
  session: SessionState,
  skill: Skill,
  signal: AbortSignal | undefined,
): Promise<TrustCheck> {
  const check = async (): Promise<TrustCheck> => {
    const index = await frozenIndex(session, skill);
    const diagnostics = await checkTrust(session, skill, index);
    await vetShown(session, skill, index, { signal });
    return { isRefused: diagnostics.length > 0 && refusesDrift(session), diagnostics };
  };
  return onRefusal(check(), () => ({ isRefused: true, diagnostics: [] }));
}

/**
 * A file that changed since the scan is vetted, with its whole skill, before it is returned. From a server's
 * skill, only what was listed on loading is returned: an approval covers those digests.
 */
async function vetChanged(
  session: SessionState,
  skill: Skill,
  read: ResourceRead,
  signal: AbortSignal | undefined,
): Promise<ResourceRead> {
  const isRemote = session.reader.isRemote(skill);
  if (read.digestMatchesRegistry !== false || !(isRemote || isJudged(session, skill))) return read;
  const { path, observedDigest } = read;
  const isVetted = async (): Promise<boolean> => {
    const index = await session.reader.indexResources(skill);
    await vetShown(session, skill, index, { signal });
    return index.resources.find((resource) => resource.path === path)?.digest === observedDigest;
  };
  if (!isRemote && (await onRefusal(isVetted(), () => false))) return read;
  const why = isRemote ? "loaded" : "scanned, and what it holds now did not pass";
  const message = `${showName(path)} has changed since the skill was ${why}; load the skill again.`;
  return refused(read.skill, path, "permission-denied", message);
}

function refused(skill: string, path: string, code: ReadRefusalCode, message: string): ResourceRead {
  const type = "skillet.read-skill-resource-output";
  return { type, skill, path, status: "error", diagnostics: [], error: { code, message } };
}

// The checks follow the order of the refusal codes.
async function readFrozen(
  session: SessionState,
  request: {
    readonly name: string;
    /** Undefined if there is none that the model may know of. */
    readonly skill: Skill | undefined;
    readonly path: string;
    readonly maxBytes: number;
  },
): Promise<ResourceRead> {
  const { name, skill, maxBytes } = request;
  const { reader } = session;
  const path = normaliseResourcePath(request.path);
  const refuse = (code: ReadRefusalCode, message: string): ResourceRead =>
    refused(name, path ?? request.path, code, message);
  if (path === undefined)
    return refuse(
      "resource-path-invalid",
      "The path is empty, absolute or leaves the skill; pass one relative to the skill's folder.",
    );
  if (skill === undefined) return refuse("skill-not-found", `There is no skill ${quoteName(name)} here.`);
  const { resources } = await frozenIndex(session, skill);
  const indexed = resources.find((resource) => resource.path === path);
  if (indexed === undefined)
    return refuse(
      "resource-not-indexed",
      `${showName(path)} is not a file of ${showName(skill.qualifiedName)}.`,
    );
  try {
    const { bytes, size, truncated } = await reader.readFile(skill, path, { maxBytes: MAX_RESOURCE_BYTES });
    const resourcePath = reader.toolPath(skill, path);
    const file = indexed.contentKind === "link" ? leadsTo(resources, bytes) : indexed;
    if (file === undefined)
      return refuse(
        "resource-not-file",
        `${showName(path)} is a link, and does not lead to a file of this skill as it was loaded.`,
      );
    return {
      type: "skillet.read-skill-resource-output",
      skill: skill.qualifiedName,
      ...describeRead(
        { ...file, path, kind: indexed.kind },
        { bytes, size: truncated ? size : bytes.length, maxBytes, resourcePath },
      ),
    };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // Worded here: a model must not learn where a skill is, or where a link leads.
    const [code, what] = READ_FAILURES[error.code] ?? (["unknown", undefined] as const);
    return refuse(code, what === undefined ? showLine(error.message) : `${showName(path)} ${what}.`);
  }
}

// By content: wherever the link leads by now, only bytes of an indexed file are returned.
function leadsTo(resources: readonly Resource[], bytes: Uint8Array): Resource | undefined {
  const digest = digestBytes(bytes);
  return resources.find((file) => file.contentKind !== "link" && file.digest === digest);
}

const OUTSIDE = ["resource-outside-root", "leads out of the skill, and was not opened"] as const;
const READ_FAILURES: Readonly<Record<string, readonly [ReadRefusalCode, string] | undefined>> = {
  "file-not-found": ["resource-not-found", "is no longer there"],
  "permission-denied": ["permission-denied", "may not be read here"],
  "path-outside-root": OUTSIDE,
  "path-changed": OUTSIDE,
  "link-refused": ["resource-not-file", "is a link, which is not followed"],
  "not-a-file": ["resource-not-file", "is not a file"],
};

function checkMaxBytes(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return DEFAULT_READ_BYTES;
  if (Number.isInteger(maxBytes) && maxBytes >= 0 && maxBytes <= MAX_READ_BYTES) return maxBytes;
  const message = `maxBytes is ${showValue(maxBytes)}; pass a whole number from 0 to ${MAX_READ_BYTES}.`;
  throw new SkilletError("max-bytes-invalid", message, { data: { maxBytes } });
}

function describeRead(
  { path, kind, digest, size: registrySizeBytes }: Resource,
  read: {
    readonly bytes: Uint8Array;
    readonly size: number;
    readonly maxBytes: number;
    readonly resourcePath: string;
  },
): Omit<ResourceRead, "type" | "skill"> {
  const { bytes, size, maxBytes, resourcePath } = read;
  const observedDigest = digestBytes(bytes);
  const digestMatchesRegistry = observedDigest === digest && size === registrySizeBytes;
  const common = {
    path,
    kind,
    resourcePath,
    registryDigest: digest,
    observedDigest,
    digestMatchesRegistry,
    registrySizeBytes,
    observedSizeBytes: size,
    maxBytes,
    diagnostics: digestMatchesRegistry ? [] : [mismatch(resourcePath)],
  };
  if (!isUtf8(bytes) || bytes.includes(0)) {
    const isWhole = size === bytes.length && size <= MAX_BINARY_BYTES;
    return { ...common, status: "binary", contentKind: "binary", ...(isWhole && { bytes }) };
  }
  const shown = truncateText(bytes, maxBytes);
  const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(shown);
  return { ...common, status: "read", contentKind: "text", truncated: shown.length < bytes.length, content };
}

function mismatch(file: string): Diagnostic {
  const message = "The file has changed since the skill was loaded; what it holds now was read.";
  const hint = "Load the skill again to make the change known, or put the file back.";
  return diagnostic("warning", "skill-resource-snapshot-mismatch", file, message, hint);
}

/** Why a file was not returned, in the order of the checks. */
export type ReadRefusalCode =
  | "resource-path-invalid"
  | "skill-not-found"
  | "resource-not-indexed"
  | "resource-not-found"
  | "permission-denied"
  | "unknown"
  | "resource-outside-root"
  | "resource-not-file";

/** The result of a read: text, the bytes of a binary file or facts about it, or the reason for neither. */
export interface ResourceRead {
  readonly type: "skillet.read-skill-resource-output";
  readonly skill: string;
  readonly path: string;
  readonly status: "read" | "binary" | "error";
  readonly kind?: ResourceKind;
  /** The path as the agent's tools see it. */
  readonly resourcePath?: string;
  readonly registryDigest?: Digest;
  readonly observedDigest?: Digest;
  readonly digestMatchesRegistry?: boolean;
  readonly registrySizeBytes?: number;
  readonly observedSizeBytes?: number;
  readonly contentKind?: "text" | "binary";
  readonly maxBytes?: number;
  readonly truncated?: boolean;
  readonly content?: string;
  /** All of a binary file that is small enough for a model, such as an image. */
  readonly bytes?: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
  readonly error?: { readonly code: ReadRefusalCode; readonly message: string };
}

/** A resource's path, normalised; undefined if it is not a path or leaves the skill. */
export function normaliseResourcePath(path: string): string | undefined {
  const trimmed = path.trim().replaceAll("\\", "/");
  if (trimmed === "" || trimmed.length > MAX_PATH_CHARACTERS || trimmed.includes("\0")) return undefined;
  if (trimmed.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of trimmed.split("/")) {
    if (part === "" || part === ".") continue;
    // Compared as a whole part: `..data` is an ordinary name.
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  // A drive is absolute too, also after a `./`.
  return parts.length === 0 || /^[A-Za-z]:$/.test(parts[0] ?? "") ? undefined : parts.join("/");
}

const MAX_PATH_CHARACTERS = 4096;

/** The longest start of UTF-8 text that has at most this many bytes and splits no character. */
export function truncateText(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  // Bytes of the form 10xxxxxx belong to the character before them.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
