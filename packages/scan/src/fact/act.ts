import type { Effect } from "@skillet/shell";

export type Act =
  | Effect
  /** Code from a text that is not constant: eval, Function, exec, import. */
  | {
      readonly type: "dynamic-code";
      readonly by: string;
      /** How it is hidden what runs the code, where it is: `its name is put together`. */
      readonly disguise?: string | undefined;
      /** Set where the code is not a text of the program's own: a module by a name, a serialised object, an argument. */
      readonly from?: "module" | "serialised" | "parameter" | undefined;
    }
  /** An address that a setting names, for a program to call. */
  | { readonly type: "contact"; readonly url: string; readonly host: string }
  | { readonly type: "install-hook"; readonly hook: string; readonly command: string }
  | {
      readonly type: "literal-secret";
      readonly provider: string;
      readonly isPlaceholder: boolean;
      readonly isPrivateKey: boolean;
    };
