import type { TreeFile } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { readCandidate } from "../candidate/read-candidate.ts";
import { findOffers } from "../discover/find-offers.ts";
import { type Envelope, signTree } from "../signature/envelope.ts";
import type { SigningKey } from "../signature/key.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openLocalSource } from "../sources/local.ts";
import type { LocalSource } from "../sources/source.ts";
import { rootName } from "../sources/source-tail.ts";

export interface SkillToPublish {
  readonly name: string;
  readonly description: string;
  readonly files: readonly TreeFile[];
  readonly version?: string;
  readonly source?: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;

/** Refuses a skill that clients of an index or a registry would leave out without a word. */
export function checkSkillToPublish({ name, description }: SkillToPublish): void {
  if (name.length > MAX_NAME || !NAME.test(name)) {
    const what = `its name ${JSON.stringify(name.slice(0, MAX_NAME))} is not lower-case letters and digits with single hyphens between them, at most ${MAX_NAME}`;
    throw publishRefused(name, what, "rename it in SKILL.md");
  }
  if (description.trim() === "" || description.length > MAX_DESCRIPTION)
    throw publishRefused(
      name,
      `its description has ${description.length} characters`,
      `write one of at most ${MAX_DESCRIPTION}`,
    );
}

export function publishRefused(name: string, what: string, remedy: string): SkilletError {
  return new SkilletError("publish-refused", `The skill cannot be published: ${what}; ${remedy}.`, {
    data: { name },
  });
}

/** Reads the folder of one skill, as it is now, to be published; whatever could not be installed is refused here. */
export async function readSkillToPublish(path: string, context: FetchContext): Promise<SkillToPublish> {
  const source: LocalSource = { kind: "local", path };
  const opened = await openLocalSource(source, context);
  try {
    const name = rootName(source);
    const offer = { kind: "skill", name, description: "", folder: "", internal: false } as const;
    const { limits, signal } = context;
    const reading = await readCandidate(opened, offer, {
      limits,
      rootName: name,
      signal,
    });
    if ("problem" in reading) throw publishRefused(name, `${path}: ${reading.problem}`, "correct it first");
    const { manifest, files } = reading;
    const version = manifest?.metadata.version;
    return {
      name: manifest?.name ?? reading.name,
      description: manifest?.description ?? "",
      files,
      ...(typeof version === "string" && version !== "" && { version }),
    };
  } finally {
    await opened.close();
  }
}

/**
 * The folders of the skills below one that is no skill itself, at any depth, as an install from it would find them; empty
 * where it is one.
 */
export async function findSkillsBelow(path: string, context: FetchContext): Promise<readonly string[]> {
  const source: LocalSource = { kind: "local", path };
  const opened = await openLocalSource(source, context);
  try {
    const { signal } = context;
    const { offers } = await findOffers(opened, {
      folder: "",
      names: [],
      rootName: rootName(source),
      signal,
    });
    const folders = offers.filter(({ kind }) => kind === "skill").map(({ folder }) => folder);
    return folders.includes("") ? [] : [...new Set(folders)].sort(compareByteOrder);
  } finally {
    await opened.close();
  }
}

export function signSkill(
  { name, version, source }: SkillToPublish,
  { key, treeDigest }: { readonly key: SigningKey; readonly treeDigest: Digest },
): Envelope {
  const statement = { name, treeDigest, ...(version && { version }), ...(source && { source }) };
  return signTree({ key, statement });
}
