import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { SandboxJob } from "./sandbox.ts";
import { quoteProfileString, seatbelt, seatbeltProfile, shellLimits } from "./seatbelt.ts";

const PLACES = { scratch: "/private/tmp/scratch", homes: ["/Users/anna"], hidden: [] };

function job(change: Partial<SandboxJob> = {}): SandboxJob {
  return {
    skill: { digest: `sha256:${"0".repeat(64)}`, directory: "/Users/anna/.skillet/staged/one" },
    interpreter: { name: "python3", path: "/usr/bin/python3" },
    flags: [],
    script: "scripts/run.py",
    args: [],
    cwd: "workspace",
    workspace: "/Users/anna/project",
    writable: [],
    protect: [],
    network: [],
    environment: {},
    limits: DEFAULT_RUN_LIMITS,
    ...change,
  };
}

/** Reads the profile language as far as it matters here: lists, symbols, strings. */
function parse(text: string): unknown[] {
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"|[()]|[^\s()"]+/g) ?? [];
  let at = 0;
  const list = (): unknown[] => {
    const items: unknown[] = [];
    for (; at < tokens.length && tokens[at] !== ")"; at += 1) {
      const token = tokens[at]!;
      if (token === "(") {
        at += 1;
        items.push(list());
      } else
        items.push(token.startsWith('"') ? { text: token.slice(1, -1).replace(/\\([\s\S])/g, "$1") } : token);
    }
    return items;
  };
  return list();
}

function pathsOf(rule: unknown[] | undefined): unknown[] {
  return (rule ?? []).flatMap((item) => (Array.isArray(item) ? [(item[1] as { text: string }).text] : []));
}

test("everything is denied that is not granted, and the network always", () => {
  const text = seatbeltProfile(job(), PLACES);
  const rules = parse(text);
  expect(rules.slice(0, 2)).toEqual([
    ["version", "1"],
    ["deny", "default"],
  ]);
  expect(rules.at(-1)).toEqual(["deny", "network*"]);
  expect(text).not.toMatch(/allow (?:default|network|mach|file-write\*\)|file-read\*\))/);
});

test("only the private folder and what is granted can be written, and a guard stands after every grant", () => {
  const text = seatbeltProfile(
    job({ writable: ["/Users/anna/project"], protect: ["/Users/anna/project/runs"] }),
    PLACES,
  );
  const rules = parse(text) as unknown[][];
  const grants = rules.filter(([verb, what]) => verb === "allow" && what === "file-write*");
  expect(grants.map(pathsOf)).toEqual([["/dev/null", "/dev/zero", PLACES.scratch, "/Users/anna/project"]]);
  const guard = rules.findIndex(([verb, what]) => verb === "deny" && what === "file-write*");
  expect(guard).toBeGreaterThan(rules.indexOf(grants[0]!));
  expect(pathsOf(rules[guard])).toEqual(
    expect.arrayContaining([
      "/Users/anna/project/.git",
      "/Users/anna/project/runs",
      "/Users/anna/.skillet/staged/one",
    ]),
  );
});

describe("in a home that is given as the workspace", () => {
  const interpreter = { name: "node", path: "/Users/anna/.nvm/22/bin/node", home: "/Users/anna/.nvm/22" };
  const hidden = ["/Users/anna/.nvm", "/Users/anna/.odd"];
  const text = seatbeltProfile(job({ workspace: "/Users/anna", interpreter }), { ...PLACES, hidden });
  const rules = parse(text) as unknown[][];

  test("secrets cannot be read, nor what else is private there", () => {
    const denied = rules.find((rule) => rule[0] === "deny" && rule[1] === "file-read*");
    expect(pathsOf(denied)).toEqual(
      expect.arrayContaining(["/Users/anna/.ssh", "/Users/anna/.skillet", "/Users/anna/Library", ...hidden]),
    );
  });

  test("the staged skill and the interpreter can be read all the same, and not written", () => {
    const [last] = rules.filter((rule) => rule[1] === "file-read*").slice(-1);
    expect([last?.[0], pathsOf(last)]).toEqual([
      "allow",
      ["/Users/anna/.skillet/staged/one", "/Users/anna/.nvm/22"],
    ]);
    expect(rules.filter((rule) => rule[1] === "file-write*").map(([verb]) => verb)).toEqual([
      "allow",
      "deny",
    ]);
  });
});

test("a path stays one string, whatever is in it, so that none can end it and begin a rule", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (path) => {
      expect(parse(`(subpath ${quoteProfileString(path)})`)).toEqual([["subpath", { text: path }]]);
    }),
  );
  fc.assert(
    fc.property(
      fc.string().map((text) => `/${text}`),
      (path) => {
        const evil = parse(
          seatbeltProfile(job({ workspace: path, writable: [path] }), PLACES),
        ) as unknown[][];
        const plain = parse(
          seatbeltProfile(job({ workspace: "/p", writable: ["/p"] }), PLACES),
        ) as unknown[][];
        expect(evil.map((rule) => rule.slice(0, 2).filter((item) => typeof item === "string"))).toEqual(
          plain.map((rule) => rule.slice(0, 2).filter((item) => typeof item === "string")),
        );
      },
    ),
  );
  const attack = '/Users/x"))\n(allow default)(deny x (subpath "\\';
  expect(parse(seatbeltProfile(job({ workspace: attack }), PLACES))).not.toContainEqual(["allow", "default"]);
});

test("limits that a shell can set stand before the program", () => {
  expect(shellLimits({ ...DEFAULT_RUN_LIMITS, cpuSeconds: 5, openFiles: 64, fileBytes: 1024 })).toBe(
    'ulimit -c 0 && ulimit -t 5 && ulimit -n 64 && ulimit -f 2 && exec "$@"',
  );
});

test.skipIf(process.platform === "darwin")(
  "elsewhere than on macOS it refuses, with the reason",
  async () => {
    expect(await seatbelt().probe()).toEqual({ ok: false, reason: "seatbelt is the sandbox of macOS" });
    await expect(seatbelt().run(job())).rejects.toMatchObject({ code: "sandbox-unavailable" });
  },
);
