import type { UnreadFact } from "../fact/fact.ts";

export function unreadFact(file: string, reason: string, isFixture: boolean): UnreadFact {
  return {
    kind: "unread",
    reason,
    file,
    line: 1,
    snippet: "",
    chain: [],
    medium: "data",
    stance: "live",
    section: [],
    isFixture,
  };
}
