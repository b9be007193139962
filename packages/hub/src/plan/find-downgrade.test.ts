import type { Digest } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import type { Candidate } from "../candidate/candidate.ts";
import { keepSignatures } from "../inspect/kept-signatures.ts";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { type Statement, signTree } from "../signature/sign-tree.ts";
import { TreeStore } from "../store/tree-store.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { findDowngrade } from "./find-downgrade.ts";
import type { HubParts } from "./hub-parts.ts";

const [acme, mirror, beta] = [createKey(), createKey(), createKey()];
const NEXT: Digest = `sha256:${"3".repeat(64)}`;
const before = skillEntry("pdf", skillFiles("pdf", "2"));

type Said = readonly [typeof acme, Omit<Statement, "treeDigest">];

/** Why it might be a downgrade, after what was said of the installed tree, to what is said of the next one. */
async function doubt(installed: readonly Said[], ...versions: readonly (string | undefined)[]) {
  const home = temporaryDirectory();
  const kept = installed.map(([key, said]) =>
    signTree({ key, statement: { ...said, treeDigest: before.digest } }),
  );
  await keepSignatures(home, before.digest, kept);
  const signatures = [
    { sources: "owner/*", keys: [formatPublicKey(acme)] },
    { sources: "*", keys: [formatPublicKey(mirror)] },
    { sources: "beta/*", keys: [formatPublicKey(beta)] },
  ];
  const statements = versions.map((version) => ({
    ...{ name: "pdf", treeDigest: NEXT },
    ...(version !== undefined && { version }),
  }));
  const store = new TreeStore(home);
  await store.put(skillFiles("pdf", "2"));
  const parts = { home, userHome: home, root: home, signatures, store } as Partial<HubParts> as HubParts;
  const candidate = { digest: NEXT, statements } as Partial<Candidate> as Candidate;
  return findDowngrade(parts, before, candidate);
}

const NEWER = expect.stringContaining('the newer "2.0.0" is installed');
const own: Said = [acme, { name: "pdf", version: "2.0.0" }];

test("the installed version is what the publisher of its own source said, whatever others say before him", async () => {
  expect(await doubt([own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([[beta, { name: "pdf", version: "0.0.1" }], own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([[acme, { name: "other", version: "0.0.1" }], own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "2.0.1")).toBeUndefined();
});

test("of several publishers the highest version is installed, and the lowest is offered", async () => {
  const second: Said = [mirror, { name: "pdf", version: "0.5.0" }];
  expect(await doubt([second, own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "99.0.0", "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "1.0.0", "99.0.0")).toEqual(NEWER);
  expect(await doubt([own], "99.0.0", undefined)).toContain("without a version");
  expect(await doubt([own, second], "2.0.0", "3.0.0")).toBeUndefined();
});

test("what the keys of other rules say of it counts for nothing, nor what is said of another name", async () => {
  expect(await doubt([[acme, { name: "other", version: "99.0.0" }]], "1.0.0")).toBeUndefined();
  expect(await doubt([[beta, { name: "pdf", version: "99.0.0" }]], "1.0.0")).toBeUndefined();
});
