import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../../kit/src/testing/temporary-directory.ts";
import { skillText, type TreeContent, writeTree } from "../../../testing/write-tree.ts";
import type { Skills } from "../../../workspace/skills.ts";
import type { SessionOptions } from "../../session.ts";
import { openFolder, openSession, type TestSession } from "../../testing/open-session.ts";
import { type TinyRunner, tinyRunner } from "../../tools/testing/tiny-runner.ts";
import type { AgentTool, AgentToolResult } from "../agent-tool.ts";
import type { Toolbox } from "../create-toolbox.ts";

const TOOLSET = `tools:
  - name: echo
    description: Says it again.
    script: scripts/echo.sh
    inputSchema:
      type: object
      required: [text]
      additionalProperties: false
      properties: { text: { type: string, minLength: 1 }, loud: { type: boolean, default: false } }
  - name: open
    description: Takes anything.
    script: scripts/echo.sh
    inputSchema: { type: object, properties: { map: { type: object } } }
`;

const PNG = Buffer.from("89504e470d0a1a0a00ff", "hex");

export interface Place {
  readonly root: string;
  readonly skills: Skills;
  readonly runner: TinyRunner;
  readonly session: TestSession;
}

/** A session over two skills: `forms`, with files, a script and two tools, and `notes`, which narrows. */
export async function openPlace(
  options: SessionOptions & {
    readonly config?: string;
    readonly tree?: Readonly<Record<string, TreeContent>>;
  } = {},
): Promise<Place> {
  const { config = "", tree = {}, ...given } = options;
  const root = writeTree(join(temporaryDirectory(), "skills"), {
    "forms/SKILL.md":
      "---\nname: forms\ndescription: Forms.\ntoolsets:\n  - toolsets/forms.yaml\n---\nFill $ARGUMENTS.\n",
    "forms/toolsets/forms.yaml": TOOLSET,
    "forms/scripts/echo.sh": "cat\n",
    "forms/references/guide.md": "The guide.\n",
    "notes/SKILL.md": skillText("notes").replace("---\n\n", "allowed-tools: Read\n---\n\n"),
    ...tree,
  });
  writeTree(root, { "forms/assets/logo.png": "" });
  writeFileSync(join(root, "forms/assets/logo.png"), PNG);
  const runner = tinyRunner(["forms:scripts/echo.sh"]);
  const skills = await openFolder(root, config);
  return { root, skills, runner, session: await openSession(root, { runner, ...given }, skills) };
}

export function toolOf({ tools }: Toolbox, name: string): AgentTool {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** Calls a tool of a session as a model would. */
export async function call(session: TestSession, name: string, input: unknown): Promise<AgentToolResult> {
  return toolOf(await session.toolbox(), name).execute(input);
}
