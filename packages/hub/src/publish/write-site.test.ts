import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { parseEnvelope, verifySignature } from "../signature/envelope.ts";
import { createKey } from "../signature/key.ts";
import { unpackArchive } from "../sources/archive.ts";
import { ociContext } from "../sources/oci/testing/oci-context.ts";
import { openWellKnownSource } from "../sources/well-known.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import type { SkillToPublish } from "./skill-to-publish.ts";
import { makeSkill, SCRIPT, textFile } from "./testing/make-skill.ts";
import { serveFolder } from "./testing/static-server.ts";
import { writeSite } from "./write-site.ts";

const V2 = ".well-known/agent-skills";
const V1 = ".well-known/skills";

interface Index {
  readonly $schema?: string;
  readonly skills: readonly Record<string, unknown>[];
}

describe("writeSite", () => {
  test("the index names every skill with the digest of its artefact, SKILL.md alone as what it is", async () => {
    const directory = temporaryDirectory();
    const skills = [makeSkill("pdf-tools", [SCRIPT]), makeSkill("notes")];
    const { skills: written, diagnostics, index } = await writeSite({ skills, directory });
    expect(index).toBe(join(directory, V2, "index.json"));
    expect(diagnostics).toEqual([]);
    const [pdf, notes] = written;
    expect(read(directory, V2)).toEqual({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [
        {
          name: "notes",
          type: "skill-md",
          description: skills[1]!.description,
          url: `notes/${notes!.digest.slice(7)}.md`,
          digest: notes!.digest,
          treeDigest: treeDigestOf(skills[1]!.files),
        },
        {
          name: "pdf-tools",
          type: "archive",
          description: skills[0]!.description,
          url: `pdf-tools/${pdf!.digest.slice(7)}.tar.gz`,
          digest: pdf!.digest,
          treeDigest: treeDigestOf(skills[0]!.files),
        },
      ],
    });
    const bytes = readFileSync(join(directory, V2, `pdf-tools/${pdf!.digest.slice(7)}.tar.gz`));
    expect(digestBytes(bytes)).toBe(pdf!.digest);
    const files = unpackArchive(bytes, { name: "x", limits: DEFAULT_HUB_LIMITS });
    expect(treeDigestOf(files)).toBe(pdf!.treeDigest);
  });

  test("two sites of the same skills are the same, byte for byte", async () => {
    const [left, right] = [temporaryDirectory(), temporaryDirectory()];
    const skills = [makeSkill("pdf-tools", [SCRIPT]), makeSkill("notes")];
    await writeSite({ skills, directory: left });
    await writeSite({ skills: skills.toReversed(), directory: right });
    expect(tree(left)).toEqual(tree(right));
    expect(tree(left).size).toBe(4 + 3);
  });

  test("a new version leaves the old artefact, which someone may be fetching, and other skills", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("pdf-tools", [SCRIPT]), makeSkill("notes")], directory });
    const before = tree(directory);
    await writeSite({ skills: [makeSkill("pdf-tools", [SCRIPT, textFile("new.md", "new")])], directory });
    expect(names(read(directory, V2))).toEqual(["notes", "pdf-tools"]);
    expect(names(read(directory, V1))).toEqual(["notes", "pdf-tools"]);
    const after = tree(directory);
    for (const [path, text] of before)
      if (path.startsWith(V2) && !path.endsWith("index.json")) expect(after.get(path)).toBe(text);
  });

  test("publishing the same again touches no artefact", async () => {
    const directory = temporaryDirectory();
    const skills = [makeSkill("pdf-tools", [SCRIPT])];
    const [written] = (await writeSite({ skills, directory })).skills;
    const [artefact = ""] = written!.files;
    utimesSync(artefact, 1, 1);
    await writeSite({ skills, directory });
    expect(statSync(artefact).mtimeMs).toBe(1000);
    writeFileSync(artefact, "torn");
    await writeSite({ skills, directory });
    expect(digestBytes(readFileSync(artefact))).toBe(written!.digest);
  });

  test("a file that a skill no longer has is not served to older clients either", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("pdf-tools", [textFile("secret.txt", "oops")])], directory });
    expect(existsSync(join(directory, V1, "pdf-tools/secret.txt"))).toBe(true);
    await writeSite({ skills: [makeSkill("pdf-tools")], directory });
    expect(existsSync(join(directory, V1, "pdf-tools/secret.txt"))).toBe(false);
    expect(read(directory, V1).skills[0]!.files).toEqual(["SKILL.md"]);
    expect(readdirSync(join(directory, V1)).sort()).toEqual(["index.json", "pdf-tools"]);
  });

  test("what a publisher that was killed left there is named by the index, and replaced", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("notes"), makeSkill("pdf-tools")], directory });
    const before = tree(join(directory, V1));
    const file = join(directory, V1, "index.json");
    const index = read(directory, V1);
    const files = ["SKILL.md", "half.md", "never-written.md"];
    const skills = index.skills.map((entry) => (entry.name === "notes" ? { ...entry, files } : entry));
    writeFileSync(file, JSON.stringify({ ...index, skills }));
    writeFileSync(join(directory, V1, "notes/half.md"), "half");
    await writeSite({ skills: [makeSkill("notes")], directory });
    expect(tree(join(directory, V1))).toEqual(before);
  });

  test("older clients are served a version whole until the next one is there, and a killed publisher blocks no one", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("pdf-tools", [SCRIPT])], directory });
    const before = tree(join(directory, V1));
    const seen = new Set<number>();
    const file = textFile("new.md", "new");
    const watched = {
      ...file,
      get bytes() {
        seen.add(tree(join(directory, V1, "pdf-tools")).size);
        return file.bytes;
      },
    };
    await writeSite({ skills: [makeSkill("pdf-tools", [SCRIPT, watched])], directory });
    expect(seen).toEqual(new Set([2]));
    for (const folder of ["pdf-tools", ".pdf-tools.new", ".pdf-tools.old"]) {
      mkdirSync(join(directory, V1, folder), { recursive: true });
      writeFileSync(join(directory, V1, folder, ".skillet-1a2b.tmp"), "half");
    }
    await writeSite({ skills: [makeSkill("pdf-tools", [SCRIPT])], directory });
    expect(tree(join(directory, V1))).toEqual(before);
  });

  test.each([".well-known", V2, V1, `${V2}/notes`, `${V1}/notes`])(
    "nothing is written or deleted through a link of the site at %s",
    async (path) => {
      const [directory, outside] = [temporaryDirectory(), temporaryDirectory()];
      mkdirSync(join(outside, "old"));
      writeFileSync(join(outside, "old/mine.txt"), "precious");
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      symlinkSync(outside, join(directory, path));
      await expect(writeSite({ skills: [makeSkill("notes", [SCRIPT])], directory })).rejects.toMatchObject({
        code: expect.stringMatching(/^site-(?:link-refused|folder-foreign)$/),
      });
      expect(tree(outside)).toEqual(new Map([["old/mine.txt", "precious"]]));
    },
  );

  test("the site itself may be a link, since a person named it", async () => {
    const [folder, real] = [temporaryDirectory(), temporaryDirectory()];
    symlinkSync(real, join(folder, "public"));
    await writeSite({ skills: [makeSkill("notes")], directory: join(folder, "public") });
    expect(names(read(real, V2))).toEqual(["notes"]);
  });

  test("a folder with anything that no index names is not replaced", async () => {
    const directory = temporaryDirectory();
    const notes = join(directory, V1, "notes");
    mkdirSync(notes, { recursive: true });
    writeFileSync(join(notes, "by-hand.html"), "written by a person");
    const before = tree(directory);
    const publish = (name: string) => writeSite({ skills: [makeSkill(name)], directory });
    await expect(publish("notes")).rejects.toMatchObject({ code: "site-folder-foreign" });
    expect(tree(directory)).toEqual(before);
    await publish("pdf");
    writeFileSync(join(directory, V1, "pdf/mine.txt"), "mine");
    await expect(publish("pdf")).rejects.toMatchObject({
      code: "site-folder-foreign",
      message: expect.stringContaining('"mine.txt"'),
    });
    expect(existsSync(join(notes, "by-hand.html"))).toBe(true);
  });

  test("folders that only look like leftovers are left alone", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, V1, ".new-house"), { recursive: true });
    await writeSite({ skills: [makeSkill("notes")], directory });
    expect(existsSync(join(directory, V1, ".new-house"))).toBe(true);
  });

  test("an index that no client would read is not written", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("notes")], directory });
    const file = join(directory, V2, "index.json");
    const index = JSON.parse(readFileSync(file, "utf8"));
    const room = 16 * 1024 * 1024 - JSON.stringify({ ...index, note: "" }).length;
    const long = JSON.stringify({ ...index, note: "x".repeat(room) });
    writeFileSync(file, long);
    await expect(writeSite({ skills: [makeSkill("more")], directory })).rejects.toMatchObject({
      code: "publish-refused",
    });
    expect(readFileSync(file, "utf8") === long).toBe(true);
  });

  test("a skill with a path that older URLs cannot hold is left out there, and that is said", async () => {
    const directory = temporaryDirectory();
    const odd = makeSkill("odd", [textFile("100%.md", "x")]);
    const wide = makeSkill("wide", [textFile("a b.md", "x")]);
    const { diagnostics } = await writeSite({ skills: [odd, wide, makeSkill("notes")], directory });
    expect(diagnostics).toMatchObject([
      { code: "legacy-index-left-out", severity: "warning", file: "100%.md" },
      { code: "legacy-index-left-out", severity: "warning", file: "a b.md" },
    ]);
    expect(names(read(directory, V1))).toEqual(["notes"]);
    expect(names(read(directory, V2))).toEqual(["notes", "odd", "wide"]);
  });

  test("a signature lies beside its artefact and holds for the tree", async () => {
    const directory = temporaryDirectory();
    const key = createKey();
    const skill = { ...makeSkill("pdf-tools", [SCRIPT]), version: "1.2.0", source: "https://example.com/x" };
    await writeSite({ skills: [skill], directory, key });
    const [entry] = read(directory, V2).skills;
    const [url] = entry!.signatures as string[];
    expect(url).toMatch(/^pdf-tools\/[0-9a-f]{64}\.tar\.gz\.[0-9a-f]{16}\.sig\.json$/);
    const envelope = parseEnvelope(readFileSync(join(directory, V2, url!)));
    expect(verifySignature(envelope, [key], treeDigestOf(skill.files))).toEqual({
      state: "verified",
      signers: [key.id],
      statement: {
        name: "pdf-tools",
        treeDigest: entry!.treeDigest,
        version: "1.2.0",
        source: "https://example.com/x",
      },
    });
  });

  test("entries of others keep keys that are not known here", async () => {
    const directory = temporaryDirectory();
    await writeSite({ skills: [makeSkill("notes")], directory });
    const file = join(directory, V2, "index.json");
    const text = readFileSync(file, "utf8").replace(
      '"type":',
      '"__proto__": {"x": 1}, "extra": true, "type":',
    );
    writeFileSync(file, text.replace('"skills":', '"publisher": "us", "skills":'));
    await writeSite({ skills: [makeSkill("pdf-tools")], directory });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ publisher: "us" });
    expect(readFileSync(file, "utf8")).toMatch(/"__proto__": \{\s*"x": 1\s*\},\s*"extra": true/);
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another schema", '{"$schema":"https://example.com/9","skills":[]}'],
    ["no skills", '{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json"}'],
    [
      "a skill without a name",
      '{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{}]}',
    ],
  ])("an index of %s is refused and stays as it is", async (_title, text) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, V2), { recursive: true });
    writeFileSync(join(directory, V2, "index.json"), text);
    await expect(writeSite({ skills: [makeSkill("notes")], directory })).rejects.toMatchObject({
      code: "site-index-malformed",
    });
    expect(tree(directory)).toEqual(new Map([[`${V2}/index.json`, text]]));
  });

  test.each<[string, Partial<SkillToPublish>]>([
    ["a name with a slash", { name: "../x" }],
    ["a name with capitals", { name: "Notes" }],
    ["a long name", { name: "x".repeat(65) }],
    ["no description", { description: " " }],
    ["a long description", { description: "x".repeat(1025) }],
  ])("a skill with %s is refused before anything is written", async (_title, change) => {
    const directory = temporaryDirectory();
    const skills = [makeSkill("good"), { ...makeSkill("notes"), ...change }];
    await expect(writeSite({ skills, directory })).rejects.toMatchObject({ code: "publish-refused" });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("one name twice is refused", async () => {
    const skills = [makeSkill("notes"), makeSkill("notes", [SCRIPT])];
    await expect(writeSite({ skills, directory: temporaryDirectory() })).rejects.toMatchObject({
      code: "publish-refused",
    });
  });

  test("what clients would refuse to unpack is not published", async () => {
    const bomb = { path: "zeros.bin", mode: "644", bytes: new Uint8Array(8 * 1024 * 1024) } as const;
    await expect(
      writeSite({ skills: [makeSkill("bomb", [bomb])], directory: temporaryDirectory() }),
    ).rejects.toMatchObject({ code: "archive-refused" });
  });

  test("a file in the way of the site's folders is an error that names the site", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, ".well-known"), "");
    await expect(writeSite({ skills: [makeSkill("notes")], directory })).rejects.toMatchObject({
      code: "site-unwritable",
      message: expect.stringContaining(directory),
    });
  });

  test("eight publishers at once leave eight skills in both indexes", async () => {
    const directory = temporaryDirectory();
    const all = Array.from({ length: 8 }, (_, count) => `skill-${count}`);
    await Promise.all(all.map((name) => writeSite({ skills: [makeSkill(name, [SCRIPT])], directory })));
    expect([names(read(directory, V2)), names(read(directory, V1))]).toEqual([all, all]);
  });
});

describe("our own client", () => {
  test("finds on the site the same trees and signatures that hold for them", async () => {
    const [site, key] = [temporaryDirectory(), createKey()];
    const skills = [makeSkill("pdf-tools", [SCRIPT]), makeSkill("notes")];
    await writeSite({ skills, directory: site, key });
    const base = await serveFolder(site);
    const context = ociContext([new URL(base).host]);
    const opened = await openWellKnownSource({ kind: "well-known", base }, context);
    for (const { name, files } of skills) {
      const read = await opened.read(files.map(({ path }) => `${name}/${path}`));
      const tree = read.map((file) => ({ ...file, path: file.path.slice(name.length + 1) }));
      expect(treeDigestOf(tree)).toBe(treeDigestOf(files));
      const { envelopes = [] } = (await opened.signaturesOf?.(name)) ?? {};
      expect(envelopes.map((envelope) => verifySignature(envelope, [key], treeDigestOf(tree)).state)).toEqual(
        ["verified"],
      );
    }
  });

  test("a signature that is missing or spoilt on the site is none", async () => {
    const [site, key] = [temporaryDirectory(), createKey()];
    const { skills } = await writeSite({
      skills: [makeSkill("notes"), makeSkill("pdf")],
      directory: site,
      key,
    });
    rmSync(skills[0]!.files[1]!);
    writeFileSync(skills[1]!.files[1]!, "{}");
    const base = await serveFolder(site);
    const opened = await openWellKnownSource({ kind: "well-known", base }, ociContext([new URL(base).host]));
    expect(await opened.signaturesOf?.("notes")).toEqual({
      envelopes: [],
      failures: [expect.stringContaining("404")],
    });
    expect(await opened.signaturesOf?.("pdf")).toEqual({
      envelopes: [],
      failures: [expect.stringContaining("cannot be read")],
    });
  });
});

describe("the existing command line from npm", () => {
  test.each([
    ["its newest index", () => undefined],
    [
      "the older one, where a server has no other",
      (site: string) => writeFileSync(join(site, V2, "index.json"), "gone"),
    ],
  ])("installs from the site by %s", async (_title, prepare) => {
    const [site, project, home] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
    const long = textFile(`references/${"folder/".repeat(14)}page.md`, "far down\n");
    const skills = [makeSkill("pdf-tools", [SCRIPT, long]), makeSkill("notes")];
    await writeSite({ skills, directory: site, key: createKey() });
    prepare(site);
    const url = await serveFolder(site);
    await runSkillsCli(["add", url, "--skill", "*", "--agent", "claude-code", "--copy", "--yes"], {
      project,
      home,
    });
    for (const { name, files } of skills) {
      const installed = [".claude/skills", ".agents/skills"]
        .map((folder) => join(project, folder, name))
        .find((folder) => existsSync(folder));
      for (const { path, bytes } of files)
        expect(readFileSync(join(installed ?? "nowhere", path)).equals(bytes)).toBe(true);
    }
  });
});

async function runSkillsCli(
  flags: string[],
  { project, home }: { project: string; home: string },
): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve("skills/package.json");
  const environment = { HOME: home, PATH: process.env.PATH, DO_NOT_TRACK: "1", DISABLE_TELEMETRY: "1" };
  await promisify(execFile)(process.execPath, [join(dirname(manifest), "bin/cli.mjs"), ...flags], {
    cwd: project,
    env: environment,
  });
}

function read(directory: string, root: string): Index {
  return JSON.parse(readFileSync(join(directory, root, "index.json"), "utf8")) as Index;
}

function names({ skills }: Index): unknown[] {
  return skills.map(({ name }) => name);
}

function tree(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, "latin1")]));
}
