import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAgentModel } from "../agent/scripted-chat.ts";
import { createSandbox, skillText } from "../cli/sandbox.ts";
import { HAS_TMUX, openTerminal } from "./terminal.ts";

const FORK =
  "---\nname: survey\ndescription: Surveys code.\ncontext: fork\n---\nCount the files of $ARGUMENTS.\n";
const SECRETS = (name: string, variables: readonly string[]): string =>
  `---\nname: ${name}\ndescription: Sends ${name}. Use when asked to send ${name}.\nrequired_environment_variables:\n${variables.map((one) => `- name: ${one}\n`).join("")}---\nDo ${name}.\n`;
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
        ["es", "please\r"],
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

  test("after kill -9 the conversation goes on in the same place, and $ names are completed as / names are", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.agents/skills/notes/SKILL.md", skillText("notes"));
    let kill = (): void => undefined;
    const model = await serveAgentModel("anthropic", [
      "Noted.",
      () => {
        kill();
        return "never read";
      },
      "Back again.",
    ]);
    onTestFinished(() => model.close());
    const { run } = await openTerminal(sandbox, { environment: model.environment });
    kill = () => process.kill(Number(readFileSync(join(sandbox.project, "pid"), "utf8")), "SIGKILL");
    const { text, exitCode } = await run(`sh -c 'echo $$ > pid; exec "$0" agent' "$(command -v skillet)"`, [
      ["›", "$not"],
      ["$not", TAB],
      ["es", "please\r"],
      ["out ›", "and die\r"],
    ]);
    expect(exitCode).toBe(137);
    expect(text).toContain("● skill notes (you named it)");
    sandbox.write("home/.agents/skills/notes/SKILL.md", `${skillText("notes")}Another rule.\n`);
    const later = await run("skillet agent --resume last", [
      ["ends it. ›", "are you there?\r"],
      ["out ›", "/exit\r"],
    ]);
    expect(later.exitCode).toBe(0);
    expect(later.text).toContain("notes has changed since then, and was loaded again.");
    expect(model.requests[2]?.text).toContain("Another rule.");
    expect(later.text).toContain("Going on after 2 messages; the last: and die");
    expect(later.text).toContain("Back again.");
    expect(model.requests[2]?.text).toContain("Noted.");
    expect(model.requests[2]?.text).not.toContain("never read");
  });

  test("what is pasted is one message, and none of its lines answers a question", async () => {
    const sandbox = createSandbox();
    const model = await serveAgentModel("anthropic", [
      [{ name: "Write", input: { file_path: "notes.md", content: "x" } }],
      "Then not.",
    ]);
    onTestFinished(() => model.close());
    const { run } = await openTerminal(sandbox, { environment: model.environment });
    const { text } = await run("skillet agent", [
      ["›", "first line\ry\ry\rlast line"],
      ["last line", "\r"],
      ["It changes notes.md. Do it?", "n\r"],
      ["out ›", "/exit\r"],
    ]);
    expect(text).toContain("the user said no");
    expect(model.requests[0]?.text).toContain("first line\\ny\\ny\\nlast line");
  });

  test("secrets are asked for once, together, unseen, and reach the script alone: no model, record, transcript or screen", async () => {
    const sandbox = createSandbox();
    sandbox.write("skills/tickets/SKILL.md", SECRETS("tickets", ["TICKET_TOKEN", "TICKET_USER"]));
    sandbox.write(
      "skills/tickets/scripts/send.sh",
      '#!/bin/bash\necho "as $TICKET_USER with $TICKET_TOKEN" "$(echo "$TICKET_TOKEN" | base64)"\nexit 3\n',
    );
    sandbox.write("skills/wiki/SKILL.md", SECRETS("wiki", ["WIKI_TOKEN"]));
    const model = await serveAgentModel("openai", [
      [{ name: "load_skill", input: { name: "tickets" } }],
      [{ name: "run_skill_script", input: { skill: "tickets", path: "scripts/send.sh" } }],
      [{ name: "Bash", input: { command: "env; echo $TICKET_TOKEN" } }],
      "Sent.",
      "Bye.",
    ]);
    onTestFinished(() => model.close());
    const { run } = await openTerminal(sandbox, { environment: model.environment });
    const command = [
      "skillet agent --skills-root ../skills --records ../run --allow-tool run_skill_script --allow-tool Bash",
      "--allow-skill-script tickets:scripts/send.sh",
    ].join(" ");
    const { text, exitCode } = await run(command, [
      ["›", "Send the tickets, and tell the wiki\r"],
      ["TICKET_TOKEN", "token-5c1f20aa7\r"],
      ["TICKET_USER", "user-77aa31c9\r"],
      ["WIKI_TOKEN", "\r"],
      ["out ›", "Send the tickets again\r"],
      ["out ›", "/exit\r"],
    ]);
    expect(exitCode).toBe(0);
    expect(text.match(/TICKET_TOKEN \(for tickets\), Enter for none/g)).toHaveLength(1);
    expect(text).toContain("WIKI_TOKEN (for wiki), Enter for none");
    const results = model.requests.at(-1)?.results ?? [];
    // The script had them: what it wrote stands there without them.
    expect(results[1]).toContain("as [redacted TICKET_USER] with [redacted TICKET_TOKEN]");
    const places = [
      text,
      ...model.requests.map((request) => request.text),
      ...filesBelow(join(sandbox.root, "run")),
    ];
    const encoded = Buffer.from("token-5c1f20aa7\n").toString("base64").slice(0, 16);
    for (const place of places)
      for (const secret of ["token-5c1f20aa7", "user-77aa31c9", encoded]) expect(place).not.toContain(secret);
  });
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}
