import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isNode22, node24 } from "./sdk-packages.ts";

const NEWER = ["test/sdks/ai-sdk.test.ts", "test/sdks/openai-agents.test.ts"];
const repository = join(import.meta.dirname, "../..");

test.skipIf(isNode22 || !existsSync(node24))(
  "the SDKs that need a newer Node keep the contract under one",
  () => {
    const vitest = join(repository, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--maxWorkers=1", "--reporter=dot", ...NEWER];
    const { status, stdout, stderr } = spawnSync(node24, args, { cwd: repository, encoding: "utf8" });
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  },
);
