import type { CompoundList, While } from "unbash";
import { classifyHost } from "../../host/classify-host.ts";
import { isWideTarget } from "./programs/wide-target.ts";
import type { ShellMachine } from "./shell-machine.ts";
import type { Value } from "./value.ts";

/** Records loops whose shape is the attack: calling home for ever, and encrypting what somebody owns. */
export function noteLoop(
  loop: While | { readonly type: "For"; readonly words: readonly Value[]; readonly body: CompoundList },
  machine: ShellMachine,
): void {
  const body = machine.frame.text.slice(loop.body.pos, loop.body.end).slice(0, MAX_BODY_CHARACTERS);
  if (loop.type === "While") {
    const clause = machine.frame.text.slice(loop.clause.pos, loop.clause.end).slice(0, 200);
    if (isEndless(clause, body)) noteBeacon(body, machine);
    // `find ~ … | while read f` has its words in the pipe.
    noteEncryption(clause, body, machine);
  } else if (loop.words.some(({ text }) => isWideTarget(text))) noteEncryption("~", body, machine);
}

const MAX_BODY_CHARACTERS = 4_096;

function isEndless(clause: string, body: string): boolean {
  if (!/^\s*(?:true|:|\[\[? 1 \]\]?|\(\(\s*1\s*\)\))\s*;?\s*$/.test(clause)) return false;
  return !/\b(?:break|exit|return)\b/.test(body);
}

function noteBeacon(body: string, machine: ShellMachine): void {
  if (!/\bsleep\b/.test(body)) return;
  const call = /\b(?:curl|wget|nc|ncat)\b[^\n;|]{0,300}/.exec(body)?.[0];
  const url = call === undefined ? undefined : /https?:\/\/[^\s"']{1,200}/.exec(call)?.[0];
  if (call === undefined || (url !== undefined && classifyHost(url) === "loopback")) return;
  machine.act({ type: "abuse", what: "beacon-loop", detail: url ?? call.slice(0, 100) });
}

function noteEncryption(where: string, body: string, machine: ShellMachine): void {
  const encrypts =
    /\bopenssl\s+(?:enc|aes\S{0,20}|rsautl|smime)\b(?![^\n;]{0,200}\s-d\b)|\bgpg\b[^\n;]{0,200}(?:\s-c\b|--symmetric|\s-e\b|--encrypt)|\bage\s+-(?:p|r|e)\b/;
  if (!encrypts.test(body) || !/\b(?:rm|shred|mv|unlink)\b/.test(body)) return;
  if (/~|\$HOME|\bread\b|\/home|\/Users/.test(where))
    machine.act({ type: "destroy", what: "encrypt", detail: "encrypts files and removes the originals" });
}
