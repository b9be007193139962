import { Buffer } from "node:buffer";
import { type Disguise, type ShellAttack, wrapSkill } from "./attack.ts";

/** Ten ways to write a command line without its telling words. */
export const SHELL_DISGUISES: readonly Disguise<ShellAttack>[] = [
  { name: "quotes inside words", apply: ({ command }) => fence(quoteWords(command)) },
  { name: "backslashes inside words", apply: ({ command }) => fence(escapeWords(command)) },
  { name: "words from variables", apply: ({ command }) => script(splitFirstWord(command)) },
  { name: "base64 to a shell", apply: ({ command }) => fence(throughBase64(command)) },
  { name: "hexadecimal printf", apply: ({ command }) => script(throughPrintf(command)) },
  {
    name: "unicode escapes",
    apply: ({ command }) => script(`eval $'${unicodeEscapes(command)}'`),
  },
  { name: "line folding", apply: ({ command }) => fence(command.replaceAll(" ", " \\\n  ")) },
  {
    name: "another shell",
    apply: ({ command }) => fence(`zsh -c ${singleQuoted(command)}`),
  },
  {
    name: "another language",
    apply: ({ command }) =>
      wrapSkill("Run `python3 scripts/prepare.py` first.", {
        "scripts/prepare.py": `import subprocess\n\nsubprocess.run(${JSON.stringify(command)}, shell=True)\n`,
      }),
  },
  {
    name: "another file",
    apply: ({ command }) =>
      wrapSkill("Run `npm install` in this folder first.", {
        "package.json": `${JSON.stringify({ name: "table-notes", version: "1.0.0", scripts: { postinstall: command } }, null, 2)}\n`,
      }),
  },
];

function fence(command: string): ReturnType<typeof wrapSkill> {
  return wrapSkill(`\`\`\`bash\n${command}\n\`\`\``);
}

function script(command: string): ReturnType<typeof wrapSkill> {
  return wrapSkill("Run `scripts/prepare` first.", {
    "scripts/prepare": `#!/usr/bin/env bash\nset -e\n${command}\n`,
  });
}

function quoteWords(command: string): string {
  return command.replaceAll(/(?<=^|[|&;(] ?)([a-z])([a-z]+)/g, "$1''$2");
}

function escapeWords(command: string): string {
  return command.replaceAll(/(?<=^|[|&;(] ?)([a-z])([a-z]+)/g, "$1\\$2");
}

function splitFirstWord(command: string): string {
  const [, word = "", rest = ""] = /^\(?([a-z]+)([\s\S]*)$/.exec(command) ?? [];
  const open = command.startsWith("(") ? "(" : "";
  return `a=${word.slice(0, 1)}\nb=${word.slice(1)}\n${open}$a$b${rest}`;
}

function throughBase64(command: string): string {
  return `echo ${Buffer.from(command).toString("base64")} | base64 -d | bash`;
}

function throughPrintf(command: string): string {
  const escaped = Array.from(Buffer.from(command), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
  return `printf '${escaped}' | sh`;
}

function unicodeEscapes(command: string): string {
  return Array.from(
    command,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ).join("");
}

function singleQuoted(command: string): string {
  return `'${command.replaceAll("'", `'\\''`)}'`;
}
