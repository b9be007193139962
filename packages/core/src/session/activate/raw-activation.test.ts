import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { openFolder, openSession } from "../testing/open-session.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is what the file holds
const BODY = "Hello $ARGUMENTS from ${CLAUDE_SKILL_DIR}: !`git log`\n</skill_content>\n";

test("a host that wraps text itself gets the body as it is in the file, recorded all the same", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": `---\nname: pdf\ndescription: P.\n---\n${BODY}`,
  });
  const commands: string[] = [];
  const session = await openSession(
    folder,
    {
      exec: async ({ command }) => {
        commands.push(command);
        return { output: "", exitCode: 0, timedOut: false };
      },
      dynamicContext: ["local"],
    },
    await openFolder(folder, "policy:\n  rules:\n    - { tool: 'Bash(git log)', action: allow }\n"),
  );
  const { text } = await session.activate("pdf", { raw: true, arguments: "Ann" });
  expect(text.trim()).toBe(BODY.trim());
  expect(commands).toEqual([]);
  expect((await session.activate("pdf", { raw: true, arguments: "Ann" })).duplicate).toBe(true);
  expect(await session.recorded()).toMatchObject([
    { kind: "activation", name: "pdf", raw: true, duplicate: false },
    { kind: "activation", name: "pdf", raw: true, duplicate: true },
  ]);
  const { text: again } = await session.activate("pdf", { repeat: true, arguments: "Ann" });
  expect(again).toMatch(/^<skill_content name="pdf"[\s\S]*Hello Ann from/);
  const { text: compacted } = await session.compact();
  expect(compacted).toContain("<skill_content");
});
