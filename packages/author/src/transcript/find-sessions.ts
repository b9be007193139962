import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { readTranscript } from "./read-transcript.ts";
import { unpackZstd } from "./unpack-zstd.ts";

/** A conversation that an agent kept on this machine. */
export interface FoundSession {
  readonly path: string;
  /** As `Transcript.format` has it: `claude-code`, `codex`, `pi`, `skillet`. */
  readonly format: string;
  readonly title: string;
  /** When it was last written to. */
  readonly modified: Date;
  readonly bytes: number;
}

export interface FindSessionsOptions {
  /** Folders of one project, absolute: the working directory and those above it up to the root. */
  readonly folders: readonly string[];
  readonly userHome: string;
  /** Skillet's own folder. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default 9. */
  readonly limit?: number | undefined;
}

const DEFAULT_LIMIT = 9;
/** Of all projects; the title and the folder of each have to be read. */
const MAX_READ = 100;
const MAX_NAMES = 20_000;
// The title may stand at either end, the folder and what was typed first are at the beginning.
const HEAD_BYTES = 262_144;
const TAIL_BYTES = 65_536;

interface Candidate {
  readonly path: string;
  readonly format: string;
  readonly modified: Date;
  readonly bytes: number;
}

/**
 * Finds the newest conversations about a project that Claude Code, Codex, pi and Skillet's own agent kept.
 *
 * @example
 * const [newest] = await findSessions({ folders: [process.cwd()], userHome: homedir(), home: join(homedir(), ".skillet") });
 */
export async function findSessions(options: FindSessionsOptions): Promise<readonly FoundSession[]> {
  const { folders, userHome, home, environment = process.env, limit = DEFAULT_LIMIT } = options;
  const claude = environment.CLAUDE_CONFIG_DIR ?? join(userHome, ".claude");
  const codex = join(environment.CODEX_HOME ?? join(userHome, ".codex"), "sessions");
  const lists: Promise<readonly Candidate[]>[] = [newestCodex(codex), ownRuns(join(home, "runs"))];
  for (const folder of folders) {
    lists.push(list(join(claude, "projects", folder.replaceAll(/[^A-Za-z0-9]/g, "-")), "claude-code"));
    const name = `--${folder.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`;
    lists.push(list(join(userHome, ".pi/agent/sessions", name), "pi"));
  }
  const found = (await Promise.all(lists)).flat();
  found.sort((left, right) => right.modified.getTime() - left.modified.getTime());
  const sessions: FoundSession[] = [];
  for (const candidate of found.slice(0, MAX_READ)) {
    if (sessions.length >= limit) break;
    const read = await readEnds(candidate, environment);
    // Two folders may have one name there, and a path that is not kept belongs to any.
    const isHere = read?.workspace === undefined || folders.includes(read.workspace);
    if (read?.title !== undefined && isHere) sessions.push({ ...candidate, title: read.title });
  }
  return sessions;
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).slice(0, MAX_NAMES);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

async function candidate(path: string, format: string): Promise<readonly Candidate[]> {
  const { mtime, size, isFile } = await stat(path).then(
    (stats) => ({ mtime: stats.mtime, size: stats.size, isFile: stats.isFile() }),
    () => ({ mtime: new Date(0), size: 0, isFile: false }),
  );
  return isFile && size > 0 ? [{ path, format, modified: mtime, bytes: size }] : [];
}

async function list(folder: string, format: string): Promise<readonly Candidate[]> {
  const files = (await names(folder)).filter((name) => name.endsWith(".jsonl"));
  return (await Promise.all(files.map((name) => candidate(join(folder, name), format)))).flat();
}

/** By their folders, a year, a month and a day, the newest first. */
async function newestCodex(folder: string, depth = 0): Promise<readonly Candidate[]> {
  const sorted = [...(await names(folder))].sort((left, right) => compareByteOrder(right, left));
  const found: Candidate[] = [];
  for (const name of sorted) {
    if (found.length >= MAX_READ) break;
    const path = join(folder, name);
    if (depth === 3) {
      if (/^rollout-.*\.jsonl(?:\.zst)?$/.test(name)) found.push(...(await candidate(path, "codex")));
    } else if (/^\d+$/.test(name)) found.push(...(await newestCodex(path, depth + 1)));
  }
  return found;
}

async function ownRuns(folder: string): Promise<readonly Candidate[]> {
  const sorted = [...(await names(folder))].sort((left, right) => compareByteOrder(right, left));
  const files = sorted.slice(0, MAX_READ).map((name) => join(folder, name, "conversation.jsonl"));
  return (await Promise.all(files.map((path) => candidate(path, "skillet")))).flat();
}

async function readEnds(
  { path, bytes }: Candidate,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly title?: string; readonly workspace?: string } | undefined> {
  try {
    const isPacked = path.endsWith(".zst");
    return await readTranscript(isPacked ? first(unpackZstd(path, environment)) : ends(path, bytes));
  } catch (error) {
    // One that cannot be read is not one to choose.
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
