/** One answer of `doctor`: fine, worth a look, or wrong, and then what to do. */
export interface Finding {
  readonly check:
    | "node"
    | "home"
    | "config"
    | "trust"
    | "approvals"
    | "selection"
    | "cache"
    | "audit"
    | "sandbox"
    | "roots"
    | "skills"
    | "names"
    | "project"
    | "arguments";
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}
