import type { Ask, AuditEntry } from "@skillet/core";
import type { FetchContext } from "../fetch/fetch-context.ts";
import type { HubStep } from "../hub-options.ts";
import type { HubScope } from "../hub-scope.ts";
import type { Scan } from "../inspect/inspect-candidate.ts";
import type { Lock } from "../lock/lock-entry.ts";
import type { AuditWriter } from "../place/audit-writer.ts";
import type { SignatureRule } from "../signature/check-signature-policy.ts";
import type { TreeStore } from "../store/tree-store.ts";
import type { HeldNames } from "./held-names.ts";
import type { PastDecisions } from "./past-decisions.ts";

/** What every plan is made with. */
export interface HubParts {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly scope: HubScope;
  /** The lock's folder, which targets are relative to. */
  readonly root: string;
  readonly lockFile: string;
  /** As it is now, after what a crash left was put right. */
  readonly lock: Lock;
  readonly store: TreeStore;
  readonly fetching: FetchContext;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly scan: Scan;
  readonly trustedSources: readonly string[];
  /** What must be signed, and by whom. */
  readonly signatures: readonly SignatureRule[];
  readonly held: HeldNames;
  readonly decisions: PastDecisions;
  readonly untrustedAround: (path: string) => string | undefined;
  readonly ask: Ask | undefined;
  readonly clock: () => number;
  /** Folders outside the lock's that targets may lie in. */
  readonly outside: readonly string[];
  /** Records what a commit did. */
  readonly audit: AuditWriter;
  /** Records a decision by itself. */
  readonly writeAudit: (entry: AuditEntry) => Promise<void>;
  readonly onStep: (step: HubStep) => void;
  readonly signal: AbortSignal | undefined;
}
