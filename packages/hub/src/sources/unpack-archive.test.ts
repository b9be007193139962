import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { zipSync } from "fflate";
import { create } from "tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS, type HubLimits } from "../hub-limits.ts";
import { unpackArchive } from "./archive.ts";
import { checkEntryPath, findCollisions } from "./entry-path.ts";
import { HOSTILE_ARCHIVES } from "./testing/hostile-archives.ts";
import { paxRecord, tarBytes } from "./testing/tar-bytes.ts";
import { zipBytes, zipDescriptor } from "./testing/zip-bytes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillet-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits: HubLimits = DEFAULT_HUB_LIMITS;
const unpack = async (
  bytes: Uint8Array,
  changed: Partial<HubLimits> = {},
): Promise<Record<string, string>> => {
  const files = await unpackArchive(bytes, { name: "test archive", limits: { ...limits, ...changed } });
  return Object.fromEntries(
    files.map(({ path, mode, bytes: content }) => [
      path,
      `${mode} ${new TextDecoder().decode(content).slice(0, 40)}`,
    ]),
  );
};

const SKILL = { "SKILL.md": "644 # skill", "scripts/run.sh": "755 echo hi" };

function writeSkill(at: string): void {
  mkdirSync(join(at, "scripts"), { recursive: true });
  writeFileSync(join(at, "SKILL.md"), "# skill");
  writeFileSync(join(at, "scripts/run.sh"), "echo hi", { mode: 0o755 });
}

describe("archives of others are read", () => {
  test("tar.gz and tar of node-tar, with and without a folder around them", async () => {
    writeSkill(join(folder, "top"));
    for (const [cwd, names, gzip] of [
      [join(folder, "top"), ["SKILL.md", "scripts"], true],
      [join(folder, "top"), ["."], false],
      [folder, ["top"], true],
      [folder, ["./top"], false],
    ] as const) {
      const file = join(folder, "out.tar");
      await create({ cwd, file, gzip, portable: true }, [...names]);
      expect(await unpack(readFileSync(file))).toEqual(SKILL);
    }
  });

  test.skipIf(!hasTool("tar"))("the formats of the system's tar", async () => {
    const long = `references/${"long-".repeat(18)}/${"name-".repeat(18)}.md`;
    writeSkill(folder);
    mkdirSync(join(folder, long, ".."), { recursive: true });
    writeFileSync(join(folder, long), "# long");
    for (const format of ["gnu", "pax", "ustar", "oldgnu"]) {
      const packed = execFileSync("tar", [`--format=${format}`, "-C", folder, "-czf", "-", "."]);
      expect(await unpack(packed), format).toEqual({ ...SKILL, [long]: "644 # long" });
    }
  });

  test.skipIf(!hasTool("git"))("what git packs, with the commit in a global header", async () => {
    writeSkill(folder);
    const git = (...words: string[]): Buffer =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...words], {
        cwd: folder,
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "x");
    for (const format of ["tar.gz", "tar", "zip"])
      expect(
        await unpack(git("archive", `--format=${format}`, "--prefix=repository-main/", "HEAD")),
        format,
      ).toEqual(SKILL);
  });

  test.skipIf(!hasTool("python3"))("zips of Python, whole and streamed", async () => {
    const program = [
      "import sys, zipfile",
      "class Stream:",
      "    def write(self, data): return sys.stdout.buffer.write(data)",
      "    def flush(self): sys.stdout.buffer.flush()",
      "with zipfile.ZipFile(Stream(), 'w', zipfile.ZIP_DEFLATED) as archive:",
      "    archive.writestr('SKILL.md', '# skill')",
      "    run = zipfile.ZipInfo('scripts/run.sh'); run.external_attr = 0o100755 << 16",
      "    archive.writestr(run, 'echo hi')",
    ].join("\n");
    expect(await unpack(execFileSync("python3", ["-c", program]))).toEqual(SKILL);
  });

  test.skipIf(!hasTool("zip"))("zips of Info-ZIP, from a folder and into a pipe", async () => {
    writeSkill(folder);
    execFileSync("zip", ["-qr", "out.zip", "SKILL.md", "scripts"], { cwd: folder });
    expect(await unpack(readFileSync(join(folder, "out.zip")))).toEqual(SKILL);
    expect(await unpack(execFileSync("zip", ["-qr", "-", "SKILL.md", "scripts"], { cwd: folder }))).toEqual(
      SKILL,
    );
  });

  test("zips of fflate, which set no modes", async () => {
    expect(
      await unpack(zipSync({ "SKILL.md": Buffer.from("# skill"), "a/b.txt": new Uint8Array() })),
    ).toEqual({
      "SKILL.md": "644 # skill",
      "a/b.txt": "644 ",
    });
  });

  test("names of other scripts, and zips that do not mark theirs as UTF-8", async () => {
    const name = "references/日本語-é.md";
    expect(await unpack(zipBytes([{ name, content: "x", flags: 0 }]))).toEqual({ "日本語-é.md": "644 x" });
    const pax = { name: "x", type: "x", content: paxRecord("path", name) };
    expect(
      await unpack(tarBytes([{ name: "SKILL.md" }, pax, { name: "short", content: "x" }])),
    ).toMatchObject({
      [name]: "644 x",
    });
  });

  test("stored and streamed entries of a zip", async () => {
    const content = "hello";
    const streamed = { flags: 0x808, local: { crc: 0, size: 0, packedSize: 0 } };
    const gap = zipDescriptor(content, { packedSize: deflateRawSync(content).length });
    const archive = zipBytes([
      { name: "SKILL.md", content, method: 0 },
      { name: "streamed", content, ...streamed, gap },
      { name: "unsigned", content, ...streamed, gap: gap.subarray(4) },
      { name: "empty", method: 0, ...streamed, gap: zipDescriptor("") },
      { name: "open", content, method: 0, ...streamed, gap: zipDescriptor(content) },
      { name: "stored", content, method: 0, flags: 0x808, gap: zipDescriptor(content) },
    ]);
    expect(await unpack(archive)).toEqual({
      "SKILL.md": "644 hello",
      streamed: "644 hello",
      unsigned: "644 hello",
      empty: "644 ",
      open: "644 hello",
      stored: "644 hello",
    });
  });
});

describe("the folder around everything", () => {
  const paths = async (...names: string[]): Promise<string[]> =>
    Object.keys(await unpack(zipBytes(names.map((name) => ({ name, content: "x" })))));

  test("is taken off", async () => {
    expect(await paths("package/SKILL.md", "package/a/b")).toEqual(["SKILL.md", "a/b"]);
    expect(await paths("repository-main/skills/a/SKILL.md")).toEqual(["skills/a/SKILL.md"]);
  });

  test("stays where SKILL.md is at the root, where there are two, and where it means something", async () => {
    expect(await paths("SKILL.md", "a/b")).toEqual(["SKILL.md", "a/b"]);
    expect(await paths("a/SKILL.md", "b/SKILL.md")).toEqual(["a/SKILL.md", "b/SKILL.md"]);
    expect(await paths("skills/a/SKILL.md")).toEqual(["skills/a/SKILL.md"]);
    expect(await paths(".claude/skills/a/SKILL.md")).toEqual([".claude/skills/a/SKILL.md"]);
  });

  test("is found also beside what one system's archiver adds, which is left out", async () => {
    expect(await paths("my-skill/SKILL.md", "__MACOSX/my-skill/._SKILL.md")).toEqual(["SKILL.md"]);
  });
});

describe("nothing is taken of an archive with", () => {
  test.each(HOSTILE_ARCHIVES)("%s", async (_, bytes, reason) => {
    const error = await unpack(bytes, { maxRatio: 5 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SkilletError);
    expect(error).toMatchObject({
      code: "archive-refused",
      message: expect.stringMatching(reason) as string,
    });
    expect((error as Error).message).toMatch(/^The archive test archive is refused/);
    expect((error as Error).message).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("more entries, larger files or more bytes than are allowed", async () => {
    const members = ["SKILL.md", "a", "b"].map((name) => ({ name, content: "x".repeat(100) }));
    for (const archive of [zipBytes(members), tarBytes(members), gzipSync(tarBytes(members))]) {
      await expect(unpack(archive, { maxEntries: 2 })).rejects.toThrow(/more than 2 entries/);
      await expect(unpack(archive, { maxFileBytes: 99 })).rejects.toThrow(/one file may have 99/);
      await expect(unpack(archive, { maxUnpackedBytes: 299 })).rejects.toThrow(/more than 299 bytes/);
      await expect(unpack(archive, { maxDepth: 0 })).resolves.toBeDefined();
    }
  });
});

describe("whatever is done to an archive", () => {
  const members = [
    { name: "SKILL.md", content: "# skill" },
    { name: "scripts/run.sh", content: "echo hi", mode: 0o755 },
  ];
  const valid = {
    zip: zipBytes(members.map((member) => ({ ...member, mode: 0o100644 }))),
    tar: tarBytes([{ name: "x", type: "x", content: paxRecord("path", "a/long") }, ...members]),
    "tar.gz": gzipSync(tarBytes(members)),
  };

  test.each(Object.entries(valid))("a changed %s gives safe paths or one error", async (_, bytes) => {
    const change = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.nat(bytes.length),
        fc.boolean(),
        async (changes, length, isCut) => {
          const changed = Uint8Array.from(bytes);
          for (const { at, value } of changes) changed[at] = value;
          await expectSafe(isCut ? changed.subarray(0, length) : changed);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("a tar with any header fields, its checksum right, gives safe paths or one error", async () => {
    const member = fc.record({
      name: fc.oneof(
        fc.string({ maxLength: 99 }),
        fc.constantFrom("a", "A", "a/", "../a", "SKILL.md", "./a"),
      ),
      type: fc.constantFrom("0", "\0", "5", "x", "g", "L", "K", "1", "2", "S"),
      mode: fc.nat(0o7777),
      content: fc.oneof(
        fc.string({ maxLength: 600 }),
        fc.constantFrom(paxRecord("path", "b"), paxRecord("size", "3")),
      ),
      prefix: fc.string({ maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 5 }), (all) => expectSafe(tarBytes(all))),
      { numRuns: 1000 },
    );
  });

  test("a zip with any header fields gives safe paths or one error", async () => {
    const member = fc.record({
      name: fc.oneof(fc.string({ maxLength: 50 }), fc.constantFrom("a", "A", "a/", "../a", "SKILL.md")),
      content: fc.string({ maxLength: 50 }),
      mode: fc.constantFrom(0, 0o100644, 0o100755, 0o040755, 0o120777),
      method: fc.constantFrom(0, 8),
      flags: fc.constantFrom(0, 0x800, 0x808, 1),
      extra: fc.uint8Array({ maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 5 }), fc.string({ maxLength: 5 }), (all, comment) =>
        expectSafe(zipBytes(all, { comment })),
      ),
      { numRuns: 1000 },
    );
  });
});

async function expectSafe(bytes: Uint8Array): Promise<void> {
  let files: Awaited<ReturnType<typeof unpackArchive>>;
  try {
    files = await unpackArchive(bytes, { name: "test archive", limits });
  } catch (error) {
    expect(error).toMatchObject({ code: "archive-refused" });
    return;
  }
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => checkEntryPath(path) !== undefined)).toEqual([]);
  expect(findCollisions(paths)).toBeUndefined();
  expect(files.filter(({ mode }) => mode !== "644" && mode !== "755")).toEqual([]);
}

function hasTool(tool: string): boolean {
  try {
    execFileSync(tool, ["--version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return true;
    console.warn(`Tests of the archives of ${tool} are skipped: it is not installed.`);
    return false;
  }
}
