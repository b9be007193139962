import type { CommandScope } from "../command/command-scope.ts";
import { type CommandReader, NOTHING, type ProgramOutput } from "../command/program-call.ts";
import { PowershellText } from "./powershell-text.ts";

/** Where a text is read: the shell's scope, how deep in others, and who reads its programs. */
interface PowershellContext {
  readonly scope: CommandScope;
  readonly depth: number;
  readonly reader: CommandReader;
}

/** More statements than these are not read. */
const MAX_STATEMENTS = 256;

/** Reads a text for PowerShell, by its basics: statements, pipes, quotes, variables and parentheses. */
export function readPowershell(text: string, context: PowershellContext): ProgramOutput {
  return readStatements(new PowershellText(text), context);
}

function readStatements(source: PowershellText, context: PowershellContext): ProgramOutput {
  const { scope, depth, reader } = context;
  let output = NOTHING;
  let isPiped = false;
  for (let count = 0; count < MAX_STATEMENTS; count += 1) {
    const inside = { ...context, depth: depth + 1 };
    const { words, end, variable } = source.statement(scope, () =>
      depth > MAX_PARENTHESES ? NOTHING : readStatements(source, inside),
    );
    const input = isPiped ? output : NOTHING;
    if (variable !== undefined) scope.assign(variable, words[0] ?? { kind: "unknown" });
    else if (words.length > 0)
      output = reader.readProgram({ words, scope, input, shell: "powershell", depth });
    if (end === "closed" || end === "end") return output;
    isPiped = end === "piped";
  }
  return output;
}

const MAX_PARENTHESES = 8;
