import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { resolveGit } from "./resolve-remote.ts";
import { GitFixture, gitMissing } from "./testing/git-fixture.ts";
import { packetLine, serveRefs } from "./testing/refs-server.ts";

const missing = gitMissing();
if (missing !== undefined) console.warn(`What servers say of their refs is not tested: ${missing}.`);
const unbounded = existsSync("/usr/bin/prlimit") ? undefined : "/usr/bin/prlimit is not installed";
if (unbounded !== undefined) console.warn(`The memory of git is not tested: ${unbounded}.`);

const fixture = new GitFixture();
afterAll(() => fixture.remove());
const COMMIT = "a".repeat(40);
const MIB = 1024 * 1024;

describe.skipIf(missing !== undefined)("a server that lists refs", () => {
  test.each([
    ["refs/heads/main", "refs/heads/main"],
    ["refs/heads/\u001b]0;owned\u0007x", undefined],
    ["refs/heads/a:refs/heads/b", undefined],
    ["refs/heads/\u202egpj", undefined],
    ["refs/heads/../../x", undefined],
    [`refs/heads/${"x".repeat(300)}`, undefined],
  ])("that says that HEAD is %j is believed only where that can be a branch", async (branch, ref) => {
    const { origin } = await serveRefs(() => [packetLine(`${COMMIT} HEAD symref-target:${branch}\n`)]);
    const url = `${origin}/x.git`;
    expect(await resolveGit({ kind: "git", url }, fixture.context())).toEqual({
      kind: "git",
      url,
      ...(ref !== undefined && { ref }),
      commit: COMMIT,
    });
  });

  test("is quoted only with names that can be branches or tags", async () => {
    const names = ["refs/heads/main", "refs/heads/ma\u202ein", "refs/heads/mai\u009bn", "refs/tags/v1"];
    const { origin } = await serveRefs(() => names.map((name) => packetLine(`${COMMIT} ${name}\n`)));
    const source = { kind: "git", url: `${origin}/x.git`, ref: "mainn" } as const;
    await expect(resolveGit(source, fixture.context())).rejects.toMatchObject({
      code: "git-ref-missing",
      data: { suggestions: ["main"] },
    });
  });

  test.skipIf(unbounded !== undefined)("without end is left when git has had its memory", async () => {
    let sent = 0;
    const { origin } = await serveRefs(function* () {
      for (let number = 0; sent < 512 * MIB; number += 1000) {
        const lines = Array.from({ length: 1000 }, (_, index) =>
          packetLine(`${COMMIT} refs/heads/${"x".repeat(900)}${number + index}\n`),
        );
        const chunk = Buffer.concat(lines);
        sent += chunk.length;
        yield chunk;
      }
    });
    const context = fixture.context({ limits: { maxGitMemoryBytes: 64 * MIB } });
    const source = { kind: "git", url: `${origin}/x.git`, ref: "main" } as const;
    await expect(resolveGit(source, context)).rejects.toMatchObject({
      code: "source-too-large",
      data: { limit: "maxGitMemoryBytes" },
    });
    expect(sent).toBeLessThan(128 * MIB);
  });
});
