import { quoteShell } from "@skillet/kit/text";
import type { Act } from "../../fact/fact.ts";
import type { SourceText, Stance } from "../../text/source-text.ts";
import { remembered } from "../../word-list.ts";
import { isForbiddenPath, shellCommand } from "./command-shape.ts";
import {
  type DataEntry,
  type DataNode,
  type DataScalar,
  type DataWriter,
  scalarAt,
  scalarsOf,
  walkData,
} from "./data-node.ts";
import { readAgentHook } from "./read-agent-settings.ts";

export function readCommands(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const key = entry.key.toLowerCase();
  const stance: Stance = isForbiddenPath(path) ? "negated" : "live";
  const isOpening = isOpeningHook(key);
  if (!isOpening && !COMMAND_KEY.test(key)) return;
  for (const { scalar, text } of commandsOf(entry.value, key)) {
    // `hook: https://…` is an address that is called.
    if (text.length < 2 || text.length > MAX_COMMAND_CHARACTERS || /^https?:\/\/\S+$/.test(text)) continue;
    const whole = withHandedSecrets(text, writer.source);
    writer.text("shell", scalar, { stance, ...(whole !== scalar.text && { text: whole }) });
    if (isOpening) writer.act({ type: "install-hook", hook: entry.key, command: text }, entry, scalar);
    if (path.includes("hooks") || (key === "hooks" && stance === "live"))
      readAgentHook(writer, scalar, [...path, key]);
  }
}

/** All secrets of a repository in a command, or in one of its variables, equal a whole environment. */
function withHandedSecrets(command: string, workflow: SourceText): string {
  // Once per file, as it may contain thousands of commands.
  const names = remembered(HANDED, workflow, ({ text }) =>
    ALL_SECRETS.test(text) ? Array.from(text.matchAll(HANDED_SECRETS), ([, name = ""]) => name) : [],
  );
  const used = names.filter((name) => command.includes(`$${name}`) || command.includes(`\${${name}`));
  return used.map((name) => `${name}=$(env); `).join("") + command.replaceAll(ALL_SECRETS_HERE, "$(env)");
}

const HANDED = new WeakMap<SourceText, readonly string[]>();
const ALL_SECRETS = /\$\{\{\s{0,4}toJSON\(\s{0,4}secrets\s{0,4}\)/i;
const ALL_SECRETS_HERE = /\$\{\{\s{0,4}toJSON\(\s{0,4}secrets\s{0,4}\)\s{0,4}\}\}/gi;
const HANDED_SECRETS =
  /^\s{0,40}(?:- )?([A-Za-z_]\w{0,60}):\s{0,4}["']?\$\{\{\s{0,4}toJSON\(\s{0,4}secrets\s{0,4}\)/gim;

const COMMAND_KEY =
  /^(?:command|commands|cmd|run|runs|script|before_script|after_script|exec|execute|entrypoint|shell|hook|bash|powershell|pwsh|sh|execstart|execstartpre|execstartpost|execstop|program|test_command|build_command|start_command|install_command|setup_command|startup_command|init_command|on_start|on_load|onload|onstart|preinstall|postinstall|prerun|postrun|setup|bootstrap|initializecommand|apikeyhelper)$/;
/** Hooks that run in a development container; `initializeCommand` runs on the machine itself. */
export function isContainerHook(key: string): boolean {
  return /^(?:postCreate|onCreate|updateContent|postStart|postAttach)Command$/i.test(key);
}

function isOpeningHook(key: string): boolean {
  return isContainerHook(key) || key === "initializecommand";
}

const MAX_COMMAND_CHARACTERS = 100_000;

function commandsOf(value: DataNode, key: string): { readonly scalar: DataScalar; readonly text: string }[] {
  if (value.kind === "scalar") return value.isString ? [{ scalar: value, text: value.text }] : [];
  if (value.kind === "map") {
    return value.entries.flatMap((entry) =>
      entry.value.kind === "scalar" && isOpeningHook(key) ? commandsOf(entry.value, key) : [],
    );
  }
  const scalars = value.items.filter((item) => item.kind === "scalar");
  const [first] = scalars;
  if (first === undefined || scalars.length !== value.items.length) return [];
  // An argument vector's first word contains no space; a list of commands does.
  const isVector =
    !/\s/.test(first.text.trim()) && !/^(?:before_|after_)?scripts?$|^commands$|^run/.test(key);
  if (isVector) return [{ scalar: first, text: shellCommand(scalars.map(({ text }) => text)) }];
  return scalars.map((scalar) => ({ scalar, text: scalar.text }));
}

/** A file that an Ansible task or cloud-init writes to the machine: judged as a shell command that writes it. */
export function readWrittenFiles(writer: DataWriter, { value }: DataEntry, path: readonly string[]): void {
  if (writer.source.language !== "yaml" || isForbiddenPath(path)) return;
  for (const task of value.kind === "list" ? value.items : [value]) {
    const file = scalarAt(task, "dest") ?? scalarAt(task, "path");
    const text = scalarAt(task, "content") ?? scalarAt(task, "line") ?? scalarAt(task, "block");
    // Unquoted, so that `~` is the home folder.
    if (file === undefined || text === undefined || !/^[~/][\w./-]{2,200}$/.test(file.text)) continue;
    writer.text("shell", text, { text: `printf '%s\\n' ${quoteShell(text.text)} >> ${file.text}` });
  }
}

export function readComposeSetting(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const key = entry.key.toLowerCase();
  for (const scalar of scalarsOf(entry.value)) {
    const act = privilegeOf(key, scalar.text, path);
    if (act !== undefined) writer.act(act, entry, scalar);
  }
}

function privilegeOf(key: string, text: string, path: readonly string[]): Act | undefined {
  const detail = `${key}: ${text}`.slice(0, 200);
  if (key === "privileged" && text === "true")
    return { type: "privilege", how: "privileged-container", detail };
  if (/docker\.sock/.test(text) && /^(?:volumes|source|path|mounts)$/.test(key))
    return { type: "privilege", how: "docker-socket", detail };
  if (key === "volumes" && /^(?:\/|~|\/(?:etc|root|home|boot)\/?):/.test(text) && path.includes("services"))
    return { type: "privilege", how: "host-mount", detail };
  if (key === "cap_add" && /^(?:ALL|SYS_ADMIN|SYS_MODULE|SYS_PTRACE)$/.test(text))
    return { type: "privilege", how: "capability", detail };
  return undefined;
}

/**
 * Reads a command that is injected into a plain value: `prod-17; curl … | sh` under `deployment_id`. It runs
 * if the value is put into a command line, and an honest identifier never contains a second command.
 */
export function readInjectedCommands(writer: DataWriter, root: DataNode): void {
  walkData(root, {
    scalar: (scalar, path) => {
      const { text, isString } = scalar;
      if (!isString || text.length > MAX_VALUE_CHARACTERS || writer.isHandedOn(scalar)) return;
      if (!PROGRAM.test(text) || path.some((key) => ABOUT.test(key))) return;
      const command = INJECTED.exec(text)?.[1];
      if (command !== undefined) writer.text("shell", scalar, { text: command.replace(CLOSING, "") });
    },
  });
}

const MAX_VALUE_CHARACTERS = 1_000;
const PROGRAM = /\b(?:curl|wget|iwr|powershell|nc|ncat)\b/;
const INJECTED =
  /^[\w .:/@"'-]{0,60}?(?:["']?\s{0,3}(?:;|&&?|\|\|)|\$\(|`)\s{0,3}((?:true\s{0,3}(?:&&|;)\s{0,3})?(?:curl|wget|iwr|powershell|nc|ncat|bash|sh)\s[^\n]{1,800})$/;
const CLOSING = /[)`]?["']?\s{0,3}#?\s{0,3}$/;
const ABOUT =
  /^(?:patterns?|regex\w*|signatures?|payloads?|attacks?|examples?|detect\w*|match|deny|forbidden|test_?cases?|description|expected\w*|blocklist|denylist|fixtures?|evals?|prompt|content|scripts?)$/i;

export function readUnitSetting(writer: DataWriter, entry: DataEntry): void {
  const { key, value } = entry;
  const { file: path, text } = writer.source;
  if (value.kind !== "scalar" || !/^(?:execstart|execstartpre|exec)$/i.test(key)) return;
  const isDesktop = path.toLowerCase().endsWith(".desktop");
  // A desktop entry is a menu item; only one for autostart runs by itself.
  if (isDesktop && !/autostart/i.test(text)) return;
  const where = isDesktop ? "login-item" : "systemd";
  writer.act({ type: "persist", where, path, text: value.text }, entry, value);
}
