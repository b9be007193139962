import type { Act } from "../fact/act.ts";
import type { DataSource } from "../fact/data-source.ts";
import type { Fact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import { showEvidence } from "../finding/show-evidence.ts";
import type { Capabilities } from "./capabilities.ts";

export function listCapabilities(book: FactBook): Capabilities {
  const lists = new CapabilityLists();
  for (const fact of book.all) if (fact.stance === "live" && !fact.isFixture) lists.add(fact);
  return lists.sorted();
}

class CapabilityLists {
  readonly #lists = {
    network: new Set<string>(),
    commands: new Set<string>(),
    paths: new Set<string>(),
    secrets: new Set<string>(),
    persistence: new Set<string>(),
    agentConfig: new Set<string>(),
    packages: new Set<string>(),
    remoteInstructions: new Set<string>(),
  };

  add(fact: Fact): void {
    if (fact.kind === "act") this.#addAct(fact.act);
    if (fact.kind !== "flow") return;
    for (const source of fact.sources) this.#addSource(source);
    const { sink } = fact;
    if (sink.type === "network") this.#addTo("network", sink.host);
    if (sink.type === "write") this.#addTo("paths", sink.path);
    if (sink.type === "instructions")
      for (const source of fact.sources)
        if (source.type === "network") this.#addTo("remoteInstructions", source.url ?? source.host);
  }

  sorted(): Capabilities {
    const { network, commands, paths, secrets, persistence, agentConfig, packages, remoteInstructions } =
      this.#lists;
    return {
      network: sortSet(network),
      commands: sortSet(commands),
      paths: sortSet(paths),
      secrets: sortSet(secrets),
      persistence: sortSet(persistence),
      agentConfig: sortSet(agentConfig),
      packages: sortSet(packages),
      remoteInstructions: sortSet(remoteInstructions),
    };
  }

  #addAct(act: Act): void {
    const [list, value] = capabilityOf(act) ?? [];
    if (list !== undefined) this.#addTo(list, value);
  }

  #addSource(source: DataSource): void {
    if (source.type === "secret") this.#addTo("secrets", source.name);
    if (source.type === "network") this.#addTo("network", source.host);
    if (source.type === "capture") this.#addTo("secrets", source.what);
  }

  #addTo(list: keyof Capabilities, value: string | undefined): void {
    if (value === undefined || value === "") return;
    const set = this.#lists[list];
    if (set.size < MAX_ENTRIES) set.add(showEvidence(value).slice(0, MAX_ENTRY_CHARACTERS));
  }
}

function capabilityOf(act: Act): readonly [keyof Capabilities, string] | undefined {
  switch (act.type) {
    case "fetch":
    case "send":
    case "contact":
    case "remote-shell":
      return ["network", act.host];
    case "listen":
      return ["network", `listens on ${act.address}`];
    case "run":
      return act.program.startsWith("-") ? undefined : ["commands", act.program];
    case "dynamic-code":
      return act.from === undefined || act.from === "parameter"
        ? ["commands", `${act.by} (made at run time)`]
        : undefined;
    case "read":
    case "write":
    case "delete":
      return isOutside(act.path) ? ["paths", act.path] : undefined;
    case "environment":
      // The name that stands for a part of a command that only a run would tell.
      return act.name === "UNKNOWN" ? undefined : ["secrets", act.name];
    case "persist":
      return ["persistence", /^\*?$/.test(act.path) ? act.where : `${act.where}: ${act.path}`];
    case "agent-config":
      return ["agentConfig", /^\*?$/.test(act.path) ? act.what : `${act.what}: ${act.path}`];
    case "install-package":
      return ["packages", `${act.manager}: ${act.name}`];
    case "install-skill":
      return ["agentConfig", `skill: ${act.name}`];
    default:
      return undefined;
  }
}

// Enough for any honest skill; a list that is full ends in nothing, and its length says so.
const MAX_ENTRIES = 500;
const MAX_ENTRY_CHARACTERS = 300;

function isOutside(path: string): boolean {
  return /^[~/]|^\.\.|^[A-Za-z]:|^\$|^%/.test(path);
}

function sortSet(values: ReadonlySet<string>): string[] {
  return Array.from(values).sort();
}
