import type { Digest } from "@skillet/kit/digest";
import { array, matching, object, optional, text, time } from "@skillet/kit/schema";
import { byKey, changeStore, readStore, type StoreFormat } from "./decision-store.ts";

/** A script that the user lets run without further questions, as long as no byte of its skill changes. */
export interface AllowedScript {
  readonly digest: Digest;
  readonly path: string;
  readonly skill: string;
  readonly allowedAt: string;
  /** The sandbox and its grants as shown to the user; an entry without them does not allow anything. */
  readonly grants?: readonly string[] | undefined;
}

type Stored = Omit<AllowedScript, "digest" | "path">;

const key = matching(/^sha256:[0-9a-f]{64} scripts\/./, "a digest and a script");
const script = object<Stored>(
  { skill: text, allowedAt: time, grants: optional(array(text)) },
  { unknown: "refuse" },
);

const FORMAT: StoreFormat<string, Stored> = {
  fileName: "scripts.json",
  version: 1,
  field: "scripts",
  items: byKey(script, key),
  maxBytes: 4 * 1024 * 1024,
  invalid: {
    errorCode: "approvals-invalid",
    consequence: "no script may run without a question",
    remedy: "Repair the file, or move it away; `skillet run` then asks again.",
  },
  full: {
    errorCode: "approvals-full",
    what: "The scripts in",
    remedy: "take back those that you no longer need with `skillet trust --withdraw NAME`",
  },
};

export function readAllowedScripts(home: string): readonly AllowedScript[] {
  return Array.from(readStore(home, FORMAT).items, ([written, stored]) => {
    const space = written.indexOf(" ");
    return { digest: written.slice(0, space) as Digest, path: written.slice(space + 1), ...stored };
  });
}

/** Keyed by digest and path, with a space between. */
type Change = (scripts: Map<string, Stored>) => unknown;

export function changeAllowedScripts(home: string, change: Change): Promise<void> {
  return changeStore(home, FORMAT, change);
}
