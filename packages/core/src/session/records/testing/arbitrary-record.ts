import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import fc from "fast-check";
import type { SessionRecord } from "../session-record.ts";
import { ACTIVATION, EXECUTION, FORK, POLICY, READ, REFUSAL } from "./sample-records.ts";

// Newlines, quotes, apparent ends of lines, lone surrogates, and lengths beyond a page.
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "\n", '"}\n{"sequence":1', "\ud800", "\u0000", "…", "__proto__", "x".repeat(5000)),
);
const texts = fc.array(text, { maxLength: 5 });
const digest: fc.Arbitrary<Digest> = fc
  .stringMatching(/^[0-9a-f]{64}$/)
  .map((digits): Digest => `sha256:${digits}`);
const diagnostics: fc.Arbitrary<Diagnostic[]> = fc.array(
  fc.record(
    {
      code: text,
      severity: fc.constantFrom("error", "warning", "info"),
      message: text,
      file: text,
      hint: text,
      range: fc.record({ line: fc.integer({ min: 1 }), column: fc.integer({ min: 1 }) }),
    },
    { requiredKeys: ["code", "severity", "message", "file"] },
  ),
  { maxLength: 3 },
);

/** Any record that a session can write. */
export const arbitraryRecord: fc.Arbitrary<SessionRecord> = fc.oneof(
  fc
    .record({ name: text, folder: text, arguments: text, duplicate: fc.boolean(), diagnostics, digest })
    .map((fields): SessionRecord => ({ ...ACTIVATION, ...fields })),
  fc
    .record({ path: text, diagnostics, observedDigest: digest, maxBytes: fc.nat() })
    .map((fields): SessionRecord => ({ ...READ, ...fields })),
  fc
    .record({
      tool: text,
      argv: texts,
      args: texts,
      cwd: text,
      exitCode: fc.integer(),
      outcome: fc.constantFrom("executed", "timed-out", "cancelled"),
      signal: text,
      timedOut: fc.boolean(),
      cancelled: fc.boolean(),
      treeDigest: digest,
      truncated: fc.record({ stdout: fc.boolean(), stderr: fc.boolean() }),
      limit: text,
      sandbox: fc.record({
        backend: text,
        strength: fc.constantFrom("full", "reduced", "none"),
        weaknesses: texts,
        memoryLimit: fc.constantFrom("tree", "process", "none"),
      }),
      grants: fc.record({ network: texts, writable: texts }),
      durationMs: fc.nat(),
      diagnostics,
    })
    .map((fields): SessionRecord => ({ ...EXECUTION, ...fields })),
  fc.record({ subject: text, rule: text }).map((fields): SessionRecord => ({ ...REFUSAL, ...fields })),
  fc
    .record({ skills: texts, scripts: texts, context: text })
    .map((fields): SessionRecord => ({ ...FORK, ...fields })),
  fc.record(
    {
      kind: fc.constant("offer"),
      skills: fc.array(fc.record({ name: text, tier: fc.constantFrom("activate", "suggest") }), {
        maxLength: 3,
      }),
      message: text,
      messageDigest: digest,
    },
    { requiredKeys: ["kind", "skills"] },
  ),
  fc.record({
    kind: fc.constant("implicit-use"),
    name: text,
    how: fc.constantFrom("script", "instructions", "resource", "command"),
    certainty: fc.constantFrom("sure", "likely"),
    subject: text,
  }),
  fc.record(
    {
      kind: fc.constant("outcome"),
      name: text,
      outcome: fc.constantFrom("used", "ignored", "wrong"),
      message: text,
      messageDigest: digest,
    },
    { requiredKeys: ["kind", "name", "outcome"] },
  ),
  fc
    .record({ scripts: texts, hostScripts: texts, mode: text })
    .map((fields): SessionRecord => ({ ...POLICY, ...fields })),
);
