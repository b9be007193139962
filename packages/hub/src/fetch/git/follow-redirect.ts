import { SkilletError } from "@skillet/kit/errors";
import type { FetchContext } from "../fetch-context.ts";
import { nextLocation } from "../http/check-url.ts";
import type { GitRepository } from "./git-repository.ts";
import { checkedPins, type GitRoute, routeTo, serverOf } from "./git-route.ts";

// What git asks a server for first; a redirect must lead to the same of another repository.
const FIRST_PATH = "/info/refs";
const FIRST_QUERY = "?service=git-upload-pack";

/**
 * The route to where a server sends git, by what git traced of its answer.
 *
 * git itself would go to any address. Here it must be one that could have been asked for: from a public server only to
 * public or allowed ones, and never from https to http.
 */
export async function followRedirect(repository: GitRepository, trace: string): Promise<GitRoute> {
  const { context, directory, route } = repository;
  // An ssh server can say anything that git could have said.
  if (!/^https?:/.test(route.url)) throw refused(repository, "leads elsewhere, which only http can");
  const redirects = route.redirects + 1;
  if (redirects > context.limits.maxRedirects)
    throw refused(repository, `leads on more than ${context.limits.maxRedirects} times`);
  const next = locate(repository, trace);
  const url = `${next.origin}${next.pathname.slice(0, -FIRST_PATH.length)}`;
  const here = serverOf(route.url);
  const options = { context, directory, redirects };
  // Refuses a protocol before any name is looked up.
  const unpinned = routeTo(url, options);
  if (here?.origin === next.origin) return routeTo(url, { ...options, pins: route.pins });
  // Somebody's own network may lead about in itself.
  if (context.askedBy === "person" && here !== undefined && (await isPrivate(here, context))) return unpinned;
  return routeTo(url, { ...options, pins: await checkedPins(next, context) });
}

function locate(repository: GitRepository, trace: string): URL {
  const location = [...trace.matchAll(/<= Recv header: location:[ \t]*(\S+)/gi)].at(-1)?.[1];
  if (location === undefined) throw refused(repository, "leads to an address that it does not say");
  const asked = new URL(`${repository.route.url}${FIRST_PATH}${FIRST_QUERY}`);
  const next = nextOf(repository, { asked, location });
  if (!next.pathname.endsWith(FIRST_PATH) || next.search !== FIRST_QUERY)
    throw refused(repository, "leads to something that is no repository");
  return next;
}

function nextOf(
  repository: GitRepository,
  { asked, location }: { readonly asked: URL; readonly location: string },
): URL {
  try {
    const next = nextLocation(asked, {
      answer: { status: 301, headers: { location } },
      method: "GET",
    });
    return next ?? asked;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    throw refused(repository, "leads to an address that is not gone to", error);
  }
}

async function isPrivate(server: URL, context: FetchContext): Promise<boolean> {
  try {
    await checkedPins(server, { ...context, allowedPrivateHosts: [] });
    return false;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return error.code === "address-refused";
  }
}

function refused({ url }: GitRepository, what: string, cause?: SkilletError): SkilletError {
  const why = cause === undefined ? "" : ` ${cause.message}`;
  const message = `${url} ${what}; ask for the address where the repository is now.${why}`;
  return new SkilletError("git-redirect", message, { data: { url }, cause });
}
