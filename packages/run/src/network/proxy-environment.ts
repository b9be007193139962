/** Where, inside the sandbox, the bridge waits for connections. */
export const BRIDGE_PORT = 3128;

/** The variables that make programs in the sandbox go through the proxy. */
export function proxyEnvironment(): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${BRIDGE_PORT}`;
  return {
    // curl reads http_proxy in lower case alone, others read upper case alone.
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    // Empty: a grant for localhost means the machine outside, which only the proxy can reach.
    no_proxy: "",
    NO_PROXY: "",
    // fetch of Node 22.21 and 24 on; Node 20 has no such setting, scripts must then ask the proxy themselves.
    NODE_USE_ENV_PROXY: "1",
  };
}
