import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { type Digest, type Session, type Skill, SkilletError, type TreeFile } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { canonicalPath, isInside, readBoundedFile } from "@skillet/kit/files";

/** A skill as a host finds it on disk. */
export interface PlacedSkill {
  /** In its new place, for what detects use by paths. */
  readonly skill: Skill;
  /** The name of its folder, by which a host knows it. */
  readonly folder: string;
  readonly directory: string;
  /** Of the files that were copied, as an activation has it. */
  readonly treeDigest: Digest;
  /** What was written, by path. */
  readonly entries: ReadonlyMap<string, { readonly digest: Digest; readonly size: number }>;
  readonly bytes: number;
}

/** The skills of a session as real files, for hosts that only read disks. */
export interface VerifiedFolder {
  /** Holds `skills/NAME/SKILL.md`, and for this process's user alone. */
  readonly path: string;
  readonly skills: readonly PlacedSkill[];
  /** Those that could not be copied as they were judged. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** The skill that a path lies in, and the file's path there. */
  locate(path: string): { readonly placed: PlacedSkill; readonly file: string } | undefined;
  /** The same text with the paths of the copies in place of those of the skills. */
  relocate(text: string): string;
  /** Copies what is new or changed in the session, and takes away what is gone. */
  update(): Promise<void>;
  close(): void;
}

/** How the folder is written. */
export interface VerifiedFolderOptions {
  /** Of the plugin that the folder is for the host. */
  readonly manifest: object;
  /** What a SKILL.md says in the copy; default: the same. */
  readonly rewrite?: ((skill: Skill, text: string) => string) | undefined;
}

// A temporary folder is often kept in memory.
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;

/** Writes every skill that a model or a person may use in a session, each file compared with the digest that was judged. */
export async function openVerifiedFolder(
  session: Session,
  { manifest, rewrite }: VerifiedFolderOptions,
): Promise<VerifiedFolder> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-skills-")));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  process.once("exit", remove);
  const placed = new Map<string, PlacedSkill>();
  let leftOut: VerifiedFolder["leftOut"] = [];
  const update = async (): Promise<void> => {
    const offered = session.snapshot.skills.filter((skill) => isOffered(session, skill));
    const missed: { name: string; reason: string }[] = [];
    const drop = (name: string): void => {
      const known = placed.get(name);
      if (known !== undefined) rmSync(known.directory, { recursive: true, force: true });
      placed.delete(name);
    };
    for (const name of placed.keys()) if (!offered.some((one) => one.qualifiedName === name)) drop(name);
    let room = MAX_TOTAL_BYTES;
    for (const skill of offered) {
      const { qualifiedName: name } = skill;
      try {
        const { treeDigest, files } = await session.files(name);
        if (placed.get(name)?.treeDigest !== treeDigest) {
          drop(name);
          const folder = folderFor(skill, placed);
          const written = await writeSkill(join(root, WRITING), files, { skill, rewrite, room });
          const directory = join(root, "skills", folder);
          renameSync(join(root, WRITING), directory);
          placed.set(name, { ...written, skill: moveSkill(skill, directory), folder, directory, treeDigest });
        }
        room -= placed.get(name)?.bytes ?? 0;
      } catch (error) {
        rmSync(join(root, WRITING), { recursive: true, force: true });
        if (!SkilletError.isInstance(error)) throw error;
        drop(name);
        missed.push({ name, reason: error.message });
      }
    }
    leftOut = missed;
  };
  const close = (): void => {
    process.off("exit", remove);
    remove();
  };
  try {
    mkdirSync(join(root, "skills"));
    mkdirSync(join(root, ".claude-plugin"));
    writeFileSync(join(root, ".claude-plugin/plugin.json"), JSON.stringify(manifest), { mode: 0o444 });
    await update();
  } catch (error) {
    close();
    throw error;
  }
  return {
    path: root,
    get skills() {
      return [...placed.values()];
    },
    get leftOut() {
      return leftOut;
    },
    locate: (path) => {
      const real = canonicalPath(path);
      const found = [...placed.values()].find(({ directory }) => isInside(real, directory));
      return found && { placed: found, file: relative(found.directory, real).split(sep).join("/") };
    },
    relocate: (text) => {
      const move = (moved: string, { skill: { alsoAt }, directory }: PlacedSkill): string =>
        isAbsolute(alsoAt[0] ?? "") ? moved.replaceAll(dirname(alsoAt[0] ?? ""), directory) : moved;
      return [...placed.values()].reduce(move, text);
    },
    update,
    close,
  };
}

/** Not a name that a skill could have, so that a half-written one is never taken for a skill. */
const WRITING = ".writing";
const SKILL_FILE = "SKILL.md";

function isOffered(session: Session, skill: Skill): boolean {
  if (skill.kind !== "skill") return false;
  return (["model", "user"] as const).some(
    (source) => session.mayUse(skill, { source, byFullName: true }).obstacle === undefined,
  );
}

// Field by field: the skills of a snapshot read some of theirs when they are asked for.
function moveSkill(skill: Skill, directory: string): Skill {
  const { name, qualifiedName, scope, origin, kind, plugin, directoryName, source, digest, manifest } = skill;
  const { state, missing, bodyCharacters, diagnostics } = skill;
  return {
    ...{ name, qualifiedName, scope, origin, kind, plugin, directoryName, source, digest, manifest },
    ...{ state, missing, bodyCharacters, diagnostics, alsoAt: [skill.path, ...skill.alsoAt] },
    ...{ directory, path: join(directory, SKILL_FILE) },
  };
}

// Two skills can have one name, and disks can take two spellings for one.
function folderFor({ name }: Skill, placed: ReadonlyMap<string, PlacedSkill>): string {
  const plain =
    name
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .slice(0, 60) || "skill";
  const taken = new Set(Array.from(placed.values(), ({ folder }) => folder));
  for (let count = 1; ; count += 1) {
    const folder = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.has(folder)) return folder;
  }
}

async function writeSkill(
  directory: string,
  files: AsyncIterable<TreeFile>,
  how: { readonly skill: Skill; readonly room: number } & Pick<VerifiedFolderOptions, "rewrite">,
): Promise<Pick<PlacedSkill, "entries" | "bytes">> {
  const { skill, rewrite, room } = how;
  const entries = new Map<string, { readonly digest: Digest; readonly size: number }>();
  let total = 0;
  mkdirSync(directory, { mode: 0o700 });
  for await (const { path, mode, bytes: given } of files) {
    const isSkillFile = path === skill.source.file;
    const bytes =
      isSkillFile && rewrite ? Buffer.from(rewrite(skill, new TextDecoder().decode(given))) : given;
    total += bytes.length;
    if (mode === "120000") throw refused(skill, `${path} is a link, and what it leads to can change`);
    if (total > room) throw refused(skill, `it does not fit into ${MAX_TOTAL_BYTES} bytes with the others`);
    const name = isSkillFile ? SKILL_FILE : path;
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Exclusively: on some disks two of its names can be one file.
    writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
    chmodSync(file, mode === "755" ? 0o555 : 0o444);
    entries.set(name, { digest: digestBytes(bytes), size: bytes.length });
  }
  return { entries, bytes: total };
}

function refused({ qualifiedName: skill }: Skill, reason: string): SkilletError {
  return new SkilletError("skill-not-offered", `${skill} was left out: ${reason}.`, { data: { skill } });
}

/** What is different from what was written, if anything; agents can write where their user can. */
export function findChange({ directory, entries }: PlacedSkill): string | undefined {
  const missing = new Set(entries.keys());
  const found = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
  for (const entry of found) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(directory, file).split(sep).join("/");
    const expected = entries.get(path);
    if (expected === undefined) return `${path} was added`;
    missing.delete(path);
    const { size: maxBytes, digest } = expected;
    const isSame = (): boolean =>
      digestBytes(readBoundedFile(file, { maxBytes, links: "refuse" }) ?? Buffer.alloc(0)) === digest;
    if (!entry.isFile() || lstatSync(file).size !== maxBytes || !isSame()) return `${path} has changed`;
  }
  const [gone] = missing;
  return gone === undefined ? undefined : `${gone} is gone`;
}
