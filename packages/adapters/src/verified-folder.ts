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
  /** The skill in its new place, for detecting use by paths. */
  readonly skill: Skill;
  /** The folder's name, by which a host knows the skill. */
  readonly folder: string;
  readonly directory: string;
  /** Covers the copied files, as in an activation. */
  readonly treeDigest: Digest;
  /** The written files, by path. */
  readonly entries: ReadonlyMap<string, { readonly digest: Digest; readonly size: number }>;
  readonly bytes: number;
}

/** The skills of a session as real files, for hosts that only read from disk. */
export interface VerifiedFolder {
  /** Contains `skills/NAME/SKILL.md`; accessible to this process's user alone. */
  readonly path: string;
  /** Keyed by qualified name. */
  readonly skills: ReadonlyMap<string, PlacedSkill>;
  /** Skills that could not be copied as they were judged. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** The skill that contains a path, and the file's path in it. */
  locate(path: string): { readonly placed: PlacedSkill; readonly file: string } | undefined;
  /** Rewrites a session's text with paths and names of the copies, without skills that have none. */
  relocate(text: string): string;
  /** Copies what is new or changed in the session, and removes what is gone. */
  update(): Promise<void>;
  close(): void;
}

// Temporary folders are often in memory.
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;

/**
 * Writes every skill that a model or the user may use, each file compared with the judged digest.
 *
 * @param host The text of SKILL.md in the copy, and the host's name for it; default: unchanged.
 */
export async function openVerifiedFolder(
  session: Session,
  { rewrite, sources = ["model", "user"], nameOf = ({ skill }) => skill.qualifiedName }: HostView = {},
): Promise<VerifiedFolder> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-skills-")));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  process.once("exit", remove);
  const placed = new Map<string, PlacedSkill>();
  const leftOut: { name: string; reason: string }[] = [];
  const update = async (): Promise<void> => {
    const offered = session.snapshot.skills.filter((skill) => isOffered(session, skill, sources));
    leftOut.length = 0;
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
        const known = placed.get(name);
        if (known?.treeDigest !== treeDigest || findChange(known) !== undefined) {
          drop(name);
          const folder = folderFor(skill, join(root, "skills"));
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
        leftOut.push({ name, reason: error.message });
      }
    }
  };
  mkdirSync(join(root, "skills"));
  await update();
  return {
    path: root,
    skills: placed,
    leftOut,
    update,
    locate: (path) => {
      const real = canonicalPath(path);
      const found = [...placed.values()].find(({ directory }) => isInside(real, directory));
      return found && { placed: found, file: relative(found.directory, real).split(sep).join("/") };
    },
    relocate: (text) => {
      const named = text.replace(ENTRY, (entry, start: string, name: string, rest: string) => {
        const known = placed.get(name);
        if (known !== undefined) return `${start}${nameOf(known)}${rest}`;
        return leftOut.some((one) => one.name === name) ? "" : entry;
      });
      const move = (moved: string, { skill: { alsoAt }, directory }: PlacedSkill): string =>
        isAbsolute(alsoAt[0] ?? "") ? moved.replaceAll(dirname(alsoAt[0] ?? ""), directory) : moved;
      return [...placed.values()].reduce(move, named);
    },
    close: () => {
      process.off("exit", remove);
      remove();
    },
  };
}

interface HostView {
  /** Who may use the skills there; default: a model and the user. */
  readonly sources?: readonly ("model" | "user")[] | undefined;
  readonly rewrite?: ((skill: Skill, text: string) => string) | undefined;
  readonly nameOf?: ((placed: PlacedSkill) => string) | undefined;
}

/** An entry of a catalogue, in which text of a skill cannot pass for a tag. */
const ENTRY = /(<skill>\n<name>\n?)(.+?)(\n?<\/name>[\s\S]*?<\/skill>\n?)/g;

/** Not a possible name of a skill, so that a half-written copy never passes for one. */
const WRITING = ".writing";
const SKILL_FILE = "SKILL.md";

function isOffered(session: Session, skill: Skill, sources: readonly ("model" | "user")[]): boolean {
  if (skill.kind !== "skill") return false;
  return sources.some((source) => session.mayUse(skill, { source, byFullName: true }).obstacle === undefined);
}

// A proxy, because some fields of a snapshot's skills are computed on first use.
function moveSkill(skill: Skill, directory: string): Skill {
  const moved = { directory, path: join(directory, SKILL_FILE), alsoAt: [skill.path, ...skill.alsoAt] };
  return new Proxy(skill, { get: (target, key) => Reflect.get(key in moved ? moved : target, key) });
}

// Two skills can share a name, and some disks treat two spellings as one.
function folderFor({ name }: Skill, parent: string): string {
  const safe = name.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
  let folder = safe.slice(0, 60) || "skill";
  for (let count = 2; existsSync(join(parent, folder)); count += 1) folder = `${safe.slice(0, 50)}-${count}`;
  return folder;
}

async function writeSkill(
  directory: string,
  files: AsyncIterable<TreeFile>,
  how: { readonly skill: Skill; readonly room: number } & Pick<HostView, "rewrite">,
): Promise<Pick<PlacedSkill, "entries" | "bytes">> {
  const { skill, rewrite, room } = how;
  const entries = new Map<string, { readonly digest: Digest; readonly size: number }>();
  let total = 0;
  mkdirSync(directory, { mode: 0o700 });
  for await (const { path, mode, bytes: given } of files) {
    const isSkillFile = path === skill.source.file;
    const text = isSkillFile ? rewrite?.(skill, new TextDecoder().decode(given)) : undefined;
    const bytes = text === undefined ? given : Buffer.from(text);
    total += bytes.length;
    if (mode === "120000") throw refused(skill, `${path} is a link, and what it leads to can change`);
    if (total > room) throw refused(skill, `it does not fit into ${MAX_TOTAL_BYTES} bytes with the others`);
    const name = isSkillFile ? SKILL_FILE : path;
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Exclusive, because on some disks two of its names can be one file.
    writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
    chmodSync(file, mode === "755" ? 0o555 : 0o444);
    entries.set(name, { digest: digestBytes(bytes), size: bytes.length });
  }
  return { entries, bytes: total };
}

function refused({ qualifiedName: skill }: Skill, reason: string): SkilletError {
  return new SkilletError("skill-not-offered", `${skill} was left out: ${reason}.`, { data: { skill } });
}

/** What differs from what was written, if anything; agents can write wherever their user can. */
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
    const isPlain = entry.isFile() && lstatSync(file).size === expected.size;
    const bytes = isPlain ? readBoundedFile(file, { maxBytes: expected.size, links: "refuse" }) : undefined;
    if (bytes === undefined || digestBytes(bytes) !== expected.digest) return `${path} has changed`;
  }
  const [gone] = missing;
  return gone === undefined ? undefined : `${gone} is gone`;
}
