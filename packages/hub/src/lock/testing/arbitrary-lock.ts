import fc from "fast-check";
import type { Resolved } from "../../sources/source.ts";
import { CAPABILITY_NAMES, type Lock, type LockEntry } from "../lock-entry.ts";

const digest: fc.Arbitrary<`sha256:${string}`> = fc
  .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 })
  .map((hex): `sha256:${string}` => `sha256:${hex}`);
const text = fc.string({ minLength: 1, maxLength: 12, unit: "binary" });
const segment = fc.oneof(
  fc
    .stringMatching(/^[a-z0-9_]{1,6}$/)
    .filter((name) => !/^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/.test(name)),
  fc.constantFrom("__proto__", "constructor", "toString", "\u{1f600}", "\uffee", "ünï"),
);
// All at one depth and in one spelling: colliding paths are refused, which these properties do not test.
const path = fc
  .array(segment, { minLength: 2, maxLength: 2 })
  .map((parts) => parts.join("/").normalize("NFKC").toLowerCase());

const resolved: fc.Arbitrary<Resolved> = fc.oneof(
  fc.record({ kind: fc.constant("git" as const), url: text, commit: fc.constant("0".repeat(40)) }),
  fc.record({ kind: fc.constant("local" as const), path: text }),
  fc.record({ kind: fc.constant("archive" as const), location: text, digest }),
  fc.record({ kind: fc.constant("npm" as const), name: text, version: text, integrity: text }),
  fc.record({ kind: fc.constant("oci" as const), registry: text, repository: text, digest }),
);

/** Values that another version could write under keys that this one does not know. */
const unknownValue = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const unknownKeys = fc.dictionary(
  fc.constantFrom("x-note", "zeta", "__proto__", "constructor", "Alpha"),
  unknownValue,
  { maxKeys: 3, noNullPrototype: false },
);

const entry: fc.Arbitrary<LockEntry> = fc
  .tuple(
    fc.record(
      {
        kind: fc.constantFrom("skill" as const, "plugin" as const),
        source: text,
        resolved,
        folder: fc.oneof(fc.constant(""), path),
        digest,
        files: fc.dictionary(
          path,
          fc.record({ digest, size: fc.nat(), mode: fc.constantFrom("644" as const, "755" as const) }),
          { maxKeys: 5 },
        ),
        capabilities: fc.record(
          Object.fromEntries(CAPABILITY_NAMES.map((name) => [name, fc.array(text, { maxLength: 2 })])),
        ) as unknown as fc.Arbitrary<LockEntry["capabilities"]>,
        report: fc.record({ origin: text, verdict: text, scanner: text }),
        targets: fc.array(
          fc.record(
            {
              path: text.filter((value) => !value.includes("\0")),
              how: fc.constantFrom("copy" as const, "link" as const),
              agent: text,
            },
            { requiredKeys: ["path", "how"] },
          ),
          { maxLength: 3 },
        ),
        pinned: fc.record({ reason: text }),
        requires: fc.array(text, { maxLength: 2 }),
        allowed: fc.record({ hooks: fc.boolean(), mcpServers: fc.boolean() }),
      },
      {
        requiredKeys: [
          "kind",
          "source",
          "resolved",
          "folder",
          "digest",
          "files",
          "capabilities",
          "report",
          "targets",
        ],
      },
    ),
    unknownKeys,
  )
  .map(([known, unknown]) => merge(unknown, known) as LockEntry);

const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
  fc.constantFrom("__proto__", "constructor", "\u{10000}", "\uffee"),
);

/** Locks that could have been written, including unknown keys and awkward names. */
export const arbitraryLock: fc.Arbitrary<Lock> = fc
  .tuple(fc.array(fc.tuple(name, entry), { maxLength: 4 }), unknownKeys)
  .map(([skills, extra]) => ({
    skills: new Map(skills),
    ...(Object.keys(extra).length > 0 && { extra }),
  }));

// `Object.assign` onto `{}` would call the setter of `__proto__`.
function merge(...parts: readonly object[]): object {
  return Object.assign(Object.create(null), ...parts) as object;
}
