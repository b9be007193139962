import { findSpokenCommands } from "../analyse/shell/find-spoken-commands.ts";
import type { Fact } from "../fact/fact.ts";
import { FactBook } from "../fact/fact-book.ts";
import { findProseActs } from "../prose/find-acts.ts";
import { findProseFlows } from "../prose/find-flows.ts";
import { shareStatements } from "../prose/statements.ts";

export function createFactBook(facts: readonly Fact[]): FactBook {
  const seen = new FactBook(facts);
  const said = [...findProseFlows(seen), ...findProseActs(seen), ...findSpokenCommands(seen)];
  if (said.length === 0) return seen;
  const book = new FactBook([...facts, ...said]);
  shareStatements(seen, book);
  return book;
}
