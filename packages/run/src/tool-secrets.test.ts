import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AgentToolResult, openSkills } from "@skillet/core";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunner } from "./create-runner.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-tool-secrets-")));
});
afterEach(() => removeTree(root));

const SECRET = "café-s3cr3t-v4lue";
const SKILL = {
  "SKILL.md":
    "---\nname: pay\ndescription: Pays.\ntoolsets: [tools.json]\nrequired-environment-variables:\n  - name: PAY_TOKEN\n---\nPay.\n",
  "tools.json": JSON.stringify({
    tools: [{ name: "show", description: "Shows.", script: "scripts/show.py" }],
  }),
};

/** The result of a tool whose script writes an expression, in which `v` is the secret. */
async function resultOf(expression: string): Promise<AgentToolResult | undefined> {
  const script = `import os, sys\nv = os.environ['PAY_TOKEN']\nsys.stdout.write(${expression})\n`;
  for (const [path, text] of Object.entries({ ...SKILL, "scripts/show.py": script })) {
    const file = join(root, "skills/pay", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const home = join(root, "home");
  const skills = await openSkills({
    workspace: root,
    roots: [join(root, "skills")],
    home,
    userHome: root,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(root, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
  const runner = createRunner({ sandbox: noSandbox(), home, allow: ["pay:scripts/show.py"] });
  const ask = async () => ({ choice: "provide", secrets: { PAY_TOKEN: SECRET } });
  const session = await skills.session({ runner, ask });
  await session.askForDependencies();
  await session.activate("pay");
  const tool = (await session.toolbox()).tools.find(({ kind }) => kind === "skill");
  return tool?.execute({});
}

test.each([
  ["all of its characters", String.raw`'"' + ''.join('\\u%04x' % ord(c) for c in v) + '"'`],
  ["one of them, in capitals", String.raw`'"' + v.replace('\u00e9', '\\u00E9') + '"'`],
])("an answer of a tool that escapes %s does not give a secret to the model", async (_what, expression) => {
  const result = await resultOf(expression);
  expect(result).toMatchObject({ isError: false, value: "[redacted PAY_TOKEN]" });
  expect(JSON.stringify(result)).not.toContain(SECRET);
});
