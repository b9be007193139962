import type { SelectableSkill } from "../selectable-skill.ts";
import { findNegation } from "./negations.ts";

type Manifest = SelectableSkill["manifest"];

/** Terms of evidence begin with these marks; no word of a text does, so they never meet. */
export const COMMAND_MARK = "\u0001c:";
export const EXTENSION_MARK = "\u0001e:";
export const VERB_MARK = "\u0001v:";

const MAX_COMMANDS = 32;
const MAX_EXTENSIONS = 32;
// Enough for what a skill does; more would be a claim to every order.
const MAX_VERBS = 8;

export function findEvidence(
  manifest: Manifest,
  texts: { readonly header: string; readonly shell: string },
): readonly string[] {
  const { bins, anyBins, commands } = manifest.gating;
  const named = [...bins, ...anyBins, ...commands, ...allowedCommands(manifest)];
  const wrapped = new Set([...named, ...shellCommands(texts.shell)].map((command) => command.toLowerCase()));
  return [
    ...[...wrapped]
      .filter((command) => !EVERYWHERE.has(command))
      .slice(0, MAX_COMMANDS)
      .map((command) => COMMAND_MARK + command),
    ...[...new Set([...findExtensions(texts.header), ...pathExtensions(manifest)])]
      .slice(0, MAX_EXTENSIONS)
      .map((extension) => EXTENSION_MARK + extension),
    ...manifest.triggers.verbs.slice(0, MAX_VERBS).map((verb) => VERB_MARK + verb.toLowerCase()),
  ];
}

/** The extensions that a text names, as `.pdf`, `*.pdf` or `report.pdf`; in lower case, without the dot. */
export function findExtensions(text: string): readonly string[] {
  if (!text.includes(".")) return [];
  const extension = /(?:[\p{L}\p{N}_*\])-]|(?<![\p{L}\p{N}.]))\.([a-z][a-z0-9]{0,7})(?![\p{L}\p{N}/:])/giu;
  return [...new Set(Array.from(text.matchAll(extension), ([, found = ""]) => found.toLowerCase()))];
}

function allowedCommands({ tools }: Manifest): readonly string[] {
  return tools.allowed.flatMap((tool) => /^Bash\(\s*([\w.+-]+)/.exec(tool)?.[1] ?? []);
}

/** The extensions of the files that a skill wants to be called for: `**\/*.{ts,tsx}` is about ts and tsx. */
function pathExtensions({ invocation }: Manifest): readonly string[] {
  return invocation.paths.slice(0, MAX_EXTENSIONS).flatMap((path) => {
    const [, several, one] = PATH_EXTENSION.exec(path.slice(-MAX_PATH_END)) ?? [];
    return (several?.split(",") ?? [one ?? ""]).map((extension) => extension.toLowerCase()).filter(Boolean);
  });
}

const MAX_PATH_END = 100;
const PATH_EXTENSION = /\.(?:\{([a-z0-9]{1,8}(?:,[a-z0-9]{1,8})*)\}|([a-z][a-z0-9]{0,7}))$/i;

function shellCommands(shell: string): readonly string[] {
  return Array.from(shell.matchAll(COMMAND_LINE), ([, command = ""]) => command);
}

const COMMAND_LINE = /^(?:\$ |> |sudo )?([a-z][\w.+-]{1,30})(?=[ \t]+[\w./"'$<{-]|$)/gm;

// They stand in the scripts of every skill and say nothing about one.
const EVERYWHERE = new Set(
  (
    "awk bash brew cat cd chmod cp curl do docker done echo elif else esac exit export false fi find for from git go " +
    "grep head if import in jq let ls make mkdir mv node npm npx open pip pip3 print printf pwd python python3 read " +
    "return rm sed set sh sleep sort source sudo tail tee test then touch true uv wc wget which while xargs"
  ).split(" "),
);

/** A body by its parts; `occasions` is the text below a heading such as "When to use this skill", `shell` code of shells. */
type BodyParts = Readonly<Record<"headings" | "prose" | "code" | "occasions" | "shell", string>>;

/** Splits Markdown line by line: exact enough for counting words, and linear in the length of the text, whatever it is. */
export function splitBody(body: string): BodyParts {
  const headings: string[] = [];
  const prose: string[] = [];
  const code: string[] = [];
  const occasions: string[] = [];
  const shell: string[] = [];
  let fence = "";
  let isShell = false;
  let isOccasion = false;
  for (const line of body.split("\n")) {
    const start = line.trimStart();
    if (fence !== "" && start.startsWith(fence)) fence = "";
    else if (fence !== "") {
      code.push(line);
      if (isShell) shell.push(start);
    } else if (start.startsWith("```") || start.startsWith("~~~")) {
      fence = start.slice(0, 3);
      isShell = SHELL.test(start.slice(3));
    } else if (line.startsWith("#")) {
      const heading = line.replace(/^#+/, "");
      headings.push(heading);
      isOccasion = OCCASION.test(heading) && !NOT_OCCASION.test(heading);
    } else {
      prose.push(line.slice(0, findNegation(line)?.start));
      if (isOccasion) occasions.push(line);
    }
  }
  return {
    headings: headings.join("\n"),
    prose: prose.join("\n"),
    code: code.join("\n"),
    occasions: occasions.join("\n"),
    shell: shell.join("\n"),
  };
}

const SHELL = /^\s*(?:(?:ba|z|fi)?sh|shell|console|terminal)?\s*$/i;
const OCCASION =
  /\bwhen\b.{0,12}\b(?:use|to use|apply|activate|invoke|trigger)|\btriggers?\b|\btrigger (?:phrases|words|conditions)|\buse cases?\b|\bactivat(?:e|ion)|quando us|cuándo|何时|何時|使用场景|適用|触发|适用/i;
const NOT_OCCASION = /\bnot\b|\bdon['’]?t\b|\bnever\b|不/i;
