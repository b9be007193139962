import { SkilletError } from "@skillet/core";

/** The address of chat completions below an endpoint, or `judge-endpoint-invalid`: https, or this very machine. */
export function checkEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) throw invalid(endpoint, "it is no address");
  if (url.username !== "" || url.password !== "")
    throw invalid(url.host, "it holds a user name or a password");
  const isHere = url.protocol === "http:" && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !isHere)
    throw invalid(
      endpoint,
      "whoever listens could read skills and key; only https, or this machine, will do",
    );
  if (url.search !== "" || url.hash !== "") throw invalid(endpoint, "it has a query or a fragment");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/chat/completions`;
  return url;
}

// The URL parser writes every spelling of an address in one way: 0x7f.1 is 127.0.0.1 by now.
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function invalid(endpoint: string, why: string): SkilletError {
  return new SkilletError(
    "judge-endpoint-invalid",
    `${JSON.stringify(endpoint)} cannot be asked for a second opinion: ${why}. Set scan.judge.endpoint to an address like https://api.openai.com/v1.`,
    { data: { endpoint } },
  );
}
