import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, type JsonObject, parseJsonObject, textOf } from "@skillet/kit/json";
import { checkEntryPath } from "../sources/entry-path.ts";
import { parseSource } from "../sources/parse-source.ts";
import type { Source } from "../sources/source.ts";
import { checkRef, isCommitId } from "../sources/source-text.ts";
import type { Offer } from "./find-offers.ts";

/** Where marketplaces keep their list, in the order that clients look. */
export const MARKETPLACE_FILES: readonly string[] = [
  ".agents/plugins/marketplace.json",
  ".agents/plugins/api_marketplace.json",
  ".claude-plugin/marketplace.json",
  ".cursor-plugin/marketplace.json",
];

const MAX_PLUGINS = 5_000;

/** Reads the plugins of a marketplace; an entry that cannot be had is reported, and holds up no other. */
export function readMarketplace(
  bytes: Uint8Array,
  file: string,
  root: string,
): { readonly offers: readonly Offer[]; readonly diagnostics: readonly Diagnostic[] } {
  const document = parseJsonObject(bytes);
  const plugins = document?.plugins;
  if (!Array.isArray(plugins))
    return {
      offers: [],
      diagnostics: [invalid(file, "has no list of plugins", "Give it a `plugins` list.")],
    };
  const pluginRoot = textOf(asObject(document?.metadata), "pluginRoot");
  const offers: Offer[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, value] of plugins.slice(0, MAX_PLUGINS).entries()) {
    const entry = asObject(value);
    const name = textOf(entry, "name");
    const label = name ?? `plugin ${index + 1}`;
    try {
      if (entry === undefined || name === undefined || !PLUGIN_NAME.test(name))
        throw unusable("it has no name of letters, digits, dots, hyphens and underscores");
      if (textOf(asObject(entry.policy), "installation") === "NOT_AVAILABLE")
        throw unusable("its marketplace says that it is not available");
      const place = placeOf(entry.source, root, pluginRoot);
      const description = textOf(entry, "description") ?? "";
      offers.push({ kind: "plugin", name, description, internal: false, entry, ...place });
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      diagnostics.push(invalid(file, `lists ${label}, which cannot be installed: ${error.message}`));
    }
  }
  if (plugins.length > MAX_PLUGINS)
    diagnostics.push(
      invalid(file, `lists ${plugins.length} plugins; only the first ${MAX_PLUGINS} were read`),
    );
  return { offers, diagnostics };
}

const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

type Place = Pick<Offer, "folder" | "elsewhere" | "pin">;

function placeOf(source: unknown, root: string, pluginRoot: string | undefined): Place {
  if (typeof source === "string") return { folder: folderOf(source, root, pluginRoot) };
  const object = asObject(source);
  switch (textOf(object, "source")) {
    case "github":
      return elsewhere(`github:${need(object, "repo")}`, object);
    case "url":
    case "git-subdir":
      return elsewhere(`git:${need(object, "url")}`, object);
    case "npm": {
      // Whoever runs another registry could give any name there to anything.
      if (textOf(object, "registry") !== undefined)
        throw unusable("it names a registry of its own; set one for the scope in .npmrc instead");
      const version = textOf(object, "version");
      return elsewhere(
        `npm:${need(object, "package")}${version === undefined ? "" : `@${version}`}`,
        undefined,
      );
    }
    case "archive": {
      const digest = textOf(object, "sha256")?.toLowerCase();
      if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest)) throw unusable("its sha256 is none");
      const { folder, elsewhere: archive } = elsewhere(need(object, "url"), undefined);
      if (archive?.kind !== "archive") throw unusable("its archive has no address of a zip or tar.gz file");
      return { folder, elsewhere: archive, ...(digest !== undefined && { pin: `sha256:${digest}` }) };
    }
    case "command":
      throw unusable("it would be fetched by running a command, which is never done");
    default:
      throw unusable("its source is of an unknown kind");
  }
}

function folderOf(text: string, root: string, pluginRoot: string | undefined): string {
  const isBare = !text.startsWith("./") && pluginRoot !== undefined;
  const parts = `${isBare ? `${pluginRoot}/` : ""}${text}`
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const folder = [...(root === "" ? [] : [root]), ...parts].join("/");
  const problem = folder === "" ? undefined : checkEntryPath(folder);
  if (problem !== undefined) throw unusable(`its folder ${problem}`);
  return folder;
}

// `sha` beats `ref`: whoever listed the plugin looked at that commit.
function elsewhere(text: string, object: JsonObject | undefined): Place & { readonly elsewhere: Source } {
  const parsed = parseSource(text, { workspace: "/", userHome: "/" });
  const sha = textOf(object, "sha");
  if (sha !== undefined && !isCommitId(sha)) throw unusable("its sha is not the full id of a commit");
  const ref = sha ?? textOf(object, "ref");
  const problem = ref === undefined ? undefined : checkRef(ref);
  if (problem !== undefined) throw unusable(`its ref ${problem}`);
  const path = textOf(object, "path");
  const folder = path === undefined ? "" : folderOf(path, "", undefined);
  const found: Source =
    parsed.kind === "git"
      ? { ...parsed, ...(ref !== undefined && { ref }), ...(folder !== "" && { folder }) }
      : parsed;
  // A marketplace may not reach into the machine of whoever reads it.
  if (found.kind === "local" || (found.kind === "archive" && !/^https?:/.test(found.location)))
    throw unusable("it lies on the machine of whoever would install it");
  if (found.kind === "git" && found.url.startsWith("file:"))
    throw unusable("it lies on the machine of whoever would install it");
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
  hint = "Ask whoever keeps the marketplace to correct it.",
): Diagnostic {
  return {
    code: "marketplace-invalid",
    severity: "warning",
    message: `The marketplace ${fault}.`,
    file,
    hint,
  };
}
