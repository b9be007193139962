import type { DataSource } from "../../fact/data-source.ts";
import { classifyVariable } from "../../secret/classify-variable.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import { HOLE, type Taint, type Value } from "./value.ts";

/** What an environment variable holds: the home folder by its sign, anything else unknown, secrets marked. */
export function environmentValue(machine: Machine, name: string, span: Span): Value {
  if (name === "HOME" || name === "USERPROFILE") return { text: "~", taints: [] };
  if (name === "TMPDIR" || name === "TEMP" || name === "TMP") return { text: "/tmp", taints: [] };
  if (name === "APPDATA" || name === "LOCALAPPDATA") return { text: `~/AppData/${HOLE}`, taints: [] };
  machine.recorder.act(span, { type: "environment", name });
  if (IDENTITIES.has(name)) return { text: HOLE, taints: [taintOf(machine, span, { type: "system" })] };
  const secret = classifyVariable(name);
  if (secret === undefined) return { text: HOLE, taints: [] };
  return { text: HOLE, taints: [taintOf(machine, span, { type: "secret", secret, name })] };
}

/** Whose machine it is. */
const IDENTITIES: ReadonlySet<string> = new Set(["USER", "USERNAME", "LOGNAME", "HOSTNAME", "COMPUTERNAME"]);

function taintOf(machine: Machine, span: Span, source: DataSource): Taint {
  return { source, steps: [machine.recorder.step(span)], isDirect: true };
}
