import type { TreeFile } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { archiveRefusal, unpackArchive } from "../archive/unpack-archive.ts";
import { checkPin } from "../check-pin.ts";
import type { FetchContext } from "../fetch-context.ts";
import { download } from "../http/download.ts";
import { showUrl } from "../http/show-url.ts";
import type { IndexEntry } from "./skill-index.ts";

/** Downloads one skill of an index, paths relative to it; digests are compared before anything is unpacked. */
export async function fetchSkill(
  entry: IndexEntry,
  { context, index }: { readonly context: FetchContext; readonly index: string },
): Promise<readonly TreeFile[]> {
  if (entry.kind === "files") return fetchFiles(entry.files, context);
  const { bytes, contentType } = await download(entry.url, context);
  const name = showUrl(entry.url);
  checkPin({
    what: name,
    expected: entry.digest,
    found: digestBytes(bytes),
    promisedBy: `the index ${showUrl(index)}`,
  });
  if (entry.kind === "skill-md") return [{ path: "SKILL.md", mode: "644", bytes }];
  context.onStep?.({ step: "unpack", what: name });
  const files = unpackArchive(bytes, {
    name,
    limits: context.limits,
    ...(contentType === undefined ? {} : { contentType }),
  });
  if (files.some(({ path }) => path === "SKILL.md")) return files;
  throw archiveRefusal(name, "it has no SKILL.md at its root, as the index promises");
}

async function fetchFiles(
  files: readonly { readonly path: string; readonly url: string }[],
  context: FetchContext,
): Promise<readonly TreeFile[]> {
  const fetched: TreeFile[] = [];
  let remainingBytes = context.limits.maxSkillBytes;
  for (const { path, url } of files) {
    const maxBytes = Math.min(remainingBytes, context.limits.maxFileBytes);
    const found = await download(url, context, { maxBytes });
    // No digest says what it should be, so that at least nobody else may say what it is.
    if (new URL(found.url).origin !== new URL(url).origin)
      throw new SkilletError(
        "http-redirect",
        `${showUrl(url)} leads on to another site, ${showUrl(found.url)}, and the index has no digest for it; that is not followed. Tell whoever runs the site.`,
        { data: { url: showUrl(url) } },
      );
    remainingBytes -= found.bytes.length;
    fetched.push({ path, mode: "644", bytes: found.bytes });
  }
  return fetched;
}
