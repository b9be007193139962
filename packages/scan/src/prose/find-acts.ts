import { type Act, type ActFact, type FactBook, placeOf } from "../fact/fact.ts";
import { agentPath } from "../secret/classify-path.ts";
import { asWritten } from "./find-flows.ts";
import { readStatements, type Statement } from "./statements.ts";

/** What plain sentences ask for: files to be wiped, a guard to be switched off, something to start by itself. */
export function findProseActs(facts: FactBook): readonly ActFact[] {
  return readStatements(facts).flatMap((statement) =>
    actsOf(statement).map((act): ActFact => ({ ...placeOf(statement.clause), kind: "act", act })),
  );
}

function actsOf({ clause, frames }: Statement): readonly Act[] {
  const { text, snippet, medium } = clause;
  if (frames.size === 0 || medium === "heading") return [];
  const acts: Act[] = [];
  if (frames.has("wipes")) acts.push({ type: "destroy", what: kindIn(text, DESTROYED), detail: snippet });
  // `lock=false` in a file of settings is no sentence.
  if (frames.has("stopsLogs") && medium !== "fence" && medium !== "config" && medium !== "data")
    acts.push({ type: "disable-protection", what: kindIn(text, PROTECTIONS), detail: snippet });
  if (frames.has("starts")) acts.push({ type: "persist", where: kindIn(text, STARTUP), path: "*" });
  if (frames.has("remembers")) {
    const path = asWritten(clause, WRITTEN_FILE).find((one) => agentPath(one) !== undefined) ?? "*";
    acts.push({ type: "agent-config", what: agentPath(path) ?? "memory", path, text: snippet });
  }
  if (frames.has("installsSkill"))
    acts.push({ type: "install-skill", name: "*", background: frames.has("hush") });
  return acts;
}

type Kinds<Kind> = readonly (readonly [pattern: RegExp, kind: Kind])[];

function kindIn<Kind>(text: string, kinds: Kinds<Kind>): Kind {
  const found = kinds.find(([pattern]) => pattern.test(text));
  return (found ?? (kinds.at(-1) as Kinds<Kind>[number]))[1];
}

const DESTROYED: Kinds<Extract<Act, { readonly type: "destroy" }>["what"]> = [
  [/\bdisks?\b|\bdrives?\b|磁盘|диск/, "disk"],
  [/\bhome (?:directory|folder)|主目录|домашн/, "home"],
  [/databases?|tables?|数据库|баз[аыу]/, "database"],
  [/repositor|branch|git history/, "repository"],
  [/backup|备份|бэкап/, "backups"],
  [/instance|resource/, "cloud"],
  [/(?:)/, "files"],
];

const PROTECTIONS: Kinds<Extract<Act, { readonly type: "disable-protection" }>["what"]> = [
  [/firewall|防火墙|брандмауэр|cortafuegos|pare-feu/, "firewall"],
  [/(?:)/, "logging"],
];

const STARTUP: Kinds<Extract<Act, { readonly type: "persist" }>["where"]> = [
  [/authorized_keys/, "authorized-keys"],
  [/launch ?agent|launchd/, "launchd"],
  [/systemd/, "systemd"],
  [/rc\b|profile/, "shell-startup"],
  [/startup|login item|автозагруз|启动项/, "login-item"],
  [/(?:)/, "cron"],
];

const WRITTEN_FILE = /(?:[~.][\w./-]{0,80}\/)?[\w-]{1,60}\.(?:md|json|toml|ya?ml)\b/gi;
