/** Where data comes from. */
export type DataSource =
  | { readonly type: "network"; readonly url?: string | undefined; readonly host?: string | undefined }
  /** `text` is what came out, where it could be decoded. */
  | { readonly type: "decoded"; readonly encoding: string; readonly text?: string | undefined }
  /** `name` is the path or the variable. */
  | { readonly type: "secret"; readonly secret: SecretKind; readonly name: string }
  | { readonly type: "file"; readonly path: string }
  | {
      readonly type: "capture";
      readonly what: "clipboard" | "screen" | "keys" | "microphone" | "camera" | "location";
    }
  /** What was said, the system prompt, the agent's memory. */
  | { readonly type: "conversation" }
  /** Machine facts: user name, host name, addresses, installed software. */
  | { readonly type: "system" }
  /** Arguments, standard input, what a user gives. */
  | { readonly type: "input" };

/** What kind of secret; `own-key` is one named variable for an API, which goes to its vendor every day. */
export type SecretKind =
  | "own-key"
  | "whole-environment"
  | "environment-file"
  | "ssh"
  | "cloud"
  | "package-registry"
  | "netrc"
  | "git"
  | "keychain"
  | "browser"
  | "wallet"
  | "agent"
  | "messenger"
  | "kubernetes"
  | "gpg"
  | "shell-history"
  | "system-accounts"
  | "password-store"
  | "generic";
