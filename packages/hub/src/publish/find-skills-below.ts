import { compareByteOrder } from "@skillet/kit/order";
import { findOffers } from "../discover/find-offers.ts";
import type { FetchContext } from "../fetch/fetch-context.ts";
import { openLocalSource } from "../fetch/local/open-local-source.ts";
import { rootName } from "../source/root-name.ts";
import type { LocalSource } from "../source/source.ts";

/**
 * The folders of the skills below one that is no skill itself, at any depth, as an install from it would find them; empty
 * where it is one.
 *
 * @example
 * await findSkillsBelow("/desk/skills", context); // ["office/pdf", "office/word"]
 */
export async function findSkillsBelow(path: string, context: FetchContext): Promise<readonly string[]> {
  const source: LocalSource = { kind: "local", path };
  const opened = await openLocalSource(source, context);
  try {
    const { signal } = context;
    const { offers } = await findOffers(opened, {
      folder: "",
      names: [],
      rootName: rootName(source),
      ...(signal && { signal }),
    });
    const folders = offers.filter(({ kind }) => kind === "skill").map(({ folder }) => folder);
    return folders.includes("") ? [] : [...new Set(folders)].sort(compareByteOrder);
  } finally {
    await opened.close();
  }
}
