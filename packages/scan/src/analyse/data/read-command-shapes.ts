import type { Stance } from "../../text/source-text.ts";
import { isArgumentVector, isCommandLine, sureCommandIn } from "./command-shape.ts";
import { commandText } from "./command-text.ts";
import { type DataEntry, type DataNode, type DataScalar, scalarsOf } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { shellCommand } from "./shell-command.ts";
import { isForbiddenPath, isSpecimenPath } from "./specimen-path.ts";

/**
 * Reads commands by their shape, whatever program the file is for: under keys that speak of running, whatever begins
 * like a command; under any key, what can be nothing else. Called after the known shapes, whose values it leaves alone.
 */
export function readCommandShapes(writer: DataWriter, root: DataNode): void {
  const path: string[] = [];
  const taken = new Set<DataScalar>();
  visit(root);

  function visit(node: DataNode): void {
    if (node.kind === "scalar") {
      readScalar(node);
      return;
    }
    if (node.kind === "list") {
      readVector(node.items.filter((item) => item.kind === "scalar"));
      for (const item of node.items) visit(item);
      return;
    }
    readProgramMap(node.entries);
    for (const { key, value } of node.entries) {
      path.push(key.toLowerCase());
      visit(value);
      path.pop();
    }
  }

  function readScalar(scalar: DataScalar): void {
    if (!scalar.isString || scalar.text.length < MIN_COMMAND_CHARACTERS) return;
    if (taken.has(scalar) || writer.isHandedOn(scalar)) return;
    const isExpected = path.slice(-KEYS_LOOKED_AT).some((key) => COMMAND_KEY.test(key));
    const text = scalar.text.replace(/^\s{0,20}[!@](?=[\w/~$])/, "");
    if (sureCommandIn(text) !== text && !(isExpected && isCommandLine(text))) return;
    add(scalar, text);
  }

  function readVector(words: readonly DataScalar[]): void {
    // The form of Docker: the first word says that the rest is a command.
    const isHealthCheck = /^CMD(?:-SHELL)?$/.test(words[0]?.text ?? "");
    const own = isHealthCheck ? words.slice(1) : words;
    const first = own[0];
    if (first === undefined || taken.has(first) || writer.isHandedOn(first)) return;
    if (!isArgumentVector(own.map(({ text }) => text))) return;
    for (const word of own) taken.add(word);
    add(first, shellCommand(own.map(({ text }) => text)));
  }

  /** A program under one key and its arguments under another. */
  function readProgramMap(entries: readonly DataEntry[]): void {
    const words = [PROGRAM_KEY, ARGUMENTS_KEY].map((pattern) =>
      entries.filter(({ key }) => pattern.test(key)).flatMap(({ value }) => scalarsOf(value)),
    );
    const [program = [], rest = []] = words;
    const first = program[0];
    if (first === undefined || rest.length === 0) return;
    const all = [...program, ...rest];
    if (!isArgumentVector(all.map(({ text }) => text))) return;
    for (const word of all) taken.add(word);
    if (path.some((key) => /^(?:mcp[-_]?servers|context_servers)$/.test(key))) return;
    add(first, shellCommand(all.map(({ text }) => text)));
  }

  function add(scalar: DataScalar, text: string): void {
    const command = commandText(text);
    writer.addText(command.language, scalar, {
      stance: stanceOf(path),
      ...(command.text !== scalar.text && { text: command.text }),
    });
  }
}

const MIN_COMMAND_CHARACTERS = 6;
/** The value's own key, and those of the map or two around it: `tasks.build.cmds`, `scripts.post-install`. */
const KEYS_LOOKED_AT = 3;
const COMMAND_KEY =
  /(?:commands?|cmds?|scripts?|hooks?|tasks?|exec|runs?|alias(?:es)?)$|^(?:runcmd|bootcmd|entry|entrypoint|argv|args|arguments|program|shell|inline|provisioners?|healthcheck|steps?|smudge|clean|textconv|fsmonitor|helper|pager|editor|(?:pre|post|before|after|on)[-_]?[a-z]{3,20})$|^execstart|^ansible\.builtin\.|^run[-_]|shellhook/;
const PROGRAM_KEY = /^(?:command|cmd|path|executable|program|runtimeExecutable|entrypoint|bin|shell)$/i;
const ARGUMENTS_KEY = /^(?:args|arguments|runtimeArgs|argv|parameters)$/i;

function stanceOf(path: readonly string[]): Stance {
  if (isForbiddenPath(path)) return "negated";
  return isSpecimenPath(path) ? "quoted" : "live";
}
