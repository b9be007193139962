import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { openFolder, openSession } from "../testing/open-session.ts";
import type { ExecCommand, ExecRequest } from "./render-body.ts";

const RULES =
  'policy:\n  rules:\n    - { tool: "Bash(printf:*)", action: allow }\n    - { tool: "Bash(git log:*)", action: allow }\n';
const requests: ExecRequest[] = [];

/** Runs commands as a host is told to. */
const exec: ExecCommand = async (request) => {
  requests.push(request);
  const { shell, command, arguments: parameters } = request;
  const output = execFileSync(shell, ["-c", command, shell, ...parameters], { encoding: "utf8" });
  return { exitCode: 0, output, timedOut: false };
};

/** What a skill becomes that may use printf and git log. */
async function activate(command: string, given: string): Promise<string> {
  requests.length = 0;
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "ctx/SKILL.md": `---\nname: ctx\ndescription: Does it.\n---\nState: !\`${command}\`\n`,
  });
  const session = await openSession(
    folder,
    { dynamicContext: ["local"], exec },
    await openFolder(folder, RULES),
  );
  return (await session.activate("ctx", { arguments: given })).text;
}

describe("an argument stays one word, whatever it holds", () => {
  test.each(["$(echo INJECTED)", '" ; echo INJECTED "', "'; echo INJECTED; '", "`echo INJECTED`", "a  b\\"])(
    "%s",
    async (given) => {
      expect(await activate("printf '<%s>' $ARGUMENTS", given)).toContain(`State: <${given}>`);
      expect(await activate('printf "<%s>" "x $ARGUMENTS"', given)).toContain(`State: <x ${given}>`);
    },
  );
});

test("an argument brings no second command past the policy", async () => {
  await activate('git log --author="$ARGUMENTS"', '" ; git push --force "');
  expect(requests).toMatchObject([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's parameter
    { command: 'git log --author="${1}"', arguments: ['" ; git push --force "'] },
  ]);
});

test("an argument is judged by what it is: an option that writes a file is not covered", async () => {
  expect(await activate("git log $ARGUMENTS", "--output=/tmp/x")).toContain("ARGUMENTS: --output=/tmp/x");
  expect(requests).toEqual([]);
});
