import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, type JsonObject, parseJsonObject, textOf } from "@skillet/kit/json";
import type { OfferedItem } from "../plan-item.ts";
import { checkEntryPath } from "../sources/entry-path.ts";
import { parseSource } from "../sources/parse-source.ts";
import { placeOnThisMachine, type Source } from "../sources/source.ts";
import { checkRef, isCommitId } from "../sources/source-text.ts";
import type { FoundOffers } from "./find-offers.ts";
import { trimPath } from "./read-plugin-parts.ts";

/** Where marketplaces keep their list, in the order in which clients look. */
export const MARKETPLACE_FILES: readonly string[] = [
  ".agents/plugins/marketplace.json",
  ".agents/plugins/api_marketplace.json",
  ".claude-plugin/marketplace.json",
  ".cursor-plugin/marketplace.json",
];

const MAX_PLUGINS = 5_000;
const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Reads the plugins of a marketplace; an unusable entry is reported and does not block the others. */
export function readMarketplace(bytes: Uint8Array, file: string, root: string): FoundOffers {
  const document = parseJsonObject(bytes);
  const plugins = fieldOf(document, "plugins");
  if (!Array.isArray(plugins))
    return {
      offers: [],
      diagnostics: [invalid(file, "has no list of plugins", "Give it a `plugins` list.")],
    };
  const pluginRoot = textOf(fieldOf(document, "metadata"), "pluginRoot");
  const offers: OfferedItem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, value] of plugins.slice(0, MAX_PLUGINS).entries()) {
    const entry = asObject(value);
    const name = textOf(entry, "name");
    try {
      if (entry === undefined || name === undefined || !PLUGIN_NAME.test(name))
        throw unusable("it has no name of letters, digits, dots, hyphens and underscores");
      if (textOf(entry.policy, "installation") === "NOT_AVAILABLE")
        throw unusable("its marketplace says that it is not available");
      const place = placeOf(entry.source, root, pluginRoot);
      const description = textOf(entry, "description") ?? "";
      offers.push({
        state: "offered",
        kind: "plugin",
        name,
        description,
        internal: false,
        entry,
        ...place,
      });
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      const label = name ?? `plugin ${index + 1}`;
      diagnostics.push(invalid(file, `lists ${label}, which cannot be installed: ${error.message}`));
    }
  }
  if (plugins.length > MAX_PLUGINS) {
    const excess = `lists ${plugins.length} plugins; only the first ${MAX_PLUGINS} were read`;
    diagnostics.push(invalid(file, excess));
  }
  return { offers, diagnostics };
}

type Place = Pick<OfferedItem, "folder" | "elsewhere" | "pin">;

function placeOf(source: unknown, root: string, pluginRoot: string | undefined): Place {
  if (typeof source === "string") {
    const isBare = !source.startsWith("./") && pluginRoot !== undefined;
    return { folder: folderOf(`${root}/${isBare ? `${pluginRoot}/` : ""}${source}`) };
  }
  const object = asObject(source);
  switch (textOf(object, "source")) {
    case "github":
      return elsewhere(`github:${need(object, "repo")}`, object);
    case "url":
    case "git-subdir":
      return elsewhere(`git:${need(object, "url")}`, object);
    case "npm": {
      // The owner of another registry could serve anything under any name.
      if (textOf(object, "registry") !== undefined)
        throw unusable("it names a registry of its own; set one for the scope in .npmrc instead");
      const version = textOf(object, "version");
      return elsewhere(`npm:${need(object, "package")}${version === undefined ? "" : `@${version}`}`);
    }
    case "archive": {
      const digest = textOf(object, "sha256")?.toLowerCase();
      if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
        throw unusable("its sha256 is not 64 hexadecimal digits");
      const place = elsewhere(need(object, "url"));
      if (place.elsewhere?.kind !== "archive")
        throw unusable("its archive has no address of a zip or tar.gz file");
      return { ...place, ...(digest !== undefined && { pin: `sha256:${digest}` }) };
    }
    case "command":
      throw unusable("it would be fetched by running a command, which is never done");
    default:
      throw unusable("its source is of an unknown kind");
  }
}

function folderOf(path: string): string {
  const folder = trimPath(path);
  const problem = folder === "" ? undefined : checkEntryPath(folder);
  if (problem !== undefined) throw unusable(`its folder ${problem}`);
  return folder;
}

function elsewhere(text: string, object?: JsonObject): Place {
  const parsed = parseSource(text, { workspace: "/", userHome: "/" });
  const sha = textOf(object, "sha");
  if (sha !== undefined && !isCommitId(sha)) throw unusable("its sha is not the full id of a commit");
  // `sha` wins over `ref`: the marketplace's author reviewed that commit.
  const ref = sha ?? textOf(object, "ref");
  const problem = ref === undefined ? undefined : checkRef(ref);
  if (problem !== undefined) throw unusable(`its ref ${problem}`);
  const folder = folderOf(textOf(object, "path") ?? "");
  const found: Source =
    parsed.kind === "git"
      ? { ...parsed, ...(ref !== undefined && { ref }), ...(folder !== "" && { folder }) }
      : parsed;
  // A marketplace must not reach into the machines of its users.
  if (placeOnThisMachine(found) !== undefined) throw unusable("it is a local path");
  return { folder, elsewhere: found };
}

function need(object: JsonObject | undefined, key: string): string {
  const text = textOf(object, key);
  if (text === undefined) throw unusable(`its source has no \`${key}\``);
  return text;
}

function unusable(reason: string): SkilletError {
  return new SkilletError("marketplace-entry-invalid", reason);
}

function invalid(
  file: string,
  fault: string,
  hint: string = "Ask the marketplace's owner to correct it.",
): Diagnostic {
  const message = `The marketplace ${fault}.`;
  return { code: "marketplace-invalid", severity: "warning", message, file, hint };
}
