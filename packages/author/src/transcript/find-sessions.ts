import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { readTranscript } from "./read-transcript.ts";
import { unpackZstd } from "./unpack-zstd.ts";

/** A conversation that an agent stored on this machine. */
export interface FoundSession {
  readonly path: string;
  /** As in `Transcript.format`: `claude-code`, `codex`, `pi`, `skillet`. */
  readonly format: string;
  readonly title: string;
  readonly modified: Date;
  readonly bytes: number;
}

export interface FindSessionsOptions {
  /** Absolute folders of one project: the working directory and its parents up to the project's root. */
  readonly folders: readonly string[];
  readonly userHome: string;
  /** Skillet's own folder. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const MAX_SESSIONS = 9;
/** Across all projects, because the title and the folder of each have to be read. */
const MAX_READ = 100;
const MAX_NAMES = 20_000;
// The title may be at either end; the folder and the first message are at the beginning.
const HEAD_BYTES = 262_144;
const TAIL_BYTES = 65_536;

type Candidate = Omit<FoundSession, "title">;

/**
 * Finds the newest conversations about a project that Claude Code, Codex, pi and Skillet's own agent stored.
 *
 * @example
 * const [newest] = await findSessions({ folders: [process.cwd()], userHome: homedir(), home: join(homedir(), ".skillet") });
 */
export async function findSessions(options: FindSessionsOptions): Promise<readonly FoundSession[]> {
  const { folders, userHome, home, environment = process.env } = options;
  const claude = environment.CLAUDE_CONFIG_DIR ?? join(userHome, ".claude");
  const codex = join(environment.CODEX_HOME ?? join(userHome, ".codex"), "sessions");
  const lists = [
    list(codex, "codex", [/^\d+$/, /^\d+$/, /^\d+$/, /^rollout-.*\.jsonl(?:\.zst)?$/]),
    list(join(home, "runs"), "skillet", [/./, /^conversation\.jsonl$/]),
    ...folders.flatMap((folder) => {
      const name = `--${folder.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`;
      const project = join(claude, "projects", folder.replaceAll(/[^A-Za-z0-9]/g, "-"));
      return [
        list(project, "claude-code", [/\.jsonl$/]),
        list(join(userHome, ".pi/agent/sessions", name), "pi", [/\.jsonl$/]),
      ];
    }),
  ];
  const found = (await Promise.all(lists)).flat();
  found.sort((left, right) => right.modified.getTime() - left.modified.getTime());
  const sessions: FoundSession[] = [];
  for (const candidate of found.slice(0, MAX_READ)) {
    if (sessions.length >= MAX_SESSIONS) break;
    const read = await readEnds(candidate, environment);
    // Two folders may map to the same name, and a session without a recorded folder may belong to any project.
    const isHere = read?.workspace === undefined || folders.includes(read.workspace);
    if (read?.title !== undefined && isHere) sessions.push({ ...candidate, title: read.title });
  }
  return sessions;
}

/** The files below a folder whose path matches these patterns, level by level; folders with the greatest name first. */
async function list(
  folder: string,
  format: string,
  [pattern, ...deeper]: readonly RegExp[],
): Promise<readonly Candidate[]> {
  const none = undefinedOn("ENOENT", "ENOTDIR", "EACCES");
  if (pattern === undefined) {
    const stats = await stat(folder).catch(none);
    if (stats?.isFile() !== true || stats.size === 0) return [];
    return [{ path: folder, format, modified: stats.mtime, bytes: stats.size }];
  }
  const names = ((await readdir(folder).catch(none)) ?? []).slice(0, MAX_NAMES);
  const sorted = names
    .filter((name) => pattern.test(name))
    .sort((one, other) => compareByteOrder(other, one));
  const found: Candidate[] = [];
  for (const name of sorted) {
    // Folders are named by date, so the rest is older. File names are not, so all files of a folder are listed.
    if (deeper.length > 0 && found.length >= MAX_READ) break;
    found.push(...(await list(join(folder, name), format, deeper)));
  }
  return found;
}

async function readEnds(
  { path, bytes }: Candidate,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly title?: string; readonly workspace?: string } | undefined> {
  try {
    const isPacked = path.endsWith(".zst");
    return await readTranscript(isPacked ? first(unpackZstd(path, environment)) : ends(path, bytes));
  } catch (error) {
    // A session that cannot be read cannot be chosen.
    if (SkilletError.isInstance(error) || errorCode(error) === "EACCES") return undefined;
    throw error;
  }
}

async function* first(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    if (bytes >= HEAD_BYTES) return;
  }
}

async function* ends(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path);
  try {
    const read = async (from: number, length: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    yield await read(0, Math.min(bytes, HEAD_BYTES));
    if (bytes > HEAD_BYTES) yield await read(Math.max(HEAD_BYTES, bytes - TAIL_BYTES), TAIL_BYTES);
  } finally {
    await handle.close();
  }
}
