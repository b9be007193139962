import { MAX_SKILL_BYTES, type TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { SkillFileSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import { type Download, download } from "../http/download.ts";
import { showUrl } from "../http/show-url.ts";
import { findReferences } from "./find-references.ts";

export interface FetchedSkillFile {
  readonly files: readonly TreeFile[];
  /** Of all of them. */
  readonly digest: Digest;
  readonly diagnostics: readonly Diagnostic[];
}

// A SKILL.md that names more is a list of something else.
const MAX_REFERENCES = 200;

/** Downloads a SKILL.md and the files beside it that it refers to. */
export async function fetchSkillFile(
  { url }: SkillFileSource,
  context: FetchContext,
): Promise<FetchedSkillFile> {
  const skill = await download(url, context, {
    accept: "text/markdown, text/plain, */*;q=0.5",
    maxBytes: MAX_SKILL_BYTES,
  });
  const paths = checkReferences(new TextDecoder().decode(skill.bytes), { url });
  const files: TreeFile[] = [{ path: "SKILL.md", mode: "644", bytes: skill.bytes }];
  const diagnostics: Diagnostic[] = [];
  let remainingBytes = context.limits.maxSkillBytes - skill.bytes.length;
  for (const path of paths) {
    const found = await fetchReference(path, {
      base: skill.url,
      context,
      maxBytes: Math.min(remainingBytes, context.limits.maxFileBytes),
    });
    if (found === undefined) {
      diagnostics.push(missingReference(path, url));
      continue;
    }
    remainingBytes -= found.bytes.length;
    files.push({ path, mode: "644", bytes: found.bytes });
  }
  return { files, diagnostics, digest: digestFiles(files) };
}

function checkReferences(text: string, { url }: { readonly url: string }): readonly string[] {
  const { paths, refused } = findReferences(text);
  if (refused !== undefined)
    throw new SkilletError(
      "reference-refused",
      `${showUrl(url)} refers to ${quoteName(refused.slice(0, 200))}, which leads out of its folder; nothing is fetched. Install it from its repository or as an archive instead.`,
      { data: { url: showUrl(url), reference: refused.slice(0, 200) } },
    );
  if (paths.length > MAX_REFERENCES)
    throw new SkilletError(
      "reference-refused",
      `${showUrl(url)} refers to more than ${MAX_REFERENCES} files; nothing is fetched. Install it from its repository or as an archive instead.`,
      { data: { url: showUrl(url) } },
    );
  return paths;
}

async function fetchReference(
  path: string,
  {
    base,
    context,
    maxBytes,
  }: { readonly base: string; readonly context: FetchContext; readonly maxBytes: number },
): Promise<Download | undefined> {
  const url = new URL(path.split("/").map(encodeURIComponent).join("/"), base);
  const found = await download(url.href, context, { maxBytes, statuses: [404, 410] });
  if (found.status === 404 || found.status === 410) return undefined;
  if (new URL(found.url).origin === url.origin) return found;
  throw new SkilletError(
    "reference-refused",
    `${showUrl(url)} leads on to another site, ${showUrl(found.url)}; files of a skill come from the site of its SKILL.md. Nothing is used.`,
    { data: { url: showUrl(url) } },
  );
}

function missingReference(path: string, url: string): Diagnostic {
  return {
    code: "reference-missing",
    severity: "warning",
    message: `SKILL.md refers to ${quoteName(path)}, which is not there`,
    file: showUrl(url),
    hint: "the skill may lack a part; ask whoever wrote it, or install it from its repository",
  };
}

function digestFiles(files: readonly TreeFile[]): Digest {
  return digestTree(
    files.map(({ path, mode, bytes }) => ({ path, mode, digest: digestBytes(bytes), size: bytes.length })),
  );
}
