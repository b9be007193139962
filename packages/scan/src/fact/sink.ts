/** Where data goes. */
export type Sink =
  | {
      readonly type: "execute";
      readonly how: "shell" | "eval" | "interpreter" | "file" | "library" | "deserialise";
      /** Such as `bash`, `python`, `Function`. */
      readonly by: string;
    }
  | {
      readonly type: "network";
      readonly how: "http" | "dns" | "mail" | "copy" | "bucket" | "git" | "socket" | "browser";
      readonly url?: string | undefined;
      readonly host?: string | undefined;
    }
  | { readonly type: "write"; readonly path: string }
  /** Into what the model reads: fetch a page and do what it says. */
  | { readonly type: "instructions" };
