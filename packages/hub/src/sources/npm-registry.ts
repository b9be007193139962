import { join, parse } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseUrl } from "@skillet/kit/network";
import { runProcess } from "@skillet/kit/process";
import { findProgram, passedOn } from "@skillet/kit/program";
import type { FetchContext } from "./fetch-context.ts";
import { isAllowedHost } from "./http/address.ts";

export interface NpmRegistry {
  readonly url: URL;
  /** For requests to the registry's own origin only. */
  readonly headers: Readonly<Record<string, string>>;
}

type Environment = FetchContext["environment"];

const MAX_NPMRC_BYTES = 1024 * 1024;

/**
 * The registry of a package, as configured for npm: for its scope, then for all packages, then npm's default.
 * The `.npmrc` of a project is read only if the project is trusted, and only for registries: its author could
 * otherwise send users, with their tokens and variables, to another registry.
 */
export async function npmRegistry(name: string, context: FetchContext): Promise<NpmRegistry> {
  const { environment } = context;
  const settings = readSettings(environment);
  const project = readProjectRegistries(context);
  const scope = name.startsWith("@") ? `${name.slice(0, name.indexOf("/"))}:registry` : "";
  const configured =
    environment.SKILLET_NPM_REGISTRY ||
    (project.get(scope) ?? settings.get(scope)) ||
    environment.npm_config_registry ||
    environment.NPM_CONFIG_REGISTRY ||
    (project.get("registry") ?? settings.get("registry")) ||
    (await npmDefault(context));
  if (configured === undefined) {
    const message = `No npm registry is configured for ${name}, and npm itself could not be asked. Name one: npm config set registry URL, or SKILLET_NPM_REGISTRY=URL for one command.`;
    throw new SkilletError("npm-registry-unknown", message, { data: { name } });
  }
  const url = readRegistryUrl(configured);
  const token = tokenFor(url, settings);
  // Over plain http, anyone in between could read the token.
  const isSafe = url.protocol === "https:" || isAllowedHost(url, context.allowedPrivateHosts);
  return { url, headers: token === undefined || !isSafe ? {} : { authorization: `Bearer ${token}` } };
}

function readSettings(environment: Environment): ReadonlyMap<string, string> {
  const home = environment.HOME ?? environment.USERPROFILE;
  const globalFile = environment.npm_config_globalconfig ?? environment.NPM_CONFIG_GLOBALCONFIG;
  const userFile =
    environment.npm_config_userconfig ?? environment.NPM_CONFIG_USERCONFIG ?? (home && join(home, ".npmrc"));
  const settings = new Map<string, string>();
  // The user's settings override the machine's.
  for (const path of [globalFile, userFile]) {
    const bytes = path ? readBoundedFile(path, { maxBytes: MAX_NPMRC_BYTES }) : undefined;
    for (const [key, value] of parseNpmrc(new TextDecoder().decode(bytes), environment))
      settings.set(key, value);
  }
  return settings;
}

/** Variables are not expanded: a URL could leak them. */
function readProjectRegistries({ projectNpmrc }: FetchContext): ReadonlyMap<string, string> {
  const file = projectNpmrc?.();
  const bytes = file === undefined ? undefined : readBoundedFile(file, { maxBytes: MAX_NPMRC_BYTES });
  const settings = bytes ? parseNpmrc(new TextDecoder().decode(bytes), {}) : new Map<string, string>();
  return new Map([...settings].filter(([key]) => /^(?:@[^:]+:)?registry$/.test(key)));
}

const NPM_DEADLINE_MS = 30_000;
// The locations of npm's own files, and no secrets.
const PASSED =
  /^(?:PATH|HOME|USERPROFILE|APPDATA|SystemRoot|npm_config_(?:user|global)config|NPM_CONFIG_(?:USER|GLOBAL)CONFIG)$/;

/** Asks npm for its registry, from a folder where no project's config applies; undefined if npm is not installed. */
async function npmDefault({ environment, signal }: FetchContext): Promise<string | undefined> {
  const npm = findProgram("npm", environment);
  if (npm === undefined) return undefined;
  const { ending, exitCode, stdout } = await runProcess({
    argv: [npm, "config", "get", "registry"],
    environment: passedOn(environment, (name) => PASSED.test(name)),
    cwd: parse(npm).root,
    deadlineMs: NPM_DEADLINE_MS,
    maxOutputBytes: 64 * 1024,
    ...(signal && { signal }),
  });
  signal?.throwIfAborted();
  const written = new TextDecoder().decode(stdout.head).trim();
  return ending === "exit" && exitCode === 0 && /^https?:/.test(written) ? written : undefined;
}

function readRegistryUrl(text: string): URL {
  const url = parseUrl(text.endsWith("/") ? text : `${text}/`);
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url;
  // The configured value is not shown, because it may contain a password.
  const message =
    "The configured npm registry is not an http or https address, or holds credentials; set SKILLET_NPM_REGISTRY or npm's registry to one, and put tokens into ~/.npmrc.";
  throw new SkilletError("npm-registry-invalid", message);
}

/** Looks for a token like npm: under the registry's path, then under its parents. */
function tokenFor(url: URL, settings: ReadonlyMap<string, string>): string | undefined {
  for (let path = url.pathname; ; path = path.slice(0, path.slice(0, -1).lastIndexOf("/") + 1)) {
    const token =
      settings.get(`//${url.host}${path}:_authToken`) ??
      settings.get(`//${url.host}${path.slice(0, -1)}:_authToken`);
    if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
    if (path === "/") return undefined;
  }
}

/** Parses an npmrc: the last value of a key wins, and a value with an unset `${NAME}` variable is dropped. */
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
