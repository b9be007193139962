import { parseJson } from "@skillet/kit/json";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";

/** Hands the commands of a Dockerfile on as shell, on their own lines. */
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
    : `${variable[1]}=${quote((variable[2] ?? "").replace(/^(["'])(.*)\1$/, "$2"))}`;
}

/** `["sh", "-c", "…"]` as the same words of a shell. */
function execForm(text: string): string | undefined {
  if (!text.startsWith("[")) return undefined;
  const words = parseJson(text);
  return Array.isArray(words) ? words.map((word) => quote(String(word))).join(" ") : undefined;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
