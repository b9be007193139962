/**
 * Every error code that this package throws; `SkilletError.isInstance<SkilletErrorCode>(error)` types
 * `error.code`. Other packages, and a host's sources and runners, throw codes of their own.
 */
export type SkilletErrorCode =
  | ("agent-made-full" | "agent-made-invalid")
  | ("approvals-full" | "approvals-invalid" | "arguments-too-long" | "audit-damaged")
  | ("audit-record-too-long" | "audit-unavailable" | "call-invalid" | "config-invalid")
  | ("config-key-invalid" | "config-key-unknown" | "config-not-allowed" | "config-value-invalid")
  | ("file-not-found" | "file-too-large" | "file-unreadable" | "file-unwritable")
  | ("frontmatter-not-editable" | "home-not-absolute" | "home-unknown" | "home-unwritable")
  | ("index-invalid" | "invalid-budget" | "invalid-format" | "invalid-mode" | "invalid-on-drift")
  | ("invalid-outcome" | "invalid-source" | "invalid-token-count" | "journal-damaged" | "learned-changed")
  | (
      | "link-refused"
      | "lock-failed"
      | "lock-timeout"
      | "max-bytes-invalid"
      | "mcp-label-invalid"
      | "no-project"
      | "not-a-file"
    )
  | ("not-loaded" | "path-changed" | "path-invalid" | "path-outside-root" | "permission-denied")
  | ("record-invalid" | "records-full" | "records-in-use" | "records-unavailable" | "rendered-too-long")
  | ("run-arguments-lost" | "run-artefact-damaged" | "run-body-changed" | "run-id-invalid" | "run-is-fork")
  | ("run-journal-damaged" | "run-not-found" | "run-resource-changed" | "run-root-moved" | "run-skill-gone")
  | ("run-skill-unverified" | "run-skill-withheld" | "script-name-invalid" | "script-not-inherited")
  | ("script-snapshot-mismatch" | "select-context-invalid" | "session-ended" | "skill-ambiguous")
  | ("skill-changing" | "skill-denied" | "skill-drifted" | "skill-for-users" | "skill-not-found")
  | ("skill-not-here" | "skill-not-offered" | "skill-too-large" | "skill-tree-unreadable")
  | ("skill-unreadable" | "snapshot-invalid" | "source-id-duplicate" | "source-unavailable")
  | ("source-url-invalid" | "tool-input-invalid" | "trust-store-full" | "trust-store-invalid")
  | ("unknown-profile" | "unreadable-root" | "workspace-not-found");
