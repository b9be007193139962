import type { Effect } from "@skillet/shell";

export type Act =
  | Effect
  /** An address that a setting names, for a program to call. */
  | { readonly type: "contact"; readonly url: string; readonly host: string }
  | { readonly type: "install-hook"; readonly hook: string; readonly command: string }
  | {
      readonly type: "literal-secret";
      readonly provider: string;
      readonly isPlaceholder: boolean;
      readonly isPrivateKey: boolean;
    };
