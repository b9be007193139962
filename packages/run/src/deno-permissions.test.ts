import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRunner } from "./create-runner.ts";
import { bubblewrap } from "./sandbox/bubblewrap/bubblewrap.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { CountedFiles, digestOf, treeFiles } from "./stage/testing/tree-files.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-deno-")));
  chmodSync(root, 0o755);
});
afterEach(() => removeTree(root));

/** A sandbox in which a program of ours stands in for deno, and nothing else runs TypeScript. */
function withDeno(sandbox: Sandbox, program: string): Sandbox {
  const home = join(root, "deno/bin");
  const path = join(home, "deno");
  mkdirSync(home, { recursive: true });
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  return {
    ...sandbox,
    findInterpreter: async (name) => (name === "deno" ? { name, path, home } : undefined),
  };
}

async function output(sandbox: Sandbox, script: string, network: readonly string[] = []): Promise<string> {
  const files = treeFiles({ "SKILL.md": "# x\n", "scripts/a.ts": script });
  const prepared = await createRunner({ sandbox, network, home: join(root, "home") }).prepare({
    skill: { name: "tester", qualifiedName: "user:tester", treeDigest: digestOf(files) },
    path: "scripts/a.ts",
    facts: { executable: false, runtime: "unknown" },
    target: "sandbox",
    files: new CountedFiles(files),
  });
  if (!("run" in prepared)) throw new Error(prepared.message);
  const call = { args: [], cwd: "skill" as const, protect: [], timeoutMs: 30_000, secrets: {}, runId: "1" };
  const outcome = await prepared.run(call);
  if (outcome.status === "refused") throw new Error(outcome.message);
  return outcome.stdout + outcome.stderr;
}

// Without the script itself, which comes last.
const PRINT_FLAGS =
  '#!/bin/sh\nfor last; do :; done\nfor flag; do [ "$flag" = "$last" ] || echo "$flag"; done\n';
const OFFLINE = ["run", "--no-prompt", "--no-remote", "--no-npm"];

const flagsOf = (text: string): string[] => text.trim().split("\n");

describe("a TypeScript script that deno runs", () => {
  test("gets no permissions on a bare host", async () => {
    const text = await output(withDeno(noSandbox(), PRINT_FLAGS), "console.log(1)\n");
    expect(flagsOf(text)).toEqual(OFFLINE);
  });

  test("gets those that its own first line asks for", async () => {
    const script = "#!/usr/bin/env -S deno run --allow-read=/etc/hostname\nconsole.log(1)\n";
    const text = await output(withDeno(noSandbox(), PRINT_FLAGS), script);
    expect(flagsOf(text)).toEqual([...OFFLINE, "--allow-read=/etc/hostname"]);
  });
});

const isContained = (await bubblewrap().probe()).ok;

describe.skipIf(!isContained)("a TypeScript script that deno runs in a sandbox", () => {
  test("gets files and variables, and neither programs, native code nor the network", async () => {
    const text = await output(withDeno(bubblewrap(), PRINT_FLAGS), "console.log(1)\n");
    expect(flagsOf(text)).toEqual([...OFFLINE, "--allow-read", "--allow-write", "--allow-env"]);
  });

  test("reaches a host that was granted, and deno is told about that host alone", async () => {
    const { server, port } = await serve();
    try {
      const host = `localhost:${port}`;
      const program = `#!/bin/bash
printf '%s\\n' "\${@:1:$#-1}"
exec 5<>/dev/tcp/127.0.0.1/3128
printf 'GET http://${host}/ HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n' >&5
cat <&5
`;
      const text = await output(withDeno(bubblewrap(), program), "console.log(1)\n", [host]);
      expect(text).toContain(
        `run\n--no-prompt\n--allow-read\n--allow-write\n--allow-env\n--allow-net=${host},127.0.0.1:3128\n`,
      );
      expect(text).toContain("REACHED");
    } finally {
      server.close();
    }
  });

  test("may reach any host as far as deno is concerned where a wildcard was granted, which the proxy holds", async () => {
    const text = await output(withDeno(bubblewrap(), PRINT_FLAGS), "console.log(1)\n", ["*.example.org"]);
    expect(flagsOf(text).at(-1)).toBe("--allow-net");
  });
});

async function serve(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((_, response) => response.end("REACHED"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 };
}
