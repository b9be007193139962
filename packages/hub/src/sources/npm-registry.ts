import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseUrl } from "@skillet/kit/network";
import type { FetchContext } from "./fetch-context.ts";
import { isAllowedHost } from "./http/address.ts";

export interface NpmRegistry {
  readonly url: URL;
  /** For requests to the registry's own origin, and to no other. */
  readonly headers: Readonly<Record<string, string>>;
}

type Environment = FetchContext["environment"];

const MAX_NPMRC_BYTES = 1024 * 1024;

/**
 * The registry of a package, as npm itself is configured: for its scope, then for all. The `.npmrc` of a project is not
 * read: its author could send other people's tokens, and other people, to a registry of their own.
 */
export function npmRegistry(name: string, context: FetchContext): NpmRegistry {
  const { environment } = context;
  const settings = readSettings(environment);
  const scope = name.startsWith("@") ? name.slice(0, name.indexOf("/")) : undefined;
  const configured =
    environment.SKILLET_NPM_REGISTRY ||
    (scope === undefined ? undefined : settings.get(`${scope}:registry`)) ||
    environment.npm_config_registry ||
    environment.NPM_CONFIG_REGISTRY ||
    settings.get("registry");
  if (configured === undefined) {
    const message = `No npm registry is configured for ${name}. Take npm's own for this shell with: export SKILLET_NPM_REGISTRY="$(npm config get registry)"; or for good with: npm config set registry URL.`;
    throw new SkilletError("npm-registry-unknown", message, { data: { name } });
  }
  const url = readRegistryUrl(configured);
  const token = tokenFor(url, settings);
  // Over plain http, everyone on the way could read the token.
  const isSafe = url.protocol === "https:" || isAllowedHost(url, context.allowedPrivateHosts);
  return { url, headers: token === undefined || !isSafe ? {} : { authorization: `Bearer ${token}` } };
}

function readSettings(environment: Environment): ReadonlyMap<string, string> {
  const home = environment.HOME ?? environment.USERPROFILE;
  const globalFile = environment.npm_config_globalconfig ?? environment.NPM_CONFIG_GLOBALCONFIG;
  const userFile =
    environment.npm_config_userconfig ?? environment.NPM_CONFIG_USERCONFIG ?? (home && join(home, ".npmrc"));
  const settings = new Map<string, string>();
  // The user's beats the machine's.
  for (const path of [globalFile, userFile]) {
    const bytes = path ? readBoundedFile(path, { maxBytes: MAX_NPMRC_BYTES }) : undefined;
    for (const [key, value] of parseNpmrc(new TextDecoder().decode(bytes), environment))
      settings.set(key, value);
  }
  return settings;
}

function readRegistryUrl(text: string): URL {
  const url = parseUrl(text.endsWith("/") ? text : `${text}/`);
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url;
  // The configured value is not shown: it may hold a password.
  const message =
    "The configured npm registry is not an http or https address, or holds credentials; set SKILLET_NPM_REGISTRY or npm's registry to one, and put tokens into ~/.npmrc.";
  throw new SkilletError("npm-registry-invalid", message);
}

/** As npm looks for it: under the registry's path, then under the folders above. */
function tokenFor(url: URL, settings: ReadonlyMap<string, string>): string | undefined {
  for (let path = url.pathname; ; path = path.slice(0, path.slice(0, -1).lastIndexOf("/") + 1)) {
    const token =
      settings.get(`//${url.host}${path}:_authToken`) ??
      settings.get(`//${url.host}${path.slice(0, -1)}:_authToken`);
    if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
    if (path === "/") return undefined;
  }
}

/** Reads an npmrc: the last value of a key counts, `${NAME}` stands for a variable, and a value without it is dropped. */
export function parseNpmrc(text: string, environment: Environment): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const equals = line.indexOf("=");
    if (/^\s*[;#[]/.test(line) || equals < 0) continue;
    const written = line.slice(equals + 1).trim();
    const isQuoted = written.length > 1 && /^(["']).*\1$/.test(written);
    const value = expand(isQuoted ? written.slice(1, -1) : written, environment);
    if (value !== undefined && value !== "") settings.set(line.slice(0, equals).trim(), value);
  }
  return settings;
}

function expand(value: string, environment: Environment): string | undefined {
  let isComplete = true;
  const expanded = value.replace(/\$\{([^{}]{1,200})\}/g, (_, name: string) => {
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined;
    isComplete &&= found !== undefined;
    return found ?? "";
  });
  return isComplete ? expanded : undefined;
}
