import { hostOf } from "../../host/classify-host.ts";
import { display } from "./fact-recorder.ts";
import type { Machine } from "./machine.ts";
import { pathSource } from "./perform-file.ts";
import type { Span } from "./program-tree.ts";
import { HOLE, type Taint, unionTaints } from "./value.ts";

/** Remembers what a command leaves in files, so that a later step that runs or sends them is understood. */
export function noteCommandFiles(machine: Machine, command: string, span: Span): void {
  if (!FILING.test(command)) return;
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    const words = part
      .trim()
      .split(/\s+/, MAX_WORDS)
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const name = words[0]?.split("/").at(-1);
    if (name === "curl" || name === "wget") noteDownload(machine, words, span);
    else if (name === "tar" || name === "zip" || name === "cp" || name === "7z")
      noteCopy(machine, name, words, span);
  }
}

const MAX_WORDS = 200;
const FILING = /\b(?:curl|wget|tar|zip|cp|7z)\b/;

function noteDownload(machine: Machine, words: readonly string[], span: Span): void {
  const flag = words.findIndex((word) => /^(?:-[a-zA-Z]*[oO]|--output|--output-document)$/.test(word));
  const url = words.find((word) => /^https?:/.test(word) || word.includes(HOLE));
  const named = flag === -1 ? undefined : words[flag + 1];
  // `curl -O` and plain `wget` take the name from the address.
  const file =
    named === undefined || /^https?:/.test(named) ? url?.split(/[?#]/, 1)[0]?.split("/").at(-1) : named;
  if (url === undefined || file === undefined || file === "" || file === HOLE || file === "-") return;
  const shown = display(url);
  const source = { type: "network", url: shown, host: hostOf(shown) ?? "*" } as const;
  note(machine, file, [{ source, steps: [machine.recorder.step(span)], isDirect: true }]);
}

function noteCopy(machine: Machine, name: string, words: readonly string[], span: Span): void {
  const paths = words.slice(1).filter((word) => !word.startsWith("-") && /[/~.]/.test(word));
  const target = name === "cp" ? paths.at(-1) : paths[0];
  if (target === undefined) return;
  const others = paths.filter((path) => path !== target);
  note(
    machine,
    target,
    others.map((path) => pathSource(machine, path, span)),
  );
}

function note(machine: Machine, path: string, taints: readonly Taint[]): void {
  machine.writtenTo.set(path, unionTaints(machine.writtenTo.get(path) ?? [], taints));
}
