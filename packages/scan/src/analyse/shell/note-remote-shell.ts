import type { OpenedStreams } from "./open-redirections.ts";
import { nameOf } from "./shell-files.ts";
import type { ShellMachine } from "./shell-machine.ts";
import type { Value } from "./value.ts";

/** Records a shell whose streams are bound to a connection; the path of a connection alone is only a probe. */
export function noteRemoteShell(
  words: readonly Value[],
  { sockets, socketSides }: OpenedStreams,
  machine: ShellMachine,
): void {
  const [host] = sockets;
  if (host === undefined) return;
  const at = words.slice(0, 6).findIndex(({ text }) => isShellName(text));
  if (at === -1) return;
  const rest = words.slice(at + 1).map(({ text }) => text);
  const isInteractive =
    rest.some((word) => /^-\w{0,4}i/.test(word)) || rest.every((word) => word.startsWith("-"));
  // `bash -c probe > /dev/tcp/…` only sends; reading commands from a connection is a shell for the other side.
  if (socketSides.reads || (socketSides.writes && isInteractive))
    machine.act({ type: "remote-shell", host, how: `${words[at]?.text} on /dev/tcp` });
}

/** Whether a program by this name reads commands. */
export function isShellName(name: string): boolean {
  return SHELL_NAMES.has(
    nameOf(name)
      .toLowerCase()
      .replace(/\.exe$/, ""),
  );
}

const SHELL_NAMES: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ash",
  "ksh",
  "mksh",
  "fish",
  "csh",
  "tcsh",
  "rbash",
  "cmd",
  "powershell",
  "pwsh",
]);
