import type { Act } from "../fact/act.ts";
import type { ActFact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import type { Stance } from "../text/source-text.ts";
import { has, isNear, isSequence } from "./meaning.ts";
import { placeOf } from "./place-of.ts";
import { isQuotedSpecimen } from "./quotation.ts";
import { placesOf, readStatements, type Statement } from "./statements.ts";

export function findProseActs(facts: FactBook): readonly ActFact[] {
  const statements = readStatements(facts);
  return placesOf(facts, NEEDED).flatMap((place) => {
    const statement = statements[place];
    if (statement === undefined) return [];
    return actsOf(statement).map(
      (act): ActFact => ({
        ...placeOf(statement.clause),
        ...stanceOf(statement, act),
        kind: "act",
        act,
      }),
    );
  });
}

const NEEDED = ["destroy", "switch_off", "persist", "agent_memory", "install_skill"] as const;

function stanceOf(statement: Statement, { type }: Act): { readonly stance?: Stance } {
  const isSpecimen = isQuotedSpecimen(statement, (bare) => actsOf(bare).some((other) => other.type === type));
  return isSpecimen ? { stance: "quoted" } : {};
}

function actsOf(statement: Statement): readonly Act[] {
  const { clause, meaning } = statement;
  if (meaning.marks.size === 0 || clause.medium === "heading") return [];
  const detail = clause.snippet;
  const acts: Act[] = [];
  if (isNear(meaning, FEW_TOKENS, "destroy", "everything") && !isSequence(meaning, 4, "not", "destroy"))
    acts.push({ type: "destroy", what: destroyedThing(clause.text), detail });
  if (isSequence(meaning, 4, "switch_off", "protection"))
    acts.push({
      type: "disable-protection",
      what: /firewall|防火墙|брандмауэр|cortafuegos|pare-feu/.test(clause.text) ? "firewall" : "logging",
      detail,
    });
  if (
    isSequence(meaning, FEW_TOKENS, "remember", "persist") ||
    isSequence(meaning, FEW_TOKENS, "plant", "persist")
  )
    acts.push({ type: "persist", where: persistPlace(clause.text), path: "*" });
  if (isSequence(meaning, FEW_TOKENS, "remember", "agent_memory"))
    acts.push({ type: "agent-config", what: "memory", path: memoryFile(clause.text), text: detail });
  if (has(meaning, "install_skill"))
    acts.push({ type: "install-skill", name: "*", background: has(meaning, "quietly") });
  return acts;
}

function destroyedThing(text: string): Extract<Act, { readonly type: "destroy" }>["what"] {
  if (/\bdisks?\b|\bdrives?\b|磁盘|диск/.test(text)) return "disk";
  if (/databases?|tables?|数据库|баз[аыу]/.test(text)) return "database";
  if (/repositor|branch|git history/.test(text)) return "repository";
  if (/backup|备份|бэкап/.test(text)) return "backups";
  if (/instance|resource/.test(text)) return "cloud";
  return "files";
}

function persistPlace(text: string): Extract<Act, { readonly type: "persist" }>["where"] {
  if (/authorized_keys/.test(text)) return "authorized-keys";
  if (/launch ?agent|launchd/.test(text)) return "launchd";
  if (/systemd/.test(text)) return "systemd";
  if (/rc\b|profile/.test(text)) return "shell-startup";
  if (/startup|login item|автозагруз|启动项/.test(text)) return "login-item";
  return "cron";
}

function memoryFile(text: string): string {
  return (
    /[~\w./-]*\b(?:memory|soul|identity|agents|claude|user|heartbeat|tools|gemini)\.md\b/.exec(text)?.[0] ??
    "*"
  );
}

const FEW_TOKENS = 8;
