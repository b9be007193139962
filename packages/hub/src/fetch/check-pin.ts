import { SkilletError } from "@skillet/kit/errors";

/** Refuses bytes that are not those that were pinned or promised; nothing of them is unpacked, scanned or kept. */
export function checkPin({
  what,
  expected,
  found,
  promisedBy,
}: {
  /** For messages: the address or the path. */
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  /** The index or registry that gave the digest; absent: a lock did. */
  readonly promisedBy?: string;
}): void {
  if (expected === found) return;
  const advice =
    promisedBy === undefined
      ? "If the change is wanted, update instead."
      : `Either ${promisedBy} is out of date or the file was replaced; tell whoever runs it.`;
  throw new SkilletError(
    "digest-mismatch",
    `${what} is not what was promised: its digest is ${found} instead of ${expected}. Nothing of it is used. ${advice}`,
    { data: { what, expected, found } },
  );
}
