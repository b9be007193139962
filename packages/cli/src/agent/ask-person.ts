import { sep } from "node:path";
import { Writable } from "node:stream";
import type { Answer, Ask, SecretRequest, ToolCall } from "@skillet/core";
import { textOf } from "@skillet/kit/json";
import type { CommandContext, Dialog } from "../context/command-context.ts";
import { askOnTerminal, discardTypedAhead } from "../context/create-ask.ts";
import { hang, listAll, showControl, showSentence, stripControl, truncate, wrap } from "../ui/text.ts";

/** Asks an agent's questions on the terminal; undefined without one. */
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
// With more lines than this, the beginning may have scrolled off the screen.
const MANY_LINES = 20;

/**
 * What the user is asked to approve, line by line: if lines were joined, a command after a comment would look
 * like part of the comment. Every line has a mark, so that none can pass for Skillet's own output. Commands
 * are shown in full; file contents are cut after a screen or two.
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
  // A rule's question does not name the file.
  const title = hang(describeCall(tool, input, workspace), { width }, { indent: 2, maxLines: MANY_LINES });
  if (tool !== "Write" && tool !== "Edit") return title;
  const removed = marked("- ", textOf(input, "old_string"));
  const added = marked("+ ", textOf(input, "new_string") ?? textOf(input, "content"));
  return [...title, ...cutLines(removed), ...cutLines(added)];
}

// Both parts are cut separately: a long text that is removed must not hide what is added.
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

/** Describes a call by its tool's main argument, whatever else a model added, or else by the whole input. */
export function describeCall(tool: string, input: unknown, workspace: string): string {
  const main = textOf(input, MAIN.get(tool) ?? "") ?? JSON.stringify(input) ?? "";
  const shown = main.startsWith(workspace + sep) ? main.slice(workspace.length + 1) : main;
  // Joined by a space, a command after a comment would look like part of the comment.
  return `${tool} ${shown.trimEnd().replaceAll("\n", " ⏎ ")}`.trimEnd();
}

/** Asks for all of them before the skill is used; typed values are not shown. */
async function askSecrets(
  { terminal }: CommandContext,
  { input, output }: Dialog,
  wanted: readonly SecretRequest[],
): Promise<Readonly<Record<string, string>>> {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const given: Record<string, string> = Object.create(null);
  discardTypedAhead(input);
  // Opened first and kept until the end: without it, the terminal itself would echo what is typed.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  let isClosed = false;
  lines.once("close", () => {
    isClosed = true;
  });
  for (const { name, skills, prompt, help, optional = false } of wanted) {
    if (isClosed) break;
    // Says first who gets the value, because that part does not come from the skill.
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
