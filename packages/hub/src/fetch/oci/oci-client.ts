import { SkilletError } from "@skillet/kit/errors";
import { parseJsonObject } from "@skillet/kit/json";
import type { FetchContext } from "../fetch-context.ts";
import { type Download, type DownloadOptions, download } from "../http/download.ts";
import { parseOciChallenge } from "./oci-challenge.ts";
import { readOciCredentials } from "./oci-credentials.ts";
import { checkOciPlace, isConfidential, type OciPlace, ociBase, showOci } from "./oci-place.ts";

const MAX_TOKEN_BYTES = 65_536;

/** Speaks with one repository of a registry, signing in when it is asked to. */
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

  /** Sends one request to a path below the repository, or to an address that the registry gave. */
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
    const basic =
      reading.credentials &&
      `Basic ${Buffer.from(`${reading.credentials.username}:${reading.credentials.password}`).toString("base64")}`;
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
