import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { formatStore, parseStore } from "./decision-store.ts";
import {
  folderIdentity,
  listTrusted,
  readTrust,
  type StoredFolder,
  TRUST_FORMAT,
  type TrustedSkill,
  trustFolder,
  trustOf,
  trustPath,
  untrustFolder,
} from "./trust-store.ts";

const DIGEST = digestBytes(new Uint8Array());
const SKILL: TrustedSkill = { digest: DIGEST, tree: digestBytes(new Uint8Array([1])) };
const clock = () => Date.UTC(2026, 0, 2);

describe("trustFolder and untrustFolder", () => {
  test("a trusted folder is found again with what it held, and only after it was trusted", async () => {
    const { home, project } = places();
    expect(trustOf(readTrust(home), project)).toEqual({ trusted: false, root: project });
    const folder = await trustFolder({
      home,
      projectRoot: project,
      skills: [
        ["b", SKILL],
        ["a", { digest: DIGEST }],
      ],
      clock,
    });
    expect(folder).toEqual({
      root: project,
      trustedAt: "2026-01-02T00:00:00.000Z",
      skills: new Map<string, TrustedSkill>([
        ["a", { digest: DIGEST }],
        ["b", SKILL],
      ]),
    });
    expect(trustOf(readTrust(home), project)).toEqual({ trusted: true, ...folder });
    expect(listTrusted(readTrust(home))).toEqual([folder]);
  });

  test("reading never creates the home; writing makes it and the store the owner's alone", async () => {
    const { home, project } = places();
    readTrust(home);
    expect(await untrustFolder({ home, projectRoot: project })).toBe(false);
    expect(existsSync(home)).toBe(false);
    await trustFolder({ home, projectRoot: project, skills: [], clock });
    expect([statSync(home).mode & 0o777, statSync(trustPath(home)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(home)).toEqual(["trust.json"]);
  });

  test("trusting again replaces what the folder held", async () => {
    const { home, project } = places();
    await trustFolder({ home, projectRoot: project, skills: [["old", SKILL]], clock });
    await trustFolder({ home, projectRoot: project, skills: [["new", SKILL]], clock });
    expect(listTrusted(readTrust(home)).map(({ skills }) => [...skills.keys()])).toEqual([["new"]]);
  });

  test("trust can be taken back once, also from a folder that is gone", async () => {
    const { home, project } = places();
    await trustFolder({ home, projectRoot: project, skills: [], clock });
    rmSync(project, { recursive: true });
    expect(await untrustFolder({ home, projectRoot: project })).toBe(true);
    expect(await untrustFolder({ home, projectRoot: project })).toBe(false);
    expect(readTrust(home).folders).toEqual(new Map());
  });

  test("trust can be taken back from a folder that is gone by the path it was given under, links included", async () => {
    const { home, project } = places();
    symlinkSync(project, join(project, "../link"));
    mkdirSync(join(project, "gone"));
    await trustFolder({ home, projectRoot: join(project, "gone"), skills: [], clock });
    rmSync(join(project, "gone"), { recursive: true });
    expect(await untrustFolder({ home, projectRoot: join(project, "../link/gone") })).toBe(true);
  });

  test("many changes at once are all kept", async () => {
    const { home, project } = places();
    const roots = Array.from({ length: 12 }, (_, index) => join(project, String(index).padStart(2, "0")));
    for (const root of roots) mkdirSync(root);
    await Promise.all(roots.map((projectRoot) => trustFolder({ home, projectRoot, skills: [], clock })));
    expect(listTrusted(readTrust(home)).map(({ root }) => root)).toEqual(roots);
  });
});

describe("what does not borrow trust", () => {
  test("a parent, a child and a folder whose .git points into a trusted one are not trusted", async () => {
    const { home, project } = places();
    const trusted = join(project, "trusted");
    const forged = join(project, "forged");
    mkdirSync(join(trusted, ".git/worktrees/forged"), { recursive: true });
    mkdirSync(join(trusted, "inner"));
    mkdirSync(forged);
    writeFileSync(join(forged, ".git"), `gitdir: ${trusted}/.git/worktrees/forged\n`);
    await trustFolder({ home, projectRoot: trusted, skills: [], clock });
    const store = readTrust(home);
    const outcome = [project, trusted, join(trusted, "inner"), forged].map(
      (root) => trustOf(store, root).trusted,
    );
    expect(outcome).toEqual([false, true, false, false]);
  });

  test("a link to a trusted folder is that folder; a link put in its place is not", async () => {
    const { home, project } = places();
    mkdirSync(join(project, "a"));
    mkdirSync(join(project, "evil"));
    symlinkSync("a", join(project, "link"));
    await trustFolder({ home, projectRoot: join(project, "link"), skills: [], clock });
    expect(trustOf(readTrust(home), join(project, "a")).trusted).toBe(true);
    renameSync(join(project, "a"), join(project, "moved"));
    symlinkSync("evil", join(project, "a"));
    const store = readTrust(home);
    expect([
      trustOf(store, join(project, "a")).trusted,
      trustOf(store, join(project, "link")).trusted,
    ]).toEqual([false, false]);
  });
});

describe("a folder's identity", () => {
  test("stays through changes in it, and another folder in its place has another one", () => {
    const folder = temporaryDirectory();
    const skill = join(folder, "skill");
    mkdirSync(skill);
    const made = folderIdentity(skill);
    writeFileSync(join(skill, "SKILL.md"), "");
    expect(folderIdentity(skill)).toBe(made);
    rmSync(skill, { recursive: true });
    mkdirSync(skill);
    if (made !== undefined) expect(folderIdentity(skill)).not.toBe(made);
    symlinkSync(skill, join(folder, "link"));
    for (const other of ["link", "absent"]) expect(folderIdentity(join(folder, other))).toBeUndefined();
  });

  test.runIf(statSync("/proc/self", { bigint: true, throwIfNoEntry: false })?.birthtimeNs === 0n)(
    "is none where the disk does not keep when a folder was made",
    () => expect(folderIdentity("/proc/self/task")).toBeUndefined(),
  );
});

describe("a store that cannot be used", () => {
  const root = JSON.stringify("/p");
  const cases: [string, string][] = [
    ["is empty", ""],
    ["is cut in half", '{"version":2,"fold'],
    ["is not an object", "[]"],
    ["has a later version", '{"version":3,"folders":{}}'],
    ["has an earlier version", '{"version":1,"folders":{}}'],
    ["has unknown keys", '{"version":2,"folders":{},"trustEverything":true}'],
    ["has no folders", '{"version":2}'],
    ["has a relative folder", '{"version":2,"folders":{"p":{"trustedAt":"2026-01-01","skills":{}}}}'],
    ["has no time", `{"version":2,"folders":{${root}:{"skills":{}}}}`],
    ["has no skills", `{"version":2,"folders":{${root}:{"trustedAt":"2026-01-01"}}}`],
    [
      "has a bad digest",
      `{"version":2,"folders":{${root}:{"trustedAt":"2026-01-01","skills":{"a":{"digest":"sha256:0"}}}}}`,
    ],
    [
      "has a bad tree digest",
      `{"version":2,"folders":{${root}:{"trustedAt":"2026-01-01","skills":{"a":{"digest":"${DIGEST}","tree":1}}}}}`,
    ],
    [
      "has an unknown key in a skill",
      `{"version":2,"folders":{${root}:{"trustedAt":"2026-01-01","skills":{"a":{"digest":"${DIGEST}","all":true}}}}}`,
    ],
    ["is not UTF-8", "\u{fffd}"],
  ];

  test.each(cases)(
    "one that %s is an error that says what to do, and stays as it is",
    async (title, text) => {
      const { home, project } = places();
      mkdirSync(home);
      writeFileSync(trustPath(home), title === "is not UTF-8" ? new Uint8Array([0xff]) : text);
      const before = readFileSync(trustPath(home));
      expect(() => readTrust(home)).toThrow("move it away and trust your folders again");
      const trust = trustFolder({ home, projectRoot: project, skills: [], clock });
      await expect(trust).rejects.toMatchObject({ code: "trust-store-invalid" });
      await expect(untrustFolder({ home, projectRoot: project })).rejects.toMatchObject({
        code: "trust-store-invalid",
      });
      expect(readFileSync(trustPath(home))).toEqual(before);
    },
  );

  test("a FIFO, a folder or a link to nowhere in its place is an error, not an empty store", () => {
    const { home } = places();
    mkdirSync(home);
    const place = {
      fifo: () => execFileSync("mkfifo", [trustPath(home)]),
      folder: () => mkdirSync(trustPath(home)),
      dangling: () => symlinkSync("nowhere", trustPath(home)),
    };
    for (const make of Object.values(place)) {
      make();
      expect(() => readTrust(home)).toThrow(SkilletError);
      rmSync(trustPath(home), { recursive: true });
    }
  });
});

test("a store comes back as it was written, whatever the names are", () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "é/ü", "a\nb"));
  const skill = fc.constantFrom<TrustedSkill>(SKILL, { digest: DIGEST });
  const skills = fc.array(fc.tuple(name, skill)).map((entries) => Object.fromEntries(entries));
  const root = name.map((text) => `/${text}`);
  const folder = fc.record({ trustedAt: fc.constant("2026-01-01T00:00:00.000Z"), skills });
  fc.assert(
    fc.property(fc.array(fc.tuple(root, folder)), (folders) => {
      const given = new Map<string, StoredFolder>(folders);
      const store = parseStore(formatStore(given, TRUST_FORMAT), TRUST_FORMAT);
      const shown = (items: typeof store): readonly string[] =>
        Array.from(items, ([path, { skills: own }]) =>
          JSON.stringify([
            path,
            Object.entries(own)
              .map((one) => JSON.stringify(one))
              .sort(),
          ]),
        ).sort();
      expect(shown(store)).toEqual(shown(given));
    }),
  );
});

function places(): { home: string; project: string } {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "project"));
  return { home: join(directory, "home"), project: join(directory, "project") };
}
