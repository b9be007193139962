import { Writable } from "node:stream";
import type { Answer, Ask, Question, SecretRequest } from "@skillet/core";
import { textOf } from "@skillet/kit/json";
import type { CommandContext, Dialog } from "../context/command-context.ts";
import { askOnTerminal, discardTypedAhead } from "../context/create-ask.ts";
import { showSentence, stripControl } from "../ui/text.ts";

/** Puts the questions of an agent to the person at the terminal; undefined without one. */
export function askPerson(context: CommandContext): Ask | undefined {
  const { dialog } = context;
  if (dialog === undefined || context.json) return undefined;
  return async (question, { signal }) => {
    if (question.secrets !== undefined && question.secrets.length > 0)
      return { choice: "provide", secrets: await askSecrets(context, dialog, question.secrets) };
    const { isAlways, text } = wording(context, question);
    const answer = (await askOnTerminal(dialog, text, signal))?.toLowerCase() ?? "";
    const choice: Answer["choice"] =
      isAlways && /^a(?:lways)?$/.test(answer) ? "always" : /^y(?:es)?$/.test(answer) ? "allow" : "deny";
    return { choice: question.choices.includes(choice) ? choice : "deny" };
  };
}

function wording(
  { environment }: CommandContext,
  { reason, call, choices }: Question,
): { readonly isAlways: boolean; readonly text: string } {
  const isAlways = choices.includes("always");
  const sentence = showSentence(reason, environment);
  const why = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  // Whole: a yes to what was cut off would be a yes to anything.
  const what = call === undefined ? "" : `\n${stripControl(describeCall(call.tool, call.input))}\n`;
  return {
    isAlways,
    text: `${what}${why} ${isAlways ? "Do it? (a: always, for exactly this) [y/a/N]" : "Go on? [y/N]"}`,
  };
}

const MAIN: ReadonlyMap<string, string> = new Map([
  ...(["Read", "Write", "Edit"] as const).map((tool) => [tool, "file_path"] as const),
  ["Bash", "command"],
  ["delegate", "task"],
  ["load_skill", "name"],
]);

/** A call as a person reads it: what that tool itself goes by, whatever else a model put beside it; else all of it. */
export function describeCall(tool: string, input: unknown): string {
  return `${tool} ${textOf(input, MAIN.get(tool) ?? "") ?? JSON.stringify(input) ?? ""}`.trimEnd();
}

/** All at once, before the skill is used; what is typed is not shown. */
async function askSecrets(
  { terminal }: CommandContext,
  { input, output }: Dialog,
  wanted: readonly SecretRequest[],
): Promise<Readonly<Record<string, string>>> {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const given: Record<string, string> = Object.create(null);
  for (const { name, prompt, help, optional = false } of wanted) {
    discardTypedAhead(input);
    const about = [prompt, help, optional ? "optional" : undefined]
      .filter((part) => part !== undefined)
      .join("; ");
    terminal.warnRaw(stripControl(`${name}${about === "" ? "" : ` (${about})`}, Enter for none: `));
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output: silent, terminal: true });
    const value = await new Promise<string>((resolve) => {
      lines.once("close", () => resolve(""));
      lines.once("line", resolve);
    });
    lines.close();
    output.write("\n");
    if (value !== "") given[name] = value;
  }
  return given;
}
