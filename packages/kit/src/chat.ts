/** Where a model is asked, or why it is not; what is shown of the endpoint holds no password and no key. */
export type ChatAddress = { readonly url: URL } | { readonly shown: string; readonly problem: string };

/**
 * The address of chat completions below an endpoint of the user's: https, or this very machine.
 *
 * @example
 * chatAddress("http://127.0.0.1:11434/v1"); // { url: http://127.0.0.1:11434/v1/chat/completions }
 */
export function chatAddress(endpoint: string): ChatAddress {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  // What stands there is not repeated: "user:password@host" is no address, and holds a password.
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return { shown: "The endpoint", problem: "it is no address of https" };
  const shown = JSON.stringify(`${url.origin}${url.pathname}`);
  if (url.username !== "" || url.password !== "")
    return { shown, problem: "it holds a user name or a password" };
  if (url.search !== "" || url.hash !== "") return { shown, problem: "it has a query or a fragment" };
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return {
      shown,
      problem: "whoever listens could read skills and key; only https, or this machine, will do",
    };
  url.pathname = `${url.pathname.replace(/\/$/, "")}/chat/completions`;
  return { url };
}

// The URL parser writes every spelling of an address in one way: 0x7f.1 is 127.0.0.1 by now.
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
