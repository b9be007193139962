import type { DataSource } from "../../fact/data-source.ts";
import { agentPath, classifyPath, startupPath } from "../../secret/classify-path.ts";
import type { Shell } from "./shell-call.ts";
import { known, type Value } from "./value.ts";

/** Records that a file is read, where it is one that matters; returns what its content is. */
export function noteRead(path: string, shell: Shell): DataSource {
  const secret = classifyPath(path);
  if (secret !== undefined || /^(?:[~/]|\.\.)/.test(path)) shell.act({ type: "read", path });
  return secret === undefined ? { type: "file", path } : { type: "secret", secret, name: path };
}

/** Records what it means that a file is written: a start file, an agent's settings, a disk. */
export function noteWrite(
  { path, written, append }: { readonly path: string; readonly written: Value; readonly append: boolean },
  shell: Shell,
): void {
  const text = written.text === "" ? undefined : written.text.slice(0, MAX_STARTED_CHARACTERS);
  const where = startupPath(path);
  if (where !== undefined) shell.act({ type: "persist", where, path, text });
  const what = agentPath(path);
  if (what !== undefined) shell.act({ type: "agent-config", what, path, text });
  if (/^\/dev\/(?:r?disk|sd|hd|nvme|vd|mmcblk)/.test(path))
    shell.act({ type: "destroy", what: "disk", detail: path });
  if (/^\/etc\/sudoers/.test(path))
    shell.act({
      type: "privilege",
      how: ROOT_FOR_ALL.test(text?.slice(0, MAX_RECORDED_CHARACTERS) ?? "") ? "root-for-all" : "sudoers",
      detail: text?.slice(0, 200).trim() ?? path,
    });
  if (/^\/etc\/passwd$/.test(path) && NUMBER_OF_ROOT.test(text?.slice(0, MAX_RECORDED_CHARACTERS) ?? ""))
    shell.act({ type: "privilege", how: "root-for-all", detail: path });
  if (/(?:^|\/)\.ssh\/config(?:\.d\/|$)|^\/etc\/ssh\/ssh_config/.test(path)) runProxies(text ?? "", shell);
  shell.act({ type: "write", path, append, text: text?.slice(0, MAX_RECORDED_CHARACTERS) });
  if (where !== undefined || what !== undefined) shell.flow(written.sources, { type: "write", path });
}

// A command that ssh starts before every connection; `nc %h %p` and the like are what it is for.
function runProxies(text: string, shell: Shell): void {
  for (const match of text.matchAll(
    /^[ \t]{0,40}(?:ProxyCommand|LocalCommand)[ \t=]{1,10}(\S[^\n]{0,2000})$/gim,
  )) {
    const command = match[1] ?? "";
    if (/\b(?:curl|wget|base64|eval)\b|\/dev\/tcp\//.test(command)) shell.runText(known(command), "ssh");
  }
}

// A list of exact commands behind the colon is how it is meant to be used.
const ROOT_FOR_ALL = /NOPASSWD\s{0,5}:\s{0,5}ALL\b/i;

// An account with the number of root is root under another name.
const NUMBER_OF_ROOT = /^[^:\n]{1,64}:[^:\n]{0,200}:0:/m;

const MAX_RECORDED_CHARACTERS = 4_096;
/** What is started later is judged whole; padding before a payload is cheap. */
const MAX_STARTED_CHARACTERS = 64 * 1024;
