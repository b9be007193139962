import { type Session, SkilletError } from "@skillet/core";

/** A skill in the form of `HarnessAgent`. */
export interface HarnessSkill {
  readonly name: string;
  readonly description: string;
  /** The instructions; the harness writes a header of its own. */
  readonly content: string;
  readonly files?: { path: string; content: string }[];
}

/** The skills of a session for a harness, and those that it cannot take. */
export interface HarnessSkills {
  readonly skills: HarnessSkill[];
  readonly notPortable: readonly { readonly name: string; readonly reason: string }[];
}

// The most that a session returns of one file.
const MAX_FILE_BYTES = 256_000;

/**
 * The skills that a model may use in a session, for `HarnessAgent` of `@ai-sdk/harness`, which passes them to
 * Claude Code, Codex, Cursor and others. Every file is read through the session: trusted, scanned and
 * unchanged. A harness takes text files alone, so a skill with any other file is left out with the reason.
 *
 * @example
 * const { skills, notPortable } = await harnessSkills(session);
 * const agent = new HarnessAgent({ harness, skills });
 */
export async function harnessSkills(session: Session): Promise<HarnessSkills> {
  const skills: HarnessSkill[] = [];
  const notPortable: { name: string; reason: string }[] = [];
  const usable = session.snapshot.skills.filter((skill) => session.mayUse(skill).obstacle === undefined);
  const foldersOf = new Map<string, number>();
  for (const { name } of usable) foldersOf.set(fold(name), (foldersOf.get(fold(name)) ?? 0) + 1);
  // Passing a skill on is recorded as loading it, and must narrow this session's tools only for that time.
  const turn = session.turn();
  try {
    for (const { name, qualifiedName, manifest } of usable) {
      const isAlone = foldersOf.get(fold(name)) === 1;
      const reason = FOLDER_NAME.test(name) ? (isAlone ? undefined : SAME_NAME) : ODD_NAME;
      const taken = reason ?? (await takeSkill(session, qualifiedName));
      if (typeof taken === "string") notPortable.push({ name: qualifiedName, reason: taken });
      else skills.push({ name, description: manifest.description, ...taken });
    }
  } finally {
    await turn.end();
  }
  return { skills, notPortable };
}

// A harness makes a folder of the plain name: `../../x` would lead out of the skills folder.
const FOLDER_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;
const ODD_NAME = "its name cannot be a folder's";
const SAME_NAME = "another skill has the same name, and a harness has one folder for both";

// Some disks ignore case.
function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

async function takeSkill(
  session: Session,
  name: string,
): Promise<Pick<HarnessSkill, "content" | "files"> | string> {
  const files: { path: string; content: string }[] = [];
  const how = { source: "preload", raw: true, repeat: true } as const;
  const loaded = await session.activate(name, how).catch((error: unknown) => {
    // An error that is not about the skill is the operator's.
    if (!SkilletError.isInstance(error) || error.data.skill === undefined) throw error;
    return error.message;
  });
  if (typeof loaded === "string") return loaded;
  const { text: content, resources } = loaded;
  for (const { path } of resources) {
    const read = await session.read(name, path, { maxBytes: MAX_FILE_BYTES });
    if (read.error !== undefined) return `${path} cannot be read: ${read.error.message}`;
    if (read.content === undefined) return `${path} is binary, and a harness takes text files alone`;
    if (read.truncated === true) return `${path} has more than ${MAX_FILE_BYTES} bytes`;
    files.push({ path, content: read.content });
  }
  return { content, ...(files.length > 0 && { files }) };
}
