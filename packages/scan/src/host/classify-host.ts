import { hostOf } from "@skillet/shell";
import { wordTable } from "../word-list.ts";
import { KNOWN_DOMAINS } from "./vendors.ts";

/** The kind of place that a host is. `unrelated` means only that it is not known. */
export type HostKind = NearHost | OpenHost | "known-vendor" | "code-host" | "package-registry" | "unrelated";
/** `unknown` until the skill runs: `http://$HOST/`. */
type NearHost = "loopback" | "private" | "placeholder" | "unknown";
/** Without a known owner, or open to anybody. */
type OpenHost = "raw-address" | "paste" | "shortener" | "tunnel" | "collector" | "webhook" | OpenStore;
type OpenStore = "free-hosting" | "file-sharing";

/**
 * Classifies the host of a URL, or a bare host name, by exact name or whole-label suffix, never by substring:
 * `github.com.evil.test` is unrelated.
 */
export function classifyHost(urlOrHost: string): HostKind {
  const host = hostOf(urlOrHost)?.replace(OPEN_LABELS, "");
  if (host === undefined || /[*${}<>%…]|^\.+$/.test(host) || host === "") return "unknown";
  if (isLoopback(host)) return "loopback";
  if (isPrivateAddress(host)) return "private";
  if (isRawAddress(host)) return "raw-address";
  if (isPlaceholder(host)) return "placeholder";
  if (isWebhook(host, urlOrHost)) return "webhook";
  const known = suffixesOf(host).find((suffix) => BY_SUFFIX.has(suffix));
  // A customer's name under a well-known service: `your-team.slack.com`.
  if (known !== undefined && known !== host && PLACEHOLDER_LABEL.test(host.split(".")[0] ?? ""))
    return "placeholder";
  return known === undefined ? "unrelated" : (BY_SUFFIX.get(known) ?? "unrelated");
}

// The owner of `collect.test` also controls `*.collect.test`, whatever the labels before it.
const OPEN_LABELS = /^[^/]{0,253}[*${}<>%…][^.]*\.(?=(?:[\w-]+\.)+[a-z]{2,}$)/;

export { hostOf };

/** Whether no outsider can be behind a host: this machine, its own network, or a name to be filled in. */
export function isNearHost(urlOrHost: string): boolean {
  return NEAR.has(classifyHost(urlOrHost));
}

const NEAR: ReadonlySet<string> = new Set(["loopback", "private", "placeholder"]);

/** The two or three last labels, under which a host is registered: `a.b.co.uk` gives `b.co.uk`. */
export function registeredDomain(host: string): string {
  const labels = host.split(".");
  const isSecondLevel = labels.length > 2 && SECOND_LEVEL.test(labels.slice(-2).join("."));
  return labels.slice(isSecondLevel ? -3 : -2).join(".");
}

const SECOND_LEVEL = /^(?:co|com|net|org|gov|edu|ac)\.[a-z]{2}$/;

function isWebhook(host: string, url: string): boolean {
  return WEBHOOK.some(([name, path]) => host === name && url.includes(`${name}${path}`));
}

function suffixesOf(host: string): string[] {
  const labels = host.split(".").slice(-5);
  return labels.map((_, index) => labels.slice(index).join("."));
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|::1|host\.docker\.internal)$/.test(
    host,
  );
}

/** Whether a host is a private network's address or name; a name without a dot is known nowhere else. */
function isPrivateAddress(host: string): boolean {
  return (
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) ||
    /^\[f[cd][0-9a-f]{2}:/.test(host) ||
    /^[a-z][a-z0-9_-]*$/.test(host) ||
    /\.(?:local|lan|home\.arpa|internal|intranet|svc|cluster\.local)$/.test(host)
  );
}

/** Whether a host is a public IP address, in any notation: dotted, hexadecimal, octal, one number, IPv6. */
function isRawAddress(host: string): boolean {
  return (
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ||
    /^(?:0x[0-9a-f]{1,8}|\d{8,10}|0[0-7]{9,12})$/.test(host) ||
    /^(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})(?:\.(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})){3}$/.test(host) ||
    /^\[[0-9a-f:.]+\]$/.test(host)
  );
}

/** Whether the reader is to replace the host. `.test` is left out: fixtures of attacks use it. */
function isPlaceholder(host: string): boolean {
  if (/(?:^|\.)example\.(?:com|org|net|edu|io|dev|ai|co)$/.test(host) || /\.(?:example|invalid)$/.test(host))
    return true;
  const labels = host.split(".");
  // The owner of a name can put any label before it, so only the registered one counts.
  const registered = labels.at(/^(?:co|com)$/.test(labels.at(-2) ?? "") ? -3 : -2) ?? "";
  return (
    PLACEHOLDER_LABEL.test(registered) ||
    /^(?:domain|website|hostname|host|server)\.(?:com|org|net|io|tld)$/.test(host)
  );
}

/** A label that asks to be replaced: `your-domain`, `my-app`. Whole words only: `yourlogs` is a name. */
const PLACEHOLDER_LABEL =
  /^(?:your|my|the)[-_]?(?:own[-_]?)?(?:real[-_]?|custom[-_]?|production[-_]?|prod[-_]?)?(?:domain|server|site|host|hostname|app|api|instance|company|org|organi[sz]ation|website|endpoint|url|project|workspace|subdomain|tenant|store|shop|service|backend|name|username|account|cluster|bucket|region|team|business|brand|product|blog|platform|proxy|gateway|registry|cdn|client|corp|agency|startup|saas|webhook|n8n|gitlab|jira|wiki|db|database|machine|ip)(?:[-_]?(?:here|name|domain|url|id|host|api|site))?$|^(?:foo|bar|foobar|foo-bar|xxx+|yyy+|acme)$/;

/** Host and start of path of chat services that take a message from anyone who knows the address. */
const WEBHOOK: readonly (readonly [host: string, path: string])[] = [
  ["discord.com", "/api/webhooks/"],
  ["discordapp.com", "/api/webhooks/"],
  ["canary.discord.com", "/api/webhooks/"],
  ["ptb.discord.com", "/api/webhooks/"],
  ["hooks.slack.com", "/services/"],
  ["api.telegram.org", "/bot"],
  ["hooks.zapier.com", "/hooks/"],
  ["maker.ifttt.com", "/trigger/"],
  ["ntfy.sh", "/"],
  ["formspree.io", "/"],
  ["script.google.com", "/macros/"],
];

// Public places where anyone can put a text, a file, a page or an endpoint, and well-known hosts, by
// registered suffix. They say how much an address reveals about its owner; none of them alone is an indicator
// of an attack. The first entry that names a host counts.
const HOSTS = wordTable<HostKind>(`
  paste pastebin.com paste.ee paste.rs pastes.io paste.debian.net dpaste.com dpaste.org hastebin.com
      ghostbin.com rentry.co rentry.org glot.io controlc.com justpaste.it ix.io sprunge.us termbin.com 0bin.net
      privatebin.net gist.githubusercontent.com snippet.host write.as telegra.ph bpa.st paste.centos.org
      jsonbin.io textbin.net pastie.org
  shortener bit.ly tinyurl.com t.co goo.gl is.gd v.gd ow.ly cutt.ly rb.gy shorturl.at tiny.cc rebrand.ly bit.do
      t.ly s.id soo.gd clck.ru dub.sh lnkd.in buff.ly shorte.st qr.ae git.io
  tunnel ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt localtunnel.me
      serveo.net localhost.run lhr.life bore.pub pinggy.io pinggy.link telebit.io playit.gg tunnelto.dev
      devtunnels.ms ts.net onion duckdns.org no-ip.org ddns.net hopto.org zapto.org
  collector webhook.site requestbin.com requestbin.net pipedream.net requestcatcher.com beeceptor.com
      hookbin.com requestinspector.com postb.in putsreq.com oast.fun oast.live oast.me oast.online oast.pro
      oast.site interact.sh interactsh.com burpcollaborator.net oastify.com canarytokens.com dnslog.cn ceye.io
      webhookrelay.com hookdeck.com typedwebhook.tools mockbin.org webhook-test.com grabify.link iplogger.org
      ipify.cc
  file-sharing transfer.sh file.io 0x0.st anonfiles.com gofile.io mega.nz mediafire.com wetransfer.com we.tl
      catbox.moe litter.catbox.moe tmpfiles.org temp.sh bashupload.com uguu.se filebin.net sendspace.com
      zippyshare.com dropmefiles.com ufile.io pixeldrain.com cdn.discordapp.com media.discordapp.net dropbox.com
      dropboxusercontent.com drive.google.com docs.google.com 1drv.ms disk.yandex.ru workupload.com oshi.at
  free-hosting vercel.app netlify.app pages.dev workers.dev herokuapp.com onrender.com fly.dev railway.app
      up.railway.app repl.co replit.app replit.dev glitch.me surge.sh web.app firebaseapp.com github.io
      gitlab.io 000webhostapp.com wixsite.com weebly.com blogspot.com wordpress.com azurewebsites.net
      cloudfront.net appspot.com run.app deno.dev val.run hf.space streamlit.app lovable.app framer.app
      framer.website carrd.co notion.site sites.google.com r2.dev s3.amazonaws.com b-cdn.net infinityfreeapp.com
      neocities.org tiiny.site bolt.host vercel.sh
  package-registry npmjs.com npmjs.org pypi.org pythonhosted.org crates.io rubygems.org pkg.go.dev
      proxy.golang.org packagist.org nuget.org hub.docker.com docker.io ghcr.io quay.io gcr.io formulae.brew.sh
      brew.sh packages.debian.org launchpad.net flathub.org snapcraft.io chocolatey.org
      marketplace.visualstudio.com open-vsx.org apps.apple.com play.google.com microsoft.com huggingface.co
      maven.org jitpack.io anaconda.org conda.io
  code-host github.com raw.githubusercontent.com objects.githubusercontent.com codeload.github.com
      api.github.com gist.github.com gitlab.com bitbucket.org codeberg.org sr.ht sourceforge.net gitee.com
      cdn.jsdelivr.net unpkg.com esm.sh cdnjs.cloudflare.com
`);

// The narrower name wins: `gist.githubusercontent.com` is a paste, regardless of who owns its parent.
const BY_SUFFIX: ReadonlyMap<string, HostKind> = new Map([
  ...Array.from(KNOWN_DOMAINS, (host): [string, HostKind] => [host, "known-vendor"]),
  ...HOSTS,
]);
