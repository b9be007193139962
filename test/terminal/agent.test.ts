import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAgentModel } from "../agent/scripted-chat.ts";
import { createSandbox, skillText } from "../cli/sandbox.ts";
import { HAS_TMUX, openTerminal } from "./terminal.ts";

const FORK =
  "---\nname: survey\ndescription: Surveys code.\ncontext: fork\n---\nCount the files of $ARGUMENTS.\n";
const [TAB, CTRL_C] = ["\t", "\x03"];

describe.skipIf(!HAS_TMUX)("a conversation with the agent on a terminal", () => {
  test("completion, a question, an interrupt, a sub-agent, a shortened conversation, and going on later", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.agents/skills/notes/SKILL.md", skillText("notes"));
    sandbox.write("home/.agents/skills/survey/SKILL.md", FORK);
    const write = (content: string) => [{ name: "Write", input: { file_path: "notes.md", content } }];
    const model = await serveAgentModel("anthropic", [
      write("- PDF\n"),
      "Written.",
      write("no"),
      "Then not.",
      [{ name: "Bash", input: { command: "echo begun; sleep 1000" } }],
      "Twelve files.",
      "The survey says twelve.",
      "They wanted notes and a survey.",
      "Still here.",
      "Back again.",
    ]);
    onTestFinished(() => model.close());
    const { run } = await openTerminal(sandbox, { environment: model.environment });
    const { text, exitCode } = await run(
      "skillet agent --allow-tool 'Bash(echo:*)' --allow-tool 'Bash(sleep:*)'",
      [
        ["›", "/not"],
        ["/not", TAB],
        ["es", " please\r"],
        ["It changes notes.md. Do it?", "y\r"],
        ["out ›", "again\r"],
        ["It changes notes.md. Do it?", "n\r"],
        ["out ›", "wait\r"],
        ["→ Bash echo begun; sleep 1000", CTRL_C],
        ["Stopped. ›", "/survey src\r"],
        ["out ›", "/compact\r"],
        ["loaded skills stay ›", "and now\r"],
        ["out ›", "/exit\r"],
      ],
    );
    expect(exitCode).toBe(0);
    expect(text).toContain("● skill notes (you named it)");
    expect(text).toContain("the user said no");
    expect(text).toContain("○ a sub-agent begins: /survey src");
    expect(text).not.toContain("Twelve files.");
    expect(text).toMatch(/To go on later: skillet agent --resume \S+/);
    expect(readFileSync(join(sandbox.project, "notes.md"), "utf8")).toBe("- PDF\n");
    // The child saw its skill and not the conversation; what came after the summary has the skills and not the past.
    expect(model.requests[5]?.text).toContain("Count the files of src.");
    expect(model.requests[5]?.text).not.toContain("Then not.");
    expect(model.requests[8]?.text).toContain("They wanted notes and a survey.");
    expect(model.requests[8]?.text).toContain("Do it.");
    expect(model.requests[8]?.text).not.toContain("Then not.");
    const later = await run('skillet agent --resume last "go on"');
    expect(later.text).toContain("Back again.");
    expect(model.requests[9]?.text).toContain("Still here.");
  });
});
