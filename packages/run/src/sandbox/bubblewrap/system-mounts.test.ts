import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { missingSandbox, SandboxBench } from "./testing/sandbox-bench.ts";

const missing = await missingSandbox();
const isRoot = process.getuid?.() === 0;

describe.skipIf(missing !== undefined)("in the sandbox", () => {
  let bench: SandboxBench;
  const made: string[] = [];
  beforeEach(() => {
    bench = new SandboxBench();
  });
  afterEach(() => {
    bench.close();
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const makeFolder = (prefix: string): string => {
    const folder = realpathSync(mkdtempSync(prefix));
    made.push(folder);
    chmodSync(folder, 0o755);
    return folder;
  };

  test.skipIf(!isRoot).each(["/usr/src", "/usr/local/src"])(
    "an application in %s is not seen, and can be the workspace",
    async (place) => {
      const application = makeFolder(`${place}/skillet-test-`);
      writeFileSync(join(application, ".env"), "HIDDEN-TOKEN\n");
      const script = `ls -A ${place}; touch ${place}/x ${application}/x 2>/dev/null; cat ${application}/.env 2>/dev/null; :`;
      expect((await bench.run(script)).stdout).toBe("");
      if (place !== "/usr/src") return;
      const given = await bench.run(script, { workspace: application });
      expect(given.stdout).toBe(`${application.slice(place.length + 1)}\nHIDDEN-TOKEN\n`);
    },
  );

  test("a folder below /var/tmp can be a workspace, and the rest of it is private", async () => {
    const [workspace, other] = [makeFolder("/var/tmp/skillet-test-"), makeFolder("/var/tmp/skillet-test-")];
    const { stdout } = await bench.run(
      `pwd; ls -d ${other} 2>/dev/null; echo kept > /var/tmp/file && cat /var/tmp/file; echo made > ${workspace}/made`,
      { workspace, writable: [workspace] },
    );
    expect(stdout).toBe(`${workspace}\nkept\n`);
    expect(readFileSync(join(workspace, "made"), "utf8")).toBe("made\n");
  });
});
