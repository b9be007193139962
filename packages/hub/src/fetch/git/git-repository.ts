import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { findProgram } from "@skillet/kit/program";
import type { FetchContext } from "../fetch-context.ts";
import { type GitRoute, gitRoute } from "./git-route.ts";

export interface GitRepository {
  readonly program: string;
  readonly directory: string;
  /** Without credentials; what messages name. */
  readonly url: string;
  readonly context: FetchContext;
  route: GitRoute;
}

type ObjectFormat = "sha1" | "sha256";

/**
 * Makes an empty bare repository that gets blobs by need; it never has a working tree, hooks, or templates.
 *
 * Written out instead of `git init`, which would copy what the user's template folder holds.
 */
export async function createGitRepository(
  directory: string,
  options: { readonly url: string; readonly format: ObjectFormat; readonly context: FetchContext },
): Promise<GitRepository> {
  const { url, format, context } = options;
  const route = await gitRoute(url, { directory, context });
  const program = findProgram("git", context.environment);
  if (program === undefined) {
    const message =
      "There is no git in any folder of PATH; install it, or name an archive or a folder instead.";
    throw new SkilletError("git-missing", message);
  }
  await mkdir(join(directory, "objects", "pack"), { recursive: true, mode: 0o700 });
  await mkdir(join(directory, "refs"), { mode: 0o700 });
  await writeFile(join(directory, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(directory, "config"), configOf(format));
  return { program, directory, url, context, route };
}

function configOf(format: ObjectFormat): string {
  const objectFormat = format === "sha256" ? "\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n${objectFormat}`;
}
