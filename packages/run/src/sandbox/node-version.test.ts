import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Interpreter } from "../runtime/choose-runtime.ts";
import { bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { missingSandbox, SandboxBench } from "./bubblewrap/testing/sandbox-bench.ts";
import { nodeVersion } from "./probe-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

const missing = await missingSandbox();

describe.skipIf(missing !== undefined)("the version of a node", () => {
  let bench: SandboxBench;
  let runs: number;
  let sandbox: Sandbox;
  beforeEach(() => {
    bench = new SandboxBench();
    const real = bubblewrap();
    runs = 0;
    sandbox = {
      ...real,
      run: (job) => {
        runs += 1;
        return real.run(job);
      },
    };
  });
  afterEach(() => bench.close());

  const install = (path: string): Interpreter => {
    const file = join(bench.root, "tools", "bin", "node");
    mkdirSync(join(bench.root, "tools", "bin"), { recursive: true });
    copyFileSync(path, file);
    chmodSync(file, 0o755);
    return { name: "node", path: file, home: join(bench.root, "tools", "bin") };
  };

  test("is asked for in the sandbox, once for each program", async () => {
    const node = install(realpathSync(process.execPath));
    expect(await nodeVersion(sandbox, node)).toBe(process.versions.node);
    expect(await nodeVersion(sandbox, node)).toBe(process.versions.node);
    expect(runs).toBe(1);
    install("/bin/true");
    expect(await nodeVersion(sandbox, node)).toBeUndefined();
    expect(runs).toBe(2);
  });

  test("is told by a program that is seen alone, without the folder around it", async () => {
    const node = install(realpathSync(process.execPath));
    expect(await nodeVersion(sandbox, { ...node, home: node.path })).toBe(process.versions.node);
  });

  test("is not asked for where it is known, or where nothing is", async () => {
    const node = install(realpathSync(process.execPath));
    expect(await nodeVersion(sandbox, { ...node, version: "1.2.3" })).toBe("1.2.3");
    expect(await nodeVersion(sandbox, { ...node, path: `${node.path}-gone` })).toBeUndefined();
    expect(runs).toBe(0);
  });

  test("a program that only goes by that name does nothing outside", async () => {
    const marker = join(bench.root, "started");
    const node = {
      name: "node",
      path: bench.write("tools/bin/node", `#!/bin/sh\ntouch ${marker}\necho v1.2.3\n`, 0o755),
    };
    expect(await nodeVersion(sandbox, { ...node, home: join(bench.root, "tools", "bin") })).toBe("1.2.3");
    expect(existsSync(marker)).toBe(false);
  });
});

test("a version that could not be asked for is asked for again", async () => {
  const before = process.env.TMPDIR;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-again-")));
  const sandbox = {
    run: async () => ({ exitCode: 0, stdout: "v22.18.0\n" }),
  } as unknown as Sandbox;
  try {
    const path = join(root, "node");
    writeFileSync(path, "");
    process.env.TMPDIR = join(root, "later");
    await expect(nodeVersion(sandbox, { name: "node", path })).rejects.toThrow("ENOENT");
    mkdirSync(join(root, "later"));
    expect(await nodeVersion(sandbox, { name: "node", path })).toBe("22.18.0");
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(root, { recursive: true });
  }
});
