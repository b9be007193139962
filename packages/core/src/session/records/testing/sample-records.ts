import type { Digest } from "@skillet/kit/digest";
import type {
  ActivationRecord,
  ForkRecord,
  PolicyRecord,
  RefusalRecord,
  ResourceReadRecord,
  ScriptExecutionRecord,
} from "../session-record.ts";

/** A clock that stands still. */
export const clock = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);

/** The time on that clock. */
export const NOW = "2026-01-02T03:04:05.000Z";

/** A digest of one digit repeated. */
export function digestOf(digit: string): Digest {
  return `sha256:${digit.repeat(64)}`;
}

const PLACE = {
  sourceId: "file:/skills",
  folder: "pdf",
  skillPath: "/sandbox/skills/pdf/SKILL.md",
  skillDir: "/sandbox/skills/pdf",
};

export const POLICY: PolicyRecord = {
  kind: "policy",
  mode: "default",
  interactive: true,
  snapshotVersion: digestOf("0"),
  roots: [{ sourceId: "file:/skills", path: "/sandbox/skills", scope: "user" }],
  skills: [{ name: "pdf", digest: digestOf("1"), treeDigest: digestOf("2"), origin: "local" }],
  scripts: ["pdf:scripts/fill.py"],
  activationSources: ["preload", "model", "user", "parent"],
  diagnostics: [],
};

export const ACTIVATION: ActivationRecord = {
  kind: "activation",
  ...PLACE,
  name: "pdf",
  source: "model",
  digest: digestOf("1"),
  treeDigest: digestOf("2"),
  arguments: "tax.pdf",
  duplicate: false,
  drifted: false,
  diagnostics: [],
};

export const READ: ResourceReadRecord = {
  kind: "resource-read",
  ...PLACE,
  skillName: "pdf",
  path: "references/fields.md",
  status: "read",
  resourceKind: "reference",
  resourcePath: "/sandbox/skills/pdf/references/fields.md",
  registryDigest: digestOf("3"),
  observedDigest: digestOf("4"),
  digestMatchesRegistry: false,
  registrySizeBytes: 10,
  observedSizeBytes: 12,
  contentKind: "text",
  maxBytes: 64_000,
  truncated: false,
  diagnostics: [
    {
      code: "skill-resource-snapshot-mismatch",
      severity: "warning",
      message: "Changed.",
      file: "/sandbox/skills/pdf/references/fields.md",
      range: { line: 1, column: 1 },
    },
  ],
};

export const REFUSED_READ: ResourceReadRecord = {
  kind: "resource-read",
  skillName: "pdf",
  path: "../secret",
  status: "error",
  diagnostics: [],
  error: { code: "resource-path-invalid", message: "The path leaves the skill." },
};

export const EXECUTION: ScriptExecutionRecord = {
  kind: "script-execution",
  ...PLACE,
  skillName: "pdf",
  path: "scripts/fill.py",
  status: "executed",
  executionTarget: "sandbox",
  runtime: "python",
  argv: ["python3", "-"],
  args: ["tax.pdf"],
  cwd: "/project",
  resourcePath: "/sandbox/skills/pdf/scripts/fill.py",
  registryDigest: digestOf("5"),
  observedDigest: digestOf("5"),
  digestMatchesRegistry: true,
  registrySizeBytes: 20,
  observedSizeBytes: 20,
  treeDigest: digestOf("2"),
  outcome: "executed",
  exitCode: 3,
  timedOut: false,
  cancelled: false,
  truncated: { stdout: false, stderr: true },
  sandbox: { backend: "bubblewrap", strength: "reduced", weaknesses: ["W."], memoryLimit: "process" },
  grants: { network: ["example.org"], writable: [] },
  durationMs: 12,
  diagnostics: [],
};

export const REFUSAL: RefusalRecord = {
  kind: "refusal",
  what: "tool",
  skillName: "pdf",
  subject: "Bash rm -rf x",
  error: { code: "tool-denied", message: "Not covered by allowed-tools." },
  rule: "pdf: deny (config.yaml:3)",
};

export const FORK: ForkRecord = {
  kind: "fork",
  childRunId: "child",
  childFolder: "forks/child",
  skills: ["pdf"],
  tools: ["Read"],
  context: "Fill in the form.",
  event: "started",
};
