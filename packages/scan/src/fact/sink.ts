import type { Destination } from "@skillet/shell";

export type Sink =
  | Destination
  | { readonly type: "execute"; readonly how: "library" | "deserialise"; readonly by: string }
  | {
      readonly type: "network";
      readonly how: "browser";
      readonly url?: string | undefined;
      readonly host?: string | undefined;
    }
  /** Into what the model reads: fetch a page and do what it says. */
  | { readonly type: "instructions" };
