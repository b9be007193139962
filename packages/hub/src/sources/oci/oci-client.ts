import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { asObject, parseJsonObject, textOf } from "@skillet/kit/json";
import type { FetchContext } from "../fetch-context.ts";
import { type Download, type DownloadOptions, download } from "../http/download.ts";

export interface OciPlace {
  readonly registry: string;
  readonly repository: string;
}

const REGISTRY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::[0-9]{1,5})?$/i;
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::|$)/i;

/** Refuses parts that would lead a URL elsewhere; they come from locks and catalogues as well as from people. */
function checkOciPlace({ registry, repository }: OciPlace): void {
  if (!REGISTRY.test(registry) || !URL.canParse(`https://${registry}`)) throw malformed("registry", registry);
  if (repository.length > 255 || !REPOSITORY.test(repository)) throw malformed("repository", repository);
}

/** A tag to push to; those that stand in for lists of referrers are taken. */
export function checkOciTag(tag: string): string {
  if (TAG.test(tag) && !/^sha256-[0-9a-f]{64}$/.test(tag)) return tag;
  throw malformed("tag", tag);
}

export function checkOciReference(reference: string): string {
  if (DIGEST.test(reference) || TAG.test(reference)) return reference;
  throw malformed("tag or digest", reference);
}

/** The base of all addresses of a repository; only this machine is spoken to without TLS. */
function ociBase({ registry, repository }: OciPlace): string {
  return `${LOOPBACK.test(registry) ? "http" : "https"}://${registry}/v2/${repository}`;
}

export function isConfidential(url: URL): boolean {
  return url.protocol === "https:" || LOOPBACK.test(url.host);
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
  /** What was accepted last; sent to the registry's own origin alone. */
  #authorization: string | undefined;
  #advice = "";

  constructor(options: {
    readonly place: OciPlace;
    readonly context: FetchContext;
    readonly actions: "pull" | "pull,push";
  }) {
    checkOciPlace(options.place);
    this.place = options.place;
    this.context = options.context;
    this.#actions = options.actions;
  }

  async send(pathOrUrl: string, options: DownloadOptions): Promise<Download> {
    const base = ociBase(this.place);
    const url = pathOrUrl.startsWith("/") ? `${base}${pathOrUrl}` : pathOrUrl;
    const isHome = new URL(url).origin === new URL(base).origin;
    const first = await this.#attempt(url, options, isHome);
    if (first.status !== 401) return first;
    // Who else asks, asks for nothing that is his.
    if (!isHome || new URL(first.url).origin !== new URL(base).origin)
      throw this.#refused(first, "it is not the registry itself that asks");
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
    const reading = readOciCredentials(this.place.registry, this.context.environment);
    this.#advice = reading.advice;
    const basic = reading.pair && `Basic ${Buffer.from(reading.pair).toString("base64")}`;
    if (challenge.scheme === "basic") {
      if (basic === undefined) throw this.#refused(refusal, reading.advice);
      return basic;
    }
    return `Bearer ${await this.#fetchToken(challenge, basic)}`;
  }

  async #fetchToken(
    { realm, service }: { readonly realm: string; readonly service?: string },
    basic: string | undefined,
  ): Promise<string> {
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (url === undefined || !isConfidential(url))
      throw this.#refused(
        undefined,
        `it sends to ${JSON.stringify(realm.slice(0, 200))} for a token, which is not https`,
      );
    if (service !== undefined) url.searchParams.set("service", service);
    // What is needed and no more, whatever scope the registry would like.
    url.searchParams.set("scope", `repository:${this.place.repository}:${this.#actions}`);
    const answer = await download(url.href, this.context, {
      accept: "application/json",
      maxBytes: MAX_TOKEN_BYTES,
      statuses: [400, 401, 403],
      headers: basic === undefined ? {} : { authorization: basic },
    });
    if (answer.status !== 200) throw this.#refused(answer, this.#advice);
    const token = readToken(answer.bytes);
    if (token === undefined) throw this.#refused(undefined, "the answer of its token service holds no token");
    return token;
  }

  #refused(answer: Download | undefined, what: string): SkilletError {
    const status = answer === undefined ? "" : ` (${answer.status})`;
    const verb = this.#actions === "pull" ? "pulled from" : "pushed to";
    const message = `${showOci(this.place)} cannot be ${verb}: the registry wants a sign-in${status}; ${what}.`;
    return new SkilletError("oci-auth-refused", message, { data: { ...this.place } });
  }
}

function readToken(bytes: Uint8Array): string | undefined {
  const { token, access_token } = parseJsonObject(bytes) ?? {};
  const found = token ?? access_token;
  // It becomes part of a header.
  return typeof found === "string" && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
}

type OciChallenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service?: string };

const MAX_CHALLENGE = 8_192;
// RFC 9110: a token, `=`, then a token or a quoted string; linear, as nothing in it can match in two ways.
const PARAMETER = /([a-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/giy;
const SCHEME = /([a-z0-9!#$%&'*+.^_`|~-]+)(?:\s+|$)/giy;

/** Reads `WWW-Authenticate`; of several challenges a bearer one is taken first. */
export function parseOciChallenge(header: string | undefined): OciChallenge | undefined {
  if (header === undefined || header.length > MAX_CHALLENGE) return undefined;
  const challenges = readChallenges(header);
  for (const { scheme, parameters } of challenges) {
    const realm = parameters.get("realm");
    if (scheme !== "bearer" || realm === undefined) continue;
    const service = parameters.get("service");
    return { scheme, realm, ...(service !== undefined && { service }) };
  }
  return challenges.some(({ scheme }) => scheme === "basic") ? { scheme: "basic" } : undefined;
}

function readChallenges(header: string): { scheme: string; parameters: Map<string, string> }[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (let index = 0; index < header.length; ) {
    const separator = /[\s,]/.test(header.charAt(index));
    if (separator) {
      index += 1;
      continue;
    }
    PARAMETER.lastIndex = index;
    const parameter = PARAMETER.exec(header);
    SCHEME.lastIndex = index;
    const scheme = parameter === null ? SCHEME.exec(header) : null;
    if (parameter !== null) {
      const value = parameter[2]?.replace(/\\(.)/g, "$1") ?? parameter[3] ?? "";
      const parameters = challenges.at(-1)?.parameters;
      const name = (parameter[1] ?? "").toLowerCase();
      if (parameters !== undefined && !parameters.has(name)) parameters.set(name, value);
      index = PARAMETER.lastIndex;
    } else if (scheme !== null) {
      challenges.push({ scheme: (scheme[1] ?? "").toLowerCase(), parameters: new Map() });
      index = SCHEME.lastIndex;
    } else break;
  }
  return challenges;
}

const MAX_CONFIG_BYTES = 1024 * 1024;

interface OciCredentials {
  /** `user:password`; absent where nothing is known. */
  readonly pair?: string;
  readonly advice: string;
}

/**
 * Looks for credentials of one registry: in the environment, then in Docker's configuration.
 *
 * The environment's belong to `SKILLET_OCI_REGISTRY` alone: otherwise any registry that a skill names could ask for
 * them. Credential helpers are programs that a file names, and are not run.
 */
function readOciCredentials(
  registry: string,
  environment: Readonly<Record<string, string | undefined>>,
): OciCredentials {
  const { SKILLET_OCI_REGISTRY, SKILLET_OCI_USERNAME, SKILLET_OCI_PASSWORD } = environment;
  if (SKILLET_OCI_USERNAME && SKILLET_OCI_PASSWORD && SKILLET_OCI_REGISTRY === registry)
    return {
      pair: `${SKILLET_OCI_USERNAME}:${SKILLET_OCI_PASSWORD}`,
      advice: "check SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD",
    };
  const advice = `set SKILLET_OCI_REGISTRY=${registry}, SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD, or sign in with \`docker login\``;
  const file = dockerConfigPath(environment);
  return file === undefined ? { advice } : readDockerConfig(file, registry, advice);
}

function dockerConfigPath(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { DOCKER_CONFIG, HOME, USERPROFILE } = environment;
  if (DOCKER_CONFIG) return join(DOCKER_CONFIG, "config.json");
  const home = HOME || USERPROFILE;
  return home ? join(home, ".docker", "config.json") : undefined;
}

function readDockerConfig(file: string, registry: string, advice: string): OciCredentials {
  const bytes = readBoundedFile(file, { maxBytes: MAX_CONFIG_BYTES });
  if (bytes === undefined) return { advice };
  const config = parseJsonObject(bytes);
  if (config === undefined) {
    const message = `${file} is not a JSON object, so no credentials can be read from it; repair it, or point DOCKER_CONFIG elsewhere.`;
    throw new SkilletError("oci-credentials-malformed", message, { data: { file } });
  }
  const [auths, helpers] = [asObject(config.auths), asObject(config.credHelpers)];
  const renew = `check what ${file} has for it, or sign in again with \`docker login\``;
  const names = [registry, ...["", "/", "/v1/", "/v2/"].map((path) => `https://${registry}${path}`)];
  for (const name of names) {
    const entry = auths !== undefined && Object.hasOwn(auths, name) ? asObject(auths[name]) : undefined;
    const pair = Buffer.from(textOf(entry, "auth") ?? "", "base64").toString();
    if (pair.indexOf(":") > 0) return { pair, advice: renew };
    const [username, password] = [textOf(entry, "username"), textOf(entry, "password")];
    if (username !== undefined && password !== undefined)
      return { pair: `${username}:${password}`, advice: renew };
  }
  if (
    textOf(config, "credsStore") === undefined &&
    names.every((name) => textOf(helpers, name) === undefined)
  )
    return { advice };
  const why = `${file} leaves them to a credential helper, which Skillet does not run`;
  return {
    advice: `${why}; set SKILLET_OCI_REGISTRY=${registry}, SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD`,
  };
}
