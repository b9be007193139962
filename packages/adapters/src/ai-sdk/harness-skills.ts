import type { Session } from "@skillet/core";

/** A skill as `HarnessAgent` takes it. */
export interface HarnessSkill {
  readonly name: string;
  readonly description: string;
  /** The instructions; the harness writes a header of its own. */
  readonly content: string;
  readonly files?: { path: string; content: string }[];
}

/** The skills of a session for a harness, and those that one cannot take. */
export interface HarnessSkills {
  readonly skills: HarnessSkill[];
  readonly notPortable: readonly { readonly name: string; readonly reason: string }[];
}

// As much as a session gives of one file.
const MAX_FILE_BYTES = 256_000;

/**
 * The skills that a model may use in a session, for `HarnessAgent` of `@ai-sdk/harness`, which hands them to Claude Code, Codex,
 * Cursor and others. Every file is read through the session: trusted, scanned and as it was found. A harness takes text
 * files alone, so a skill with any other file is left out with the reason.
 *
 * @example
 * const { skills, notPortable } = await harnessSkills(session);
 * const agent = new HarnessAgent({ harness, skills });
 */
export async function harnessSkills(session: Session): Promise<HarnessSkills> {
  const skills: HarnessSkill[] = [];
  const notPortable: { name: string; reason: string }[] = [];
  // Handing a skill over is on record as loading it; it narrows the tools of this session no longer than that takes.
  const turn = session.turn();
  for (const skill of session.snapshot.skills) {
    if (session.mayUse(skill).obstacle !== undefined) continue;
    const taken = await takeSkill(session, skill.qualifiedName);
    if (typeof taken === "string") notPortable.push({ name: skill.qualifiedName, reason: taken });
    else skills.push({ name: skill.name, description: skill.manifest.description, ...taken });
  }
  await turn.end();
  const [twice] = skills.filter(({ name }, index) => skills.findIndex((one) => one.name === name) < index);
  if (twice === undefined) return { skills, notPortable };
  const reason = "another skill has the same name, and a harness has one folder for both";
  return {
    skills: skills.filter(({ name }) => name !== twice.name),
    notPortable: [...notPortable, { name: twice.name, reason }],
  };
}

async function takeSkill(
  session: Session,
  name: string,
): Promise<Pick<HarnessSkill, "content" | "files"> | string> {
  const files: { path: string; content: string }[] = [];
  const { text: content, resources } = await session.activate(name, {
    ...{ source: "preload", raw: true, repeat: true },
  });
  for (const { path } of resources) {
    const read = await session.read(name, path, { maxBytes: MAX_FILE_BYTES });
    if (read.error !== undefined) return `${path} cannot be read: ${read.error.message}`;
    if (read.content === undefined) return `${path} is binary, and a harness takes text files alone`;
    if (read.truncated === true) return `${path} has more than ${MAX_FILE_BYTES} bytes`;
    files.push({ path, content: read.content });
  }
  return { content, ...(files.length > 0 && { files }) };
}
