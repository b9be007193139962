import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";

/** Hands the recipes and the `$(shell …)` calls of a Makefile on as shell, on their own lines. */
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

/** `NAME := value` as an assignment of the shell; a call of the shell in it stays one. */
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
    .replace(/\$\(([A-Za-z_]\w{0,60})\)/g, "$${$1}")
    .replaceAll("$(shell ", "$(")
    .replaceAll("$$", "$");
}
