import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { openSession } from "../testing/open-session.ts";
import { DONE, recordingRunner } from "../testing/recording-runner.ts";

const SECRET = "typed-by-a-person-0815";

test("a value that a person gave is not recorded when it is also an argument", async () => {
  const root = writeTree(join(temporaryDirectory(), "skills"), {
    "pay/SKILL.md":
      "---\nname: pay\ndescription: Pays.\nrequired-environment-variables:\n  - name: PAY_TOKEN\n---\nPay.\n",
    "pay/scripts/main.sh": "#!/bin/sh\n",
  });
  const runner = recordingRunner({
    allow: ["pay:scripts/main.sh"],
    onRun: async ({ args }) => ({ ...DONE, argv: ["sh", "/skill/scripts/main.sh", ...args] }),
  });
  const ask = async () => ({ choice: "provide", secrets: { PAY_TOKEN: SECRET } });
  const session = await openSession(root, { runner, ask });
  await session.askForDependencies();
  await session.activate("pay");
  const run = await session.run("pay", "scripts/main.sh", [`--token=${SECRET}`]);
  expect(run.status).toBe("executed");
  await session.run("nobody", "scripts/main.sh", [SECRET]);
  expect(JSON.stringify(await session.recorded())).not.toContain(SECRET);
});
