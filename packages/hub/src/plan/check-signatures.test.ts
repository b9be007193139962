import { describe, expect, test } from "vitest";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { NO_ENVELOPES } from "../sources/collect-envelopes.ts";
import { parseSource } from "../sources/parse-source.ts";
import { type Resolved, showSource } from "../sources/source.ts";
import { checkSignatures } from "./check-signatures.ts";

const DIGEST = `sha256:${"a".repeat(64)}` as const;

/** Whether a rule asks for a signature of what is resolved so. */
async function isAsked(rule: string, resolved: Resolved, sources: readonly string[]): Promise<boolean> {
  const checked = await checkSignatures(
    { signatures: [{ sources: rule, keys: [formatPublicKey(createKey())] }], root: "/", userHome: "/" },
    { item: { name: "x", digest: DIGEST, resolved }, sources, findEnvelopes: async () => NO_ENVELOPES },
  );
  return "problem" in checked;
}

async function isAskedOfGit(rule: string, text: string): Promise<boolean> {
  const source = parseSource(text, { workspace: "/", userHome: "/" });
  if (source.kind !== "git") throw new Error(`${text} is not a repository`);
  const resolved = { kind: "git", url: source.url, commit: "a".repeat(40) } as const;
  return isAsked(rule, resolved, [text, showSource(source)]);
}

describe("a rule about a source", () => {
  test.each([
    "acme/tools",
    "acme/tools/folder#feature/x@pdf",
    "https://github.com/acme/tools/tree/main/skills",
    "git:git@github.com:/acme/tools",
    "ssh://git@github.com:22/acme/tools",
    "git:https://github.com./acme/tools",
    "git:https://www.github.com/acme/tools",
    "git:ssh://git@ssh.github.com:443/acme/tools",
    "git:https://github.com/%61cme/tools",
  ])("holds for %s, by whatever name it is written", async (text) => {
    for (const rule of [
      "github:acme/*",
      "ACME/*",
      "acme/tools",
      "https://GitHub.com/Acme/*",
      "git@github.com:acme/*",
    ])
      expect(await isAskedOfGit(rule, text)).toBe(true);
    for (const rule of ["github:other/*", "acme/tool", "gitlab:acme/*", "oci://*"])
      expect(await isAskedOfGit(rule, text)).toBe(false);
  });

  test("holds for another forge's repository by its address", async () => {
    expect(await isAskedOfGit("gitlab:acme/*", "git:https://gitlab.com/acme/tools.git")).toBe(true);
  });

  test("holds for an archive or a file of a repository", async () => {
    const locations = [
      "https://github.com/acme/tools/archive/main.tar.gz",
      "https://codeload.github.com/acme/tools/zip/refs/heads/main",
      "https://raw.githubusercontent.com/acme/tools/main/SKILL.md",
    ];
    for (const location of locations)
      expect(await isAsked("acme/tools", { kind: "archive", location, digest: DIGEST }, [])).toBe(true);
  });

  test("holds for a registry with its usual port written out", async () => {
    const resolved = {
      kind: "oci",
      registry: "registry.example.com:443",
      repository: "team/pdf",
      digest: DIGEST,
    } as const;
    for (const rule of ["oci://registry.example.com/*", "oci://registry.example.com"])
      expect(await isAsked(rule, resolved, [])).toBe(true);
    expect(await isAsked("oci://registry.example.com:5000/*", resolved, [])).toBe(false);
  });
});
