import { readFileSync } from "node:fs";
import type { TreeFile } from "@skillet/core";
import { digestBytes, digestTree } from "@skillet/kit/digest";
import { createRunner } from "../../create-runner.ts";
import type { RunLimits } from "../../run-limits.ts";
import { bubblewrap } from "../../sandbox/bubblewrap/bubblewrap.ts";
import { noSandbox } from "../../sandbox/no-sandbox.ts";

/** One attack, as a process of some user carries it out. */
export interface EscapeRequest {
  readonly sandbox: "bubblewrap" | "none";
  readonly home: string;
  readonly workspace: string;
  readonly writable: readonly string[];
  readonly network: readonly string[];
  readonly limits: Partial<RunLimits>;
  readonly timeoutMs: number;
  /** By path, all of them plain files; the first one is the script. */
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly args: readonly string[];
}

const request: EscapeRequest = JSON.parse(readFileSync(0, "utf8"));
const files: TreeFile[] = request.files
  .map(([path, text]) => ({ path, mode: "644" as const, bytes: Buffer.from(text) }))
  .sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
const path = request.files[0]?.[0] ?? "";

const runner = createRunner({
  sandbox: request.sandbox === "none" ? noSandbox() : bubblewrap(),
  home: request.home,
  writable: request.writable,
  network: request.network,
  limits: request.limits,
});
const prepared = await runner.prepare({
  skill: {
    name: "attack",
    qualifiedName: "attack",
    treeDigest: digestTree(
      files.map(({ path: name, mode, bytes }) => ({
        path: name,
        mode,
        digest: digestBytes(bytes),
        size: bytes.length,
      })),
    ),
  },
  path,
  facts: { executable: false, runtime: path.endsWith(".py") ? "python" : "bash" },
  target: "sandbox",
  files: (async function* () {
    yield* files;
  })(),
});
const outcome =
  "run" in prepared
    ? await prepared.run({
        args: request.args,
        cwd: "workspace",
        workspace: request.workspace,
        protect: [],
        timeoutMs: request.timeoutMs,
        secrets: {},
        runId: "escape",
      })
    : prepared;
process.stdout.write(JSON.stringify(outcome));
