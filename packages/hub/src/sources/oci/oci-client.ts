import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { fieldOf, parseJsonObject, textOf } from "@skillet/kit/json";
import { parseUrl } from "@skillet/kit/network";
import { isDigest } from "@skillet/kit/schema";
import type { FetchContext } from "../fetch-context.ts";
import { isOwnMachine } from "../http/address.ts";
import { type Download, type DownloadOptions, download } from "../http/download.ts";
import { isOci, type OciSource } from "../source.ts";

export type OciPlace = Pick<OciSource, "registry" | "repository">;

/** Checks a tag to push to; tags that serve as lists of referrers are reserved. */
export function checkOciTag(tag: string): string {
  if (isOci.tag(tag) && !/^sha256-[0-9a-f]{64}$/.test(tag)) return tag;
  throw malformed("tag", tag);
}

export function checkOciReference(reference: string): string {
  if (isDigest(reference) || isOci.tag(reference)) return reference;
  throw malformed("tag or digest", reference);
}

export function isConfidential(url: URL): boolean {
  return url.protocol === "https:" || isOwnMachine(url);
}

export function showOci({ registry, repository }: OciPlace, reference?: string): string {
  const separator = reference?.startsWith("sha256:") ? "@" : ":";
  return `oci://${registry}/${repository}${reference === undefined ? "" : `${separator}${reference}`}`;
}

function malformed(part: string, value: string): SkilletError {
  const message = `${JSON.stringify(value.slice(0, 100))} cannot be the ${part} of an OCI reference; write it as oci://host/repository:tag or @sha256:….`;
  return new SkilletError("oci-reference-malformed", message);
}

const MAX_TOKEN_BYTES = 65_536;

export class OciClient {
  readonly place: OciPlace;
  readonly context: FetchContext;
  readonly #actions: "pull" | "pull,push";
  readonly #base: URL;
  /** The last one that was accepted; sent only to the registry's own origin. */
  #authorization: string | undefined;
  #advice = "";

  constructor(options: {
    readonly place: OciPlace;
    readonly context: FetchContext;
    readonly actions: "pull" | "pull,push";
  }) {
    const { registry, repository } = options.place;
    // They come from locks and catalogues as well as from users.
    if (!isOci.registry(registry)) throw malformed("registry", registry);
    if (!isOci.repository(repository)) throw malformed("repository", repository);
    this.place = options.place;
    this.context = options.context;
    this.#actions = options.actions;
    // Only this machine is contacted without TLS.
    const scheme = isOwnMachine(new URL(`http://${registry}`)) ? "http" : "https";
    this.#base = new URL(`${scheme}://${registry}/v2/${repository}`);
  }

  async send(pathOrUrl: string, options: DownloadOptions): Promise<Download> {
    const url = pathOrUrl.startsWith("/") ? `${this.#base.href}${pathOrUrl}` : pathOrUrl;
    const isHome = new URL(url).origin === this.#base.origin;
    const first = await this.#attempt(url, options, isHome);
    if (first.status !== 401) return first;
    // A server other than the registry gets no credentials.
    if (!isHome || new URL(first.url).origin !== this.#base.origin)
      throw this.#refused(first, "another server asked for the credentials");
    this.#authorization = await this.#signIn(first);
    const second = await this.#attempt(url, options, isHome);
    if (second.status === 401) throw this.#refused(second, this.#advice);
    return second;
  }

  #attempt(url: string, options: DownloadOptions, isHome: boolean): Promise<Download> {
    const authorization = isHome ? this.#authorization : undefined;
    return download(url, this.context, {
      ...options,
      statuses: [...(options.statuses ?? []), 401],
      headers: { ...options.headers, ...(authorization !== undefined && { authorization }) },
    });
  }

  async #signIn(refusal: Download): Promise<string> {
    const challenge = parseOciChallenge(refusal.headers["www-authenticate"]);
    if (challenge === undefined) throw this.#refused(refusal, "it does not say how to sign in");
    const { pair, advice } = readOciCredentials(this.place.registry, this.context.environment);
    this.#advice = advice;
    const basic = pair && `Basic ${Buffer.from(pair).toString("base64")}`;
    if (challenge.scheme === "bearer") return `Bearer ${await this.#fetchToken(challenge, basic)}`;
    if (basic === undefined) throw this.#refused(refusal, advice);
    return basic;
  }

  async #fetchToken(
    { realm, service }: { readonly realm: string; readonly service?: string },
    basic: string | undefined,
  ): Promise<string> {
    const url = parseUrl(realm);
    if (url === undefined || !isConfidential(url)) {
      const shown = JSON.stringify(realm.slice(0, 200));
      throw this.#refused(undefined, `it sends to ${shown} for a token, which is not https`);
    }
    if (service !== undefined) url.searchParams.set("service", service);
    // Requests no more than is needed, whatever scope the registry suggests.
    url.searchParams.set("scope", `repository:${this.place.repository}:${this.#actions}`);
    const answer = await download(url.href, this.context, {
      accept: "application/json",
      maxBytes: MAX_TOKEN_BYTES,
      statuses: [400, 401, 403],
      headers: basic === undefined ? {} : { authorization: basic },
    });
    if (answer.status !== 200) throw this.#refused(answer, this.#advice);
    const document = parseJsonObject(answer.bytes);
    const token = fieldOf(document, "token") ?? fieldOf(document, "access_token");
    // It becomes part of a header.
    if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return token;
    throw this.#refused(undefined, "the answer of its token service holds no token");
  }

  #refused(answer: Download | undefined, what: string): SkilletError {
    const status = answer === undefined ? "" : ` (${answer.status})`;
    const verb = this.#actions === "pull" ? "pulled from" : "pushed to";
    const message = `${showOci(this.place)} cannot be ${verb}: the registry requires a login${status}; ${what}.`;
    return new SkilletError("oci-auth-refused", message, { data: { ...this.place } });
  }
}

type OciChallenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service?: string };

const MAX_CHALLENGE = 8_192;
// A separator, a parameter or a scheme. RFC 9110: a parameter is a token, `=`, then a token or a quoted
// string. Linear, because nothing in it can match in two ways.
const CHALLENGE_PART =
  /[\s,]+|([a-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([a-z0-9!#$%&'*+.^_`|~-]+)(?:\s+|$)/giy;

/** Parses `WWW-Authenticate`; a bearer challenge is preferred. */
export function parseOciChallenge(header: string | undefined): OciChallenge | undefined {
  if (header === undefined || header.length > MAX_CHALLENGE) return undefined;
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, name, quoted, plain = "", scheme] of header.matchAll(CHALLENGE_PART)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    const parameters = challenges.at(-1)?.parameters;
    const key = name?.toLowerCase();
    if (parameters !== undefined && key !== undefined && !parameters.has(key))
      parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? plain);
  }
  for (const { scheme, parameters } of challenges) {
    const realm = parameters.get("realm");
    if (scheme !== "bearer" || realm === undefined) continue;
    const service = parameters.get("service");
    return { scheme, realm, ...(service !== undefined && { service }) };
  }
  return challenges.some(({ scheme }) => scheme === "basic") ? { scheme: "basic" } : undefined;
}

const MAX_CONFIG_BYTES = 1024 * 1024;

interface OciCredentials {
  /** `user:password`; absent if none are known. */
  readonly pair?: string;
  readonly advice: string;
}

/**
 * Looks up the credentials for one registry: in the environment, then in Docker's configuration.
 *
 * Those in the environment are for `SKILLET_OCI_REGISTRY` only: otherwise any registry that a skill names
 * could request them. Credential helpers are programs that a file names, and are not run.
 */
function readOciCredentials(registry: string, environment: FetchContext["environment"]): OciCredentials {
  const { SKILLET_OCI_REGISTRY, SKILLET_OCI_USERNAME, SKILLET_OCI_PASSWORD } = environment;
  if (SKILLET_OCI_USERNAME && SKILLET_OCI_PASSWORD && SKILLET_OCI_REGISTRY === registry) {
    const pair = `${SKILLET_OCI_USERNAME}:${SKILLET_OCI_PASSWORD}`;
    return { pair, advice: "check SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD" };
  }
  const advice = `set SKILLET_OCI_REGISTRY=${registry}, SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD`;
  const { DOCKER_CONFIG, HOME, USERPROFILE } = environment;
  const home = HOME || USERPROFILE;
  const folder = DOCKER_CONFIG || (home && join(home, ".docker"));
  const found = folder ? readDockerConfig(join(folder, "config.json"), registry, advice) : undefined;
  return found ?? { advice: `${advice}, or sign in with \`docker login\`` };
}

function readDockerConfig(file: string, registry: string, advice: string): OciCredentials | undefined {
  const bytes = readBoundedFile(file, { maxBytes: MAX_CONFIG_BYTES });
  if (bytes === undefined) return undefined;
  const config = parseJsonObject(bytes);
  if (config === undefined) {
    const message = `${file} is not a JSON object, so no credentials can be read from it; repair it, or point DOCKER_CONFIG elsewhere.`;
    throw new SkilletError("oci-credentials-malformed", message, { data: { file } });
  }
  const renew = `check what ${file} has for it, or sign in again with \`docker login\``;
  const names = [registry, ...["", "/", "/v1/", "/v2/"].map((path) => `https://${registry}${path}`)];
  for (const name of names) {
    const entry = fieldOf(config.auths, name);
    const pair = Buffer.from(textOf(entry, "auth") ?? "", "base64").toString();
    if (pair.indexOf(":") > 0) return { pair, advice: renew };
    const [username, password] = [textOf(entry, "username"), textOf(entry, "password")];
    if (username !== undefined && password !== undefined)
      return { pair: `${username}:${password}`, advice: renew };
  }
  const hasHelper = names.some((name) => textOf(config.credHelpers, name) !== undefined);
  if (!hasHelper && textOf(config, "credsStore") === undefined) return undefined;
  return { advice: `${file} leaves them to a credential helper, which Skillet does not run; ${advice}` };
}
