import { parseJson } from "@skillet/kit/json";
import { quoteShell } from "@skillet/kit/text";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../fact-writer.ts";

export function analyseDockerfile(source: SourceText): Analysis {
  const lines: string[] = [];
  let isContinued = false;
  for (const line of source.text.split("\n")) {
    const plain = line.replace(/\r$/, " ");
    if (isContinued && /^\s*#/.test(plain)) {
      // A comment between continued lines does not end them.
      lines.push(`${" ".repeat(plain.length)}\\`);
      continue;
    }
    lines.push(isContinued ? plain : instruction(plain));
    isContinued = (isContinued || COMMAND.test(plain)) && /\\\s*$/.test(plain);
  }
  const text = lines.map((line) => line.replace(/\\\s+$/, "\\")).join("\n");
  return { facts: [], texts: text.trim() === "" ? [] : [{ ...source, text, language: "shell" }] };
}

const COMMAND = /^\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT)\s/i;

function instruction(line: string): string {
  const run = /^\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT)\s+((?:--[\w-]+=\S+\s+){0,5})(.*)$/i.exec(line);
  if (run?.[2] !== undefined) return execForm(run[2]) ?? run[2];
  const add = /^\s*ADD\s+(?:--[\w-]+=\S+\s+){0,5}(https?:\/\/\S+)\s+(\S+)\s*$/i.exec(line);
  if (add !== null) return `curl -o ${add[2]} ${add[1]}`;
  const variable = /^\s*(?:ENV|ARG)\s+(\w+)[=\s](\S.*)$/i.exec(line);
  return variable === null
    ? ""
    : `${variable[1]}=${quoteShell((variable[2] ?? "").replace(/^(["'])(.*)\1$/, "$2"))}`;
}

function execForm(text: string): string | undefined {
  const words = text.startsWith("[") ? parseJson(text) : undefined;
  return Array.isArray(words) ? words.map((word) => quoteShell(String(word))).join(" ") : undefined;
}

export function analyseMakefile(source: SourceText): Analysis {
  let isContinued = false;
  const indent = /(?:^|\/)\.?justfile$|\.just$/i.test(source.file) ? /^[ \t]/ : /^\t/;
  const lines = source.text.split("\n").map((line) => {
    const plain = line.replace(/\r$/, " ");
    const isRecipe = indent.test(plain);
    const shown = isRecipe || isContinued ? recipe(plain) : definition(plain);
    isContinued = (isRecipe || isContinued) && plain.endsWith("\\");
    return shown;
  });
  const text = lines.join("\n");
  return { facts: [], texts: text.trim() === "" ? [] : [{ ...source, text, language: "shell" }] };
}

function recipe(line: string): string {
  return variables(line.replace(/^\s+[@+-]{0,3}/, ""));
}

/** `NAME := value` as a shell assignment; a `$(shell …)` call in it is kept. */
function definition(line: string): string {
  const match = /^\s{0,8}(?:export\s+|override\s+)?([\w.-]{1,100})\s{0,20}[:?+]{0,3}=\s{0,20}(\S.*)$/.exec(
    line,
  );
  if (match?.[2] === undefined)
    return line.includes("$(shell ") ? variables(line.slice(line.indexOf("$(shell "))) : "";
  const name = (match[1] ?? "").replace(/[.-]/g, "_");
  const value = match[2].trimEnd();
  return value.includes("$(shell ")
    ? `${name}="${variables(value).replaceAll('"', "'")}"`
    : `${name}='${value.replaceAll("'", "")}'`;
}

function variables(text: string): string {
  return text
    .replace(FOREACH, "for $1 in $2; do $3; done;")
    .replace(/\$\(([A-Za-z_]\w{0,60})\)/g, "$${$1}")
    .replaceAll("$(shell ", "$(")
    .replaceAll("$$", "$");
}

/** `$(foreach name,list,commands;)`, whose parts may contain references of their own. */
const FOREACH =
  /\$\(foreach\s{1,8}(\w{1,60}),((?:[^(),]|\(\w{1,60}\)){1,400}),((?:[^()]|\(\w{1,60}\)){1,2000}?);\s{0,8}\);?/g;
