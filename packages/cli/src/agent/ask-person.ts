import { sep } from "node:path";
import { Writable } from "node:stream";
import type { Answer, Ask, SecretRequest, ToolCall } from "@skillet/core";
import { textOf } from "@skillet/kit/json";
import type { CommandContext, Dialog } from "../context/command-context.ts";
import { askOnTerminal, discardTypedAhead } from "../context/create-ask.ts";
import { hang, listAll, showControl, showSentence, stripControl, truncate, wrap } from "../ui/text.ts";

/** Puts the questions of an agent to the person at the terminal; undefined without one. */
export function askPerson(context: CommandContext): Ask | undefined {
  const { dialog, terminal, environment } = context;
  if (dialog === undefined) return undefined;
  return async ({ secrets = [], call, choices, reason }, { signal }) => {
    if (secrets.length > 0) return { choice: "provide", secrets: await askSecrets(context, dialog, secrets) };
    if (call !== undefined)
      terminal.warn(callLines(call, { workspace: context.workspace, width: terminal.errors.width }));
    const isAlways = choices.includes("always");
    const sentence = showSentence(reason, environment);
    const why = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
    const text = `${why} ${isAlways ? "Do it? (a: always, for exactly this) [y/a/N]" : "Go on? [y/N]"}`;
    const answer = (await askOnTerminal(dialog, text, signal))?.toLowerCase() ?? "";
    const choice: Answer["choice"] =
      isAlways && /^a(?:lways)?$/.test(answer) ? "always" : /^y(?:es)?$/.test(answer) ? "allow" : "deny";
    return { choice: choices.includes(choice) ? choice : "deny" };
  };
}

const MAX_CONTENT_LINES = 100;
// From here on, the beginning may have left the screen.
const MANY_LINES = 20;

/**
 * What a person says yes to, each line apart: joined, a command after a comment would look like a part of the comment. Every
 * row has a mark before it, so that none can look like a row of Skillet's own. A command is shown whole; of a file's content,
 * what a screen or two take.
 */
export function callLines(
  { tool, input }: ToolCall,
  { workspace, width }: { readonly workspace: string; readonly width: number },
): readonly string[] {
  const marked = (mark: string, text: string | undefined): readonly string[] =>
    (text?.replace(/\n$/, "").split("\n") ?? []).flatMap((line) => {
      const [first = "", ...rest] = wrap(showControl(line), { width: width - 4 - mark.length });
      return [`  │ ${mark}${first}`, ...rest.map((row) => `  ┆ ${mark}${row}`)];
    });
  if (tool === "Bash") {
    const lines = marked("", textOf(input, "command"));
    const all = `  (The command has ${lines.length} lines. Scroll up to read all of them.)`;
    return lines.length > MANY_LINES ? [...lines, all] : lines;
  }
  // The question of a rule does not name the file.
  const title = hang(describeCall(tool, input, workspace), { width }, { indent: 2, maxLines: MANY_LINES });
  if (tool !== "Write" && tool !== "Edit") return title;
  const removed = marked("- ", textOf(input, "old_string"));
  const added = marked("+ ", textOf(input, "new_string") ?? textOf(input, "content"));
  return [...title, ...cutLines(removed), ...cutLines(added)];
}

// Each part by itself: a long text that is taken out must not hide what is put in.
function cutLines(lines: readonly string[]): readonly string[] {
  const rest = lines.length - MAX_CONTENT_LINES;
  return rest > 0 ? [...lines.slice(0, MAX_CONTENT_LINES), `  │ … ${rest} more lines`] : lines;
}

const MAIN: ReadonlyMap<string, string> = new Map([
  ...(["Read", "Write", "Edit"] as const).map((tool) => [tool, "file_path"] as const),
  ["Bash", "command"],
  ["delegate", "task"],
  ["load_skill", "name"],
]);

/** A call as a person reads it: what that tool itself goes by, whatever else a model put beside it; else all of it. */
export function describeCall(tool: string, input: unknown, workspace: string): string {
  const main = textOf(input, MAIN.get(tool) ?? "") ?? JSON.stringify(input) ?? "";
  const shown = main.startsWith(workspace + sep) ? main.slice(workspace.length + 1) : main;
  // Joined by a space, a command after a comment would look like a part of it.
  return `${tool} ${shown.trimEnd().replaceAll("\n", " ⏎ ")}`.trimEnd();
}

/** All at once, before the skill is used; what is typed is not shown. */
async function askSecrets(
  { terminal }: CommandContext,
  { input, output }: Dialog,
  wanted: readonly SecretRequest[],
): Promise<Readonly<Record<string, string>>> {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const given: Record<string, string> = Object.create(null);
  discardTypedAhead(input);
  // Opened before anything is asked and kept to the end: without it the terminal itself shows what is typed.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  let isClosed = false;
  lines.once("close", () => {
    isClosed = true;
  });
  for (const { name, skills, prompt, help, optional = false } of wanted) {
    if (isClosed) break;
    // First who gets it, which no skill can say itself.
    const about = [
      `for ${listAll(skills)}`,
      ...[prompt, help].flatMap((text) => (text === undefined ? [] : truncate(stripControl(text), 200))),
      ...(optional ? ["optional"] : []),
    ].join("; ");
    const typed = new Promise<string>((resolve) => {
      lines.once("close", () => resolve(""));
      lines.once("line", resolve);
    });
    terminal.warnRaw(`${stripControl(`${name} (${about}), Enter for none:`)} `);
    const value = await typed;
    output.write("\n");
    if (value !== "") given[name] = value;
  }
  lines.close();
  return given;
}
