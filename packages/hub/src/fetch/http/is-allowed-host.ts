const PORTS: ReadonlyMap<string, string> = new Map([
  ["http:", "80"],
  ["https:", "443"],
  ["ssh:", "22"],
]);

/** Whether `name` or `name:port` of a URL is in a list of hosts; case and a trailing dot do not count. */
export function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  const name = plain(url.hostname);
  const port = url.port === "" ? PORTS.get(url.protocol) : url.port;
  const spellings = new Set([name, `${name}:${port}`, ...(name.startsWith("[") ? [name.slice(1, -1)] : [])]);
  return hosts.some((host) => spellings.has(plain(host)));
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, "");
}
