// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the tokens that skills are written with
import { describe, expect, test } from "vitest";
import { type ExecRequest, renderBody } from "./render-body.ts";

const requests: ExecRequest[] = [];
const judged: string[] = [];

function render(
  body: string,
  given: string | undefined,
  outcome: "allow" | "deny" = "allow",
): ReturnType<typeof renderBody> {
  requests.length = 0;
  judged.length = 0;
  return renderBody(
    body,
    { ...(given !== undefined && { arguments: given }), names: [], variables: { CLAUDE_SKILL_DIR: "/s" } },
    {
      exec: async (request) => {
        requests.push(request);
        if (request.command === "fail") throw new Error("no such shell");
        if (request.command === "long")
          return { exitCode: 0, output: `${"x".repeat(3999)}😀`, timedOut: false };
        return { exitCode: request.command.startsWith("false") ? 1 : 0, output: "$1 out\n", timedOut: false };
      },
      decide: (command) => {
        judged.push(command);
        return { outcome, reason: "the policy says so" };
      },
      shell: "bash",
      workingDirectory: "/project",
      file: "SKILL.md",
    },
  );
}

test("arguments that no token takes are added as a paragraph, and none when there are none", async () => {
  expect((await render("Fee \\$5\n", '"big file" v2')).text).toBe('Fee $5\n\nARGUMENTS: "big file" v2');
  expect((await render("Do it.\n", undefined)).text).toBe("Do it.\n");
  expect((await render("Do it.\n", "")).text).toBe("Do it.\n");
  expect((await render("Do $0.\n", "x")).text).toBe("Do x.\n");
});

test("a command's output takes its place and is not looked at again; values in it are parameters", async () => {
  const { text, diagnostics } = await render("On !`ls $0 ${CLAUDE_SKILL_DIR}` with $1.", "'; rm -rf x' b");
  expect(text).toBe("On $1 out with b.");
  expect(diagnostics).toEqual([]);
  expect(requests).toEqual([
    {
      shell: "bash",
      command: 'ls "${1}" "${2}"',
      arguments: ["; rm -rf x", "/s"],
      workingDirectory: "/project",
      timeoutMs: 10_000,
      maxOutputCharacters: 4_000,
    },
  ]);
  expect(judged).toEqual(["ls '; rm -rf x' '/s'"]);
});

test("what policy does not allow stays text and is reported; a failure is reported too", async () => {
  const refused = await render("On !`date`.", undefined, "deny");
  expect(refused).toMatchObject({ text: "On !`date`.", diagnostics: [{ code: "context-command" }] });
  expect(requests).toEqual([]);
  const failed = await render("On !`false`.", undefined);
  expect(failed).toMatchObject({ text: "On $1 out.", diagnostics: [{ code: "context-command" }] });
});

test("an argument cannot bring a command along", async () => {
  expect((await render("See $ARGUMENTS", "!`rm -rf x`")).text).toBe("See !`rm -rf x`");
  expect(requests).toEqual([]);
});

describe("arguments that their command did not get are added as a paragraph", () => {
  test.each<readonly [string, string, "allow" | "deny"]>([
    ["because policy refuses it", "!`git log $ARGUMENTS`", "deny"],
    ["because a shell would not read them as one word", "!`git log '$ARGUMENTS'`", "allow"],
    ["because the command can change them", "!`set -- push; git $ARGUMENTS`", "allow"],
    ["because the price was all there is", "Price $5", "allow"],
  ])("%s", async (_, body, outcome) => {
    expect((await render(body, "log", outcome)).text).toBe(`${body}\n\nARGUMENTS: log`);
    expect(requests).toEqual([]);
  });
});

test("a command that its host cannot run is reported, and the rest of the skill stays", async () => {
  expect(await render("On !`fail`.", undefined)).toMatchObject({
    text: "On !`fail`.",
    diagnostics: [{ message: 'The command "fail" of this skill: it could not be run: no such shell.' }],
  });
});

test("output is cut between characters, and that is reported", async () => {
  const { text, diagnostics } = await render("!`long`", undefined);
  expect(text).toBe("x".repeat(3999));
  expect(diagnostics).toMatchObject([{ code: "context-command" }]);
});

test("commands beyond the bound are not run, and that is reported", async () => {
  const { diagnostics } = await render("!`true`\n".repeat(21), undefined);
  expect(requests).toHaveLength(20);
  expect(diagnostics).toMatchObject([{ code: "context-command" }]);
});

test("arguments that are too long are refused", async () => {
  await expect(render("Do it.", "x".repeat(64 * 1024 + 1))).rejects.toMatchObject({
    code: "arguments-too-long",
  });
});
