import fc from "fast-check";
import { expect, test } from "vitest";
import { readMarketplace } from "./read-marketplace.ts";

const read = (plugins: readonly unknown[], more: object = {}, root = "") =>
  readMarketplace(
    Buffer.from(JSON.stringify({ name: "m", plugins, ...more })),
    ".claude-plugin/marketplace.json",
    root,
  );
const one = (source: unknown) => read([{ name: "p", source }]);
const COMMIT = "a".repeat(40);

test.each<[string, unknown, object]>([
  ["a folder", "./plugins/p", { folder: "plugins/p" }],
  ["its own root", "./", { folder: "" }],
  [
    "a repository of GitHub",
    { source: "github", repo: "o/r" },
    { elsewhere: { kind: "git", url: "https://github.com/o/r" } },
  ],
  [
    "a repository at a ref",
    { source: "url", url: "https://git.example.com/r.git", ref: "v1" },
    { elsewhere: { kind: "git", url: "https://git.example.com/r.git", ref: "v1" } },
  ],
  [
    "a commit, which beats the ref",
    { source: "github", repo: "o/r", ref: "main", sha: COMMIT },
    { elsewhere: { kind: "git", ref: COMMIT } },
  ],
  [
    "a folder of a repository",
    { source: "git-subdir", url: "https://git.example.com/r.git", path: "a/b" },
    { folder: "a/b", elsewhere: { kind: "git", folder: "a/b" } },
  ],
  [
    "a package",
    { source: "npm", package: "@s/p", version: "1.2.3" },
    { elsewhere: { kind: "npm", name: "@s/p", version: "1.2.3" } },
  ],
  [
    "an archive with its digest",
    { source: "archive", url: "https://example.com/p.zip", sha256: "A".repeat(64) },
    { elsewhere: { kind: "archive" }, pin: `sha256:${"a".repeat(64)}` },
  ],
])("a plugin may lie in %s", (_what, source, expected) => {
  const { offers, diagnostics } = one(source);
  expect(diagnostics).toEqual([]);
  expect(offers).toMatchObject([{ kind: "plugin", name: "p", ...expected }]);
});

test.each<[string, unknown, string]>([
  ["a command", { source: "command", command: "curl x | sh" }, "running a command"],
  ["a folder above", "../../home", "leads out"],
  ["an absolute folder", { source: "archive", url: "/etc/x.zip" }, "a local path"],
  ["a file URL", { source: "archive", url: "file:///etc/x.zip" }, "a local path"],
  ["a repository of this machine", { source: "url", url: "file:///srv/x.git" }, "a local path"],
  ["a git helper", { source: "url", url: "ext::sh -c id" }, "names no repository"],
  ["an address with a password", { source: "url", url: "https://u:secret@example.com/r.git" }, "credential"],
  ["a ref that is an option", { source: "github", repo: "o/r", ref: "--upload-pack=x" }, "option"],
  ["a sha that is none", { source: "github", repo: "o/r", sha: "main" }, "not the full id"],
  ["a digest that is none", { source: "archive", url: "https://x.example/p.zip", sha256: "1" }, "sha256"],
  ["a registry of its own", { source: "npm", package: "p", registry: "https://evil.example" }, "registry"],
  [
    "a path out of its repository",
    { source: "git-subdir", url: "https://x.example/r", path: "../x" },
    "leads out",
  ],
  ["something unknown", { source: "carrier-pigeon" }, "unknown kind"],
  ["nothing", undefined, "unknown kind"],
])("a plugin that would come from %s is refused, and holds up no other", (_what, source, why) => {
  const { offers, diagnostics } = read([
    { name: "bad", source },
    { name: "good", source: "./good" },
  ]);
  expect(offers.map(({ name }) => name)).toEqual(["good"]);
  expect(diagnostics).toMatchObject([{ code: "marketplace-invalid" }]);
  expect(diagnostics[0]?.message).toContain(why);
  expect(diagnostics[0]?.message).not.toContain("secret");
});

test("what its marketplace says is not available is not offered", () => {
  const { offers } = read([{ name: "p", source: "./p", policy: { installation: "NOT_AVAILABLE" } }]);
  expect(offers).toEqual([]);
});

test("folders begin at the marketplace's root and at its root of plugins", () => {
  const { offers } = read([{ name: "p", source: "p" }], { metadata: { pluginRoot: "./plugins" } }, "sub");
  expect(offers[0]?.folder).toBe("sub/plugins/p");
});

test.each(["", "..", "a/b", "-x", "x".repeat(65), "a b"])("the name %j makes no offer", (name) => {
  expect(read([{ name, source: "./p" }]).offers).toEqual([]);
});

test("whatever a marketplace says, nothing is thrown and nothing leads out or to this machine", () => {
  const source = fc.oneof(
    fc.string(),
    fc.jsonValue(),
    fc.record({
      source: fc.constantFrom("github", "url", "git-subdir", "npm", "archive", "command"),
      url: fc.oneof(fc.string(), fc.webUrl()),
      repo: fc.string(),
      path: fc.string(),
      package: fc.string(),
      ref: fc.string(),
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.constant("p"), source }), { maxLength: 3 }), (plugins) => {
      for (const { folder, elsewhere } of read(plugins).offers) {
        expect(folder.split("/")).not.toContain("..");
        expect(folder.startsWith("/")).toBe(false);
        expect(elsewhere?.kind).not.toBe("local");
      }
    }),
  );
});

test.each(["", "[]", '{"plugins":{}}', "{", '{"plugins":[null,1,[]]}'])(
  "%j gives no offers and says so",
  (text) => {
    const { offers, diagnostics } = readMarketplace(Buffer.from(text), "m.json", "");
    expect(offers).toEqual([]);
    expect(diagnostics.length).toBeGreaterThan(0);
  },
);
