import type { Source } from "@skillet/shell";

export type { SecretKind } from "@skillet/shell";

/** Where data comes from; `conversation` is what was said, the system prompt, the agent's memory. */
export type DataSource = Source | { readonly type: "conversation" };
