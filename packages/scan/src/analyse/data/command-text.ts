import type { Language } from "../../file/file-kind.ts";

/** A command and the language in which it is to be read. */
export interface CommandText {
  readonly language: Extract<Language, "shell" | "powershell" | "batch">;
  readonly text: string;
}

/** Tells whose a command is: PowerShell and `cmd` take the rest of the line without quotes, pipes and all. */
export function commandText(command: string): CommandText {
  const powershell = POWERSHELL.exec(command)?.[1];
  if (powershell !== undefined) return { language: "powershell", text: unquoted(powershell) };
  const batch = BATCH.exec(command)?.[1];
  if (batch !== undefined) return { language: "batch", text: unquoted(batch) };
  return { language: /\|\s{0,4}iex\b/i.test(command) ? "powershell" : "shell", text: command };
}

const POWERSHELL =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?(?:powershell|pwsh)(?:\.exe)?\s{1,8}(?:-(?:w|windowstyle|ep|ex|exec|executionpolicy|version)\s{1,8}\w{1,20}\s{1,8}|-(?:nop|noprofile|noni|noninteractive|nologo|sta|mta)\s{1,8}){0,8}(?:-(?:c|command)\s{1,8})?([^\s-][\s\S]{3,20000})$/i;
const BATCH =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?cmd(?:\.exe)?\s{1,8}(?:\/[a-bd-z]\s{1,8}){0,4}\/c\s{1,8}([\s\S]{3,20000})$/i;

function unquoted(text: string): string {
  return /^(["'])([\s\S]*)\1\s*$/.exec(text)?.[2] ?? text;
}
