export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    host === "0.0.0.0" ||
    host === "[::1]" ||
    host === "::1" ||
    host === "host.docker.internal"
  );
}

/** Whether a host is an address, or a name, of a private network; a name without a dot is known nowhere else. */
export function isPrivateAddress(host: string): boolean {
  return (
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) ||
    /^\[f[cd][0-9a-f]{2}:/.test(host) ||
    /^[a-z][a-z0-9_-]*$/.test(host) ||
    /\.(?:local|lan|home\.arpa|internal|intranet|svc|cluster\.local)$/.test(host)
  );
}

/** Whether a host is a public address without a name, however it is spelled: dotted, hexadecimal, octal, one number, IPv6. */
export function isRawAddress(host: string): boolean {
  return (
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ||
    /^(?:0x[0-9a-f]{1,8}|\d{8,10}|0[0-7]{9,12})$/.test(host) ||
    /^(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})(?:\.(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})){3}$/.test(host) ||
    /^\[[0-9a-f:.]+\]$/.test(host)
  );
}

/** Whether a host stands for one that the reader is to put in. `.test` is left out: fixtures of attacks use it. */
export function isPlaceholder(host: string): boolean {
  if (/(?:^|\.)example\.(?:com|org|net|edu|io|dev|ai|co)$/.test(host) || /\.(?:example|invalid)$/.test(host))
    return true;
  const labels = host.split(".");
  // The owner of a name can put any label before it: only the registered one tells.
  const registered = labels.at(/^(?:co|com)$/.test(labels.at(-2) ?? "") ? -3 : -2) ?? "";
  return (
    isPlaceholderLabel(registered) ||
    /^(?:domain|website|hostname|host|server)\.(?:com|org|net|io|tld)$/.test(host)
  );
}

/** Whether a label says that another is to be put in its place: `your-domain`, `my-app`. Whole words: `yourlogs` is a name. */
export function isPlaceholderLabel(label: string): boolean {
  return PLACEHOLDER_LABEL.test(label);
}

const PLACEHOLDER_LABEL =
  /^(?:your|my|the)[-_]?(?:own[-_]?)?(?:real[-_]?|custom[-_]?|production[-_]?|prod[-_]?)?(?:domain|server|site|host|hostname|app|api|instance|company|org|organi[sz]ation|website|endpoint|url|project|workspace|subdomain|tenant|store|shop|service|backend|name|username|account|cluster|bucket|region|team|business|brand|product|blog|platform|proxy|gateway|registry|cdn|client|corp|agency|startup|saas|webhook|n8n|gitlab|jira|wiki|db|database|machine|ip)(?:[-_]?(?:here|name|domain|url|id|host|api|site))?$|^(?:foo|bar|foobar|foo-bar|xxx+|yyy+|acme)$/;
