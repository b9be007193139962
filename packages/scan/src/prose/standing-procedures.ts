import type { FactPlace } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import { has, hasAny } from "./meaning.ts";
import { readStatements, type Statement } from "./statements.ts";

export interface Procedure {
  /** The clause that makes it a duty: `after finishing any task`. */
  readonly duty: Statement | undefined;
  /** The clause that names something private: the clipboard, the location, all mails. */
  readonly privacy: Statement | undefined;
}

/** Joins what leaves the machine, or is deleted, with the clauses that lead up to it in the same list or section. */
export class StandingProcedures {
  readonly #byFile = new Map<string, Statement[]>();
  readonly #scripts = new Map<string, Statement>();

  constructor(facts: FactBook) {
    for (const statement of readStatements(facts)) {
      const { file, stance } = statement.clause;
      if (stance !== "live") continue;
      const list = this.#byFile.get(file);
      if (list === undefined) this.#byFile.set(file, [statement]);
      else list.push(statement);
      this.#addScripts(statement);
    }
  }

  /** What leads up to a deed; for a script, the clause that has it run as a duty. */
  of(deed: FactPlace): Procedure {
    const script = this.#scripts.get(baseName(deed.file));
    if (script !== undefined && script.clause.file !== deed.file)
      return { duty: script, privacy: hasAny(script.meaning, ...PRIVATE) ? script : undefined };
    const before = this.#before(deed);
    return {
      duty: before.findLast(({ meaning }) => has(meaning, "standing")),
      privacy: before.findLast(({ meaning }) => hasAny(meaning, ...PRIVATE)),
    };
  }

  #addScripts(statement: Statement): void {
    const { clause, meaning } = statement;
    if (!has(meaning, "standing") || !hasAny(meaning, "act", "install") || !clause.text.includes(".")) return;
    for (const [name] of clause.text.matchAll(SCRIPT)) this.#scripts.set(name, statement);
  }

  #before({ file, line }: FactPlace): readonly Statement[] {
    const list = this.#byFile.get(file) ?? [];
    let end = list.length;
    // Clauses are in the order of lines, and deeds stand where their clause does.
    let low = 0;
    while (low < end) {
      const middle = (low + end) >> 1;
      if ((list[middle] as Statement).clause.line <= line) low = middle + 1;
      else end = middle;
    }
    return list
      .slice(Math.max(0, low - MAX_CLAUSES), low)
      .filter(({ clause }) => line - clause.line <= MAX_LINES);
  }
}

const PRIVATE = ["captured", "conversation", "every_mail", "every_contact"] as const;
const MAX_CLAUSES = 8;
const MAX_LINES = 12;
const SCRIPT = /[\w-]{1,60}\.(?:py|sh|js|mjs|cjs|ts|rb|ps1|pl|bat)\b/g;

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).toLowerCase();
}
