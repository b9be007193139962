import type { Redirection, RedirectOperator } from "unbash";
import { readWord } from "./read-word.ts";
import type { ShellWord } from "./shell-act.ts";
import type { ShellWalk } from "./shell-walk.ts";
import { walkParts, walkWord } from "./walk-word.ts";

/** Finds the file that a redirection opens; copies of descriptors and `/dev/null` open none. */
export function walkRedirection(redirection: Redirection, walk: ShellWalk): void {
  walk.spans.push(redirection);
  // `{PATH}>file` sets a variable.
  if (redirection.descriptor?.type === "FileDescriptorVariable")
    walk.altered(`{${redirection.descriptor.name}} in a redirection sets a variable`);
  if (redirection.type === "HereDoc") {
    const { body, closing, delimiter } = redirection;
    if (closing === undefined || delimiter === undefined) walk.hidden("a here-document is not closed");
    else walk.spans.push(body, closing);
    if (!PLAIN_DELIMITER.test(delimiter?.text ?? ""))
      walk.hidden("shells may disagree about where a here-document ends");
    walkParts(body.parts, walk);
    return;
  }
  const { target } = redirection;
  if (target === undefined) walk.hidden("a redirection has no target");
  else {
    walkWord(target, walk);
    if (redirection.type !== "HereString") openTarget(redirection.operator, readWord(target), walk);
  }
}

const PLAIN_DELIMITER = /^(?:\w+|'\w+'|"\w+"|\\\w+)$/;

function openTarget(operator: RedirectOperator, target: ShellWord, walk: ShellWalk): void {
  const kind = operator === "<" ? "read" : "write";
  if (target.kind === "open") walk.acts.push({ kind });
  else if (operator === "<&" || operator === ">&") copyDescriptor(operator, target.value, walk);
  else openFile(target.value, kind, walk);
}

function copyDescriptor(operator: "<&" | ">&", target: string, walk: ShellWalk): void {
  // `2>&1-` moves a descriptor in bash and writes a file `1-` in zsh.
  if (/^(?:\d+|-)$/.test(target)) return;
  if (operator === ">&") openFile(target, "write", walk);
  else walk.hidden(`<&${target} is not judged`);
}

function openFile(path: string, kind: "read" | "write", walk: ShellWalk): void {
  if (path === "/dev/null" || (kind === "write" && /^\/dev\/std(?:out|err)$/.test(path))) return;
  // bash makes network connections of these.
  if (/^\/+dev\/+(?:tcp|udp)(?:\/|$)/.test(path)) walk.altered(`${path} is a network connection`);
  walk.acts.push({ kind, path });
}
