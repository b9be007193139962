import type { CapabilityChange } from "@skillet/hub";
import { listFirst } from "@skillet/kit/text";
import type { Capabilities } from "@skillet/scan";
import { truncate } from "./text.ts";

type Ability = Pick<CapabilityChange, "kind" | "value" | "verb">;

// Riskiest first; a clause that ends with a parenthesis takes its values inside it.
const CLAUSES: Readonly<Record<CapabilityChange["kind"], string>> = {
  remoteInstructions: "follows instructions from",
  hooks: "runs by itself on events (",
  persistence: "sets itself up to run again (",
  agentConfig: "changes what your agents do (",
  settings: "sets",
  limits: "is no longer kept from",
  mcpServers: "uses MCP servers (",
  secrets: "reads your environment or secrets (",
  network: "contacts",
  packages: "installs packages (",
  paths: "reaches files outside its folder (",
  commands: "runs shell commands (",
  scripts: "brings scripts (",
  allowedTools: "asks other agents to pre-approve",
  skills: "brings skills (",
  slashCommands: "brings commands (",
  agents: "brings agents (",
  instructions: "brings instructions (",
};

const RANKS = Object.keys(CLAUSES);

// Ordinary and numerous, so these are cut. Nothing else that the user agrees to may hide in a long list.
const CUT: ReadonlySet<string> = new Set(["secrets", "packages", "paths", "commands", "scripts"]);
const MAX_VALUES = 4;
const MAX_VALUE_COLUMNS = 60;

/** Named first, whatever else is cut. */
const TELLING = /key|token|secret|passw|credential|~\/\.|^\/etc\//i;

/** The scan's placeholder for a host that is only known at run time. */
const ANY_HOST = "*";

/** Says in one sentence what a skill can do, riskiest first; empty if nothing is worth mentioning. */
export function abilitySentence(
  abilities: readonly Ability[],
  { whole = false }: { readonly whole?: boolean } = {},
): string {
  const groups = new Map<string, Ability & { readonly values: string[] }>();
  for (const ability of abilities) {
    const { kind, value, verb = CLAUSES[kind] } = ability;
    const group = groups.get(`${kind} ${verb}`) ?? { ...ability, verb, values: [] };
    group.values.push(kind === "network" && value === ANY_HOST ? "hosts known only at run time" : value);
    groups.set(`${kind} ${verb}`, group);
  }
  const clauses = [...groups.values()]
    .sort((left, right) => RANKS.indexOf(left.kind) - RANKS.indexOf(right.kind))
    .map(({ kind, verb = "", values }) => {
      const named = whole || !CUT.has(kind) ? values.join(", ") : firstOf(values);
      return verb.endsWith("(") ? `${verb}${named})` : `${verb} ${named}`;
    });
  const last = clauses.pop();
  if (last === undefined) return "";
  return `It ${clauses.length === 0 ? last : `${clauses.join(", ")} and ${last}`}.`;
}

function firstOf(values: readonly string[]): string {
  const telling = values.filter((value) => TELLING.test(value));
  const ordered = [...telling, ...values.filter((value) => !telling.includes(value))];
  return listFirst(
    ordered.map((value) => truncate(value, MAX_VALUE_COLUMNS)),
    MAX_VALUES,
  );
}

export function abilitiesIn(capabilities: Capabilities): readonly Ability[] {
  return Object.entries(capabilities).flatMap(([kind, values]: [string, readonly string[]]) =>
    values.map((value) => ({ kind: kind as keyof Capabilities, value })),
  );
}
