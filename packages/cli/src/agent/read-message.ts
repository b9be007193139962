import type { Session } from "@skillet/core";
import type { Dialog } from "../context/command-context.ts";

const COMMANDS = ["/compact", "/exit"];

/** Completes names after `/` or `$`: the skills that the user may start, and the agent's own commands. */
function completeMessage(session: Pick<Session, "mayUse" | "snapshot">, line: string): [string[], string] {
  const [, word = ""] = /(?:^|\s)([/$][\w:/.-]*)$/.exec(line) ?? [];
  if (word === "") return [[], line];
  const names = session.snapshot.skills
    .filter((skill) => session.mayUse(skill, { source: "user" }).hidden === undefined)
    .map(({ qualifiedName }) => `${word.charAt(0)}${qualifiedName}`);
  const all = [...names, ...(line === word ? COMMANDS : [])].sort();
  const found = all.filter((name) => name.startsWith(word));
  // A completed name is followed by a space.
  return [found.length === 1 ? found.map((name) => `${name} `) : found, word];
}

/** Reads one message; undefined at end of input. Ctrl-C clears the line, or ends the input if it is empty. */
export function readMessage(
  { input, output }: Dialog,
  { session, history }: { readonly session: Session; readonly history: string[] },
): Promise<string | undefined> {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const lines = createInterface({
    input,
    output,
    prompt: "› ",
    history: [...history],
    historySize: 200,
    tabSize: 2,
    completer: (line: string) => completeMessage(session, line),
  });
  return new Promise((resolve) => {
    const end = (): void => {
      output.write("\n");
      resolve(undefined);
    };
    lines.once("close", end);
    lines.on("SIGINT", () => {
      if (lines.line === "") lines.close();
      else lines.write(null, { ctrl: true, name: "u" });
    });
    const typed: string[] = [];
    const send = (): void => {
      // The last line of a paste may still wait for Enter.
      if (lines.line !== "") return;
      const message = typed.join("\n").trim();
      if (message !== "") history.unshift(message.replaceAll("\n", " "));
      lines.off("close", end);
      lines.close();
      resolve(message);
    };
    // Pasted lines arrive in one go and form one message.
    let sending: NodeJS.Immediate | undefined;
    lines.on("line", (line) => {
      typed.push(line);
      clearImmediate(sending);
      sending = setImmediate(send);
    });
    lines.prompt();
  });
}
