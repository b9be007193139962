import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS, type HubLimits } from "../hub-limits.ts";
import type { FetchContext } from "./fetch-context.ts";
import { openLocalSource } from "./local.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-local-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const context = (limits: Partial<HubLimits> = {}): FetchContext => ({
  home: join(root, "home"),
  limits: { ...DEFAULT_HUB_LIMITS, ...limits },
  environment: {},
  allowedPrivateHosts: [],
});

function write(path: string, content: string | Uint8Array = "x"): string {
  const place = join(root, "skills", path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
}

const open = (limits: Partial<HubLimits> = {}): ReturnType<typeof openLocalSource> =>
  openLocalSource({ kind: "local", path: join(root, "skills") }, context(limits));

test("a folder is listed in byte order, without a repository's store and installed packages", async () => {
  write("pdf/SKILL.md", "text");
  chmodSync(write("pdf/run.sh", "#!"), 0o755);
  write("Z");
  write("a");
  write(".git/config");
  write("pdf/node_modules/x/index.js");
  const opened = await open();
  expect(opened.resolved).toEqual({ kind: "local", path: join(root, "skills") });
  expect(opened.identity).toBeUndefined();
  expect(opened.entries).toEqual([
    { path: "Z", mode: "644", size: 1 },
    { path: "a", mode: "644", size: 1 },
    { path: "pdf/SKILL.md", mode: "644", size: 4 },
    { path: "pdf/run.sh", mode: "755", size: 2 },
  ]);
  expect(await opened.read(["pdf/run.sh", "pdf/SKILL.md"])).toEqual([
    { path: "pdf/run.sh", mode: "755", bytes: new Uint8Array(Buffer.from("#!")) },
    { path: "pdf/SKILL.md", mode: "644", bytes: new Uint8Array(Buffer.from("text")) },
  ]);
  await expect(opened.read(["../home/x"])).rejects.toMatchObject({ code: "source-entry-missing" });
  await opened.close();
  await expect(opened.read(["a"])).rejects.toMatchObject({ code: "source-closed" });
});

test("links are listed with the text of their target and never followed, to files or folders", async () => {
  write("a");
  mkdirSync(join(root, "outside"));
  writeFileSync(join(root, "outside/secret"), "secret");
  symlinkSync("../outside", join(root, "skills/folder"));
  symlinkSync(join(root, "outside/secret"), join(root, "skills/file"));
  const opened = await open();
  expect(opened.entries.map(({ path, mode }) => [path, mode])).toEqual([
    ["a", "644"],
    ["file", "120000"],
    ["folder", "120000"],
  ]);
  const [file, folder] = await opened.read(["file", "folder"]);
  expect(Buffer.from(file!.bytes).toString()).toBe(join(root, "outside/secret"));
  expect(Buffer.from(folder!.bytes).toString()).toBe("../outside");
});

test("the folder itself may be reached through a link", async () => {
  write("a");
  symlinkSync("skills", join(root, "alias"));
  const opened = await openLocalSource({ kind: "local", path: join(root, "alias") }, context());
  expect(opened.entries.map(({ path }) => path)).toEqual(["a"]);
});

test("a file that was swapped for a link, another file, or a folder reached through a link is not read", async () => {
  write("pdf/one", "one");
  write("pdf/two", "two");
  write("pdf/three", "three");
  mkdirSync(join(root, "outside"));
  for (const name of ["one", "two", "three"]) writeFileSync(join(root, "outside", name), name);
  const opened = await open();
  unlinkSync(join(root, "skills/pdf/one"));
  symlinkSync(join(root, "outside/one"), join(root, "skills/pdf/one"));
  await expect(opened.read(["pdf/one"])).rejects.toMatchObject({ code: "link-refused" });
  renameSync(join(root, "outside/two"), join(root, "skills/pdf/two"));
  await expect(opened.read(["pdf/two"])).rejects.toMatchObject({ code: "source-changed" });
  renameSync(join(root, "skills/pdf"), join(root, "skills/old"));
  symlinkSync(join(root, "outside"), join(root, "skills/pdf"));
  await expect(opened.read(["pdf/three"])).rejects.toMatchObject({ code: "source-changed" });
});

test("a file that grew, and one that is gone, are not read", async () => {
  write("a");
  write("b");
  const opened = await open();
  appendFileSync(join(root, "skills/a"), "more");
  unlinkSync(join(root, "skills/b"));
  await expect(opened.read(["a"])).rejects.toMatchObject({ code: "source-changed" });
  await expect(opened.read(["b"])).rejects.toMatchObject({ code: "file-not-found" });
});

test("a FIFO is an error and is not waited for", async () => {
  write("a");
  execFileSync("mkfifo", [join(root, "skills/pipe")]);
  await expect(open()).rejects.toMatchObject({ code: "source-entry-refused", data: { path: "pipe" } });
});

test("a socket is an error", async () => {
  write("a");
  const server = createServer().listen(join(root, "skills/socket"));
  await once(server, "listening");
  await expect(open()).rejects.toMatchObject({ code: "source-entry-refused" });
  server.close();
});

test("a name that is not UTF-8 is an error", async () => {
  write("a");
  try {
    writeFileSync(Buffer.concat([Buffer.from(join(root, "skills/")), Buffer.from([0x61, 0xff])]), "x");
  } catch (error) {
    console.warn(`Names that are not UTF-8 are not tested: ${error}.`);
    return;
  }
  await expect(open()).rejects.toMatchObject({ code: "source-entry-refused" });
});

test("limits hold for names, depth, one file and all files", async () => {
  write("a/b/c/d", "12345");
  write("a/e", "12345");
  await expect(open({ maxEntries: 3 })).rejects.toMatchObject({ data: { limit: "maxEntries" } });
  await expect(open({ maxDepth: 2 })).rejects.toMatchObject({ data: { limit: "maxDepth" } });
  const small = await open({ maxFileBytes: 4 });
  await expect(small.read(["a/e"])).rejects.toMatchObject({ data: { limit: "maxFileBytes" } });
  const few = await open({ maxUnpackedBytes: 9 });
  await few.read(["a/e"]);
  await expect(few.read(["a/b/c/d"])).rejects.toMatchObject({ data: { limit: "maxUnpackedBytes" } });
});

test("a path that is not a folder, or does not exist, is named", async () => {
  await expect(open()).rejects.toMatchObject({ code: "source-not-found" });
  writeFileSync(join(root, "skills"), "x");
  await expect(open()).rejects.toMatchObject({ code: "source-not-found" });
});
