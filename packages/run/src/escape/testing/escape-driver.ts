import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import type { ScriptOutcome, ScriptRefusal, TreeFile } from "@skillet/core";
import { digestBytes, digestTree } from "@skillet/kit/digest";
import { createRunner } from "../../create-runner.ts";
import type { RunLimits } from "../../run-limits.ts";
import { bubblewrap } from "../../sandbox/bubblewrap/bubblewrap.ts";
import { noSandbox } from "../../sandbox/no-sandbox.ts";

/** One attack, carried out by a process of some user. */
export interface EscapeRequest {
  readonly sandbox: "bubblewrap" | "none";
  readonly home: string;
  readonly workspace: string;
  readonly writable: readonly string[];
  readonly network: readonly string[];
  readonly limits: Partial<RunLimits>;
  readonly timeoutMs: number;
  /** All plain files; the first one is the script. */
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly args: readonly string[];
}

const sandboxes = { bubblewrap: bubblewrap(), none: noSandbox() };

// One request per line, one answer per line.
for await (const line of createInterface({ input: process.stdin })) {
  const request: EscapeRequest = JSON.parse(line);
  process.env.HOME = request.home;
  process.stdout.write(`${JSON.stringify(await carryOut(request))}\n`);
}
// Removes its own folder if the starter named it.
if (process.argv[2] !== undefined) rmSync(process.argv[2], { recursive: true, force: true });

async function carryOut(request: EscapeRequest): Promise<ScriptOutcome | ScriptRefusal> {
  const files: TreeFile[] = request.files
    .map(([path, text]) => ({ path, mode: "644" as const, bytes: Buffer.from(text) }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
  const path = request.files[0]?.[0] ?? "";
  const runner = createRunner({
    sandbox: sandboxes[request.sandbox],
    home: request.home,
    writable: request.writable,
    network: request.network,
    limits: request.limits,
  });
  const entries = files.map(({ path: name, mode, bytes }) => ({
    path: name,
    mode,
    digest: digestBytes(bytes),
    size: bytes.length,
  }));
  const prepared = await runner.prepare({
    skill: { name: "attack", qualifiedName: "attack", treeDigest: digestTree(entries) },
    path,
    facts: { executable: false, runtime: path.endsWith(".py") ? "python" : "bash" },
    target: "sandbox",
    files: (async function* () {
      yield* files;
    })(),
  });
  if (!("run" in prepared)) return prepared;
  return prepared.run({
    args: request.args,
    cwd: "workspace",
    workspace: request.workspace,
    protect: [],
    timeoutMs: request.timeoutMs,
    secrets: {},
    runId: "escape",
  });
}
