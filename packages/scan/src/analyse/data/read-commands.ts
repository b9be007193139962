import type { Stance } from "../../text/source-text.ts";
import type { DataEntry, DataNode, DataScalar } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { readAgentHook } from "./read-agent-settings.ts";
import { shellCommand } from "./shell-command.ts";
import { isForbiddenPath } from "./specimen-path.ts";

/** Reads an entry whose key says that its value is a command, in whatever file: CI, compose, tasks, hooks, playbooks. */
export function readCommands(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const key = entry.key.toLowerCase();
  const stance: Stance = isForbiddenPath(path) ? "negated" : "live";
  const isOpening = OPENING_HOOKS.has(key);
  if (!isOpening && !COMMAND_KEY.test(key)) return;
  for (const { scalar, text } of commandsOf(entry.value, key)) {
    if (text.length < 2 || text.length > MAX_COMMAND_CHARACTERS) continue;
    writer.addText("shell", scalar, { stance, ...(text !== scalar.text && { text }) });
    if (isOpening) {
      writer.addAct({ type: "install-hook", hook: entry.key, command: text }, entry.keyStart, scalar.end);
    }
    if (path.includes("hooks") || (key === "hooks" && stance === "live")) {
      readAgentHook(writer, scalar, [...path, key]);
    }
  }
}

const COMMAND_KEY =
  /^(?:command|commands|cmd|run|runs|script|before_script|after_script|exec|execute|entrypoint|shell|hook|bash|powershell|pwsh|sh|execstart|execstartpre|execstartpost|execstop|program|test_command|build_command|start_command|install_command|setup_command|startup_command|init_command|on_start|on_load|onload|onstart|preinstall|postinstall|prerun|postrun|setup|bootstrap|initializecommand|apikeyhelper)$/;
/** What editors and containers run by themselves when a folder is opened. */
const OPENING_HOOKS: ReadonlySet<string> = new Set([
  "postcreatecommand",
  "oncreatecommand",
  "updatecontentcommand",
  "poststartcommand",
  "postattachcommand",
  "initializecommand",
]);
const MAX_COMMAND_CHARACTERS = 100_000;

function commandsOf(value: DataNode, key: string): { readonly scalar: DataScalar; readonly text: string }[] {
  if (value.kind === "scalar") return value.isString ? [{ scalar: value, text: value.text }] : [];
  if (value.kind === "map") {
    return value.entries.flatMap((entry) =>
      entry.value.kind === "scalar" && OPENING_HOOKS.has(key) ? commandsOf(entry.value, key) : [],
    );
  }
  const scalars = value.items.filter((item) => item.kind === "scalar");
  const [first] = scalars;
  if (first === undefined || scalars.length !== value.items.length) return [];
  // An argument vector has no word with a blank in front; a list of commands has.
  const isVector =
    !/\s/.test(first.text.trim()) && !/^(?:before_|after_)?scripts?$|^commands$|^run/.test(key);
  if (isVector) return [{ scalar: first, text: shellCommand(scalars.map(({ text }) => text)) }];
  return scalars.map((scalar) => ({ scalar, text: scalar.text }));
}
