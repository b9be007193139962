import { isShellName } from "../note-remote-shell.ts";
import { readOptions } from "../read-options.ts";
import type { Program } from "../shell-call.ts";
import { EMPTY, unknown } from "../value.ts";
import { tellingSources } from "./telling-sources.ts";

const netcat: Program = ({ program, words, texts, input }, shell) => {
  const options = readOptions(words, {
    short: "ecpswiqXxo",
    long: new Set(["--exec", "--sh-exec", "--lua-exec", "--source-port"]),
  });
  const listens = texts.some((text) => /^-[a-z]*l|^--listen$/.test(text));
  const host = listens ? "0.0.0.0" : (options.operands[0]?.text ?? "*");
  const runs = [
    ...(options.values.get("-e") ?? []),
    ...(options.values.get("-c") ?? []),
    ...(options.values.get("--exec") ?? []),
    ...(options.values.get("--sh-exec") ?? []),
  ];
  if (runs.some(({ text }) => text.split(/\s+/, 3).some(isShellName)) || input?.isShell === true)
    shell.act({ type: "remote-shell", host, how: program });
  if (listens) shell.act({ type: "listen", address: options.operands.map(({ text }) => text).join(" ") });
  const isProbe = texts.some((text) => /^-[a-z]*z/.test(text));
  if (isProbe) return EMPTY;
  shell.flow(tellingSources([input]), { type: "network", how: "socket", host });
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

const socat: Program = ({ texts, input }, shell) => {
  const joined = texts.join(" ");
  const listens = /(?:tcp|udp|openssl|ssl|sctp)[46]?-l(?:isten)?:/i.test(joined);
  const host = listens
    ? "0.0.0.0"
    : (/(?:tcp|udp|openssl|ssl)[46]?(?:-connect)?:([^:,\s]{1,200})/i.exec(joined)?.[1] ?? "*");
  const hasNetwork = /(?:tcp|udp|openssl|ssl|sctp)[46]?(?:-listen|-connect|-l)?:/i.test(joined);
  const runsShell =
    /\b(?:exec|system):["']?[^\s,]{0,60}?(?:ba|z|da|k)?sh\b|\b(?:exec|system):["']?(?:cmd|powershell)/i.test(
      joined,
    );
  if (hasNetwork && (runsShell || input?.isShell === true))
    shell.act({ type: "remote-shell", host, how: "socat" });
  if (/-listen:/i.test(joined)) shell.act({ type: "listen", address: joined.slice(0, 100) });
  shell.flow(tellingSources([input]), { type: "network", how: "socket", host });
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

const tunnel: Program = ({ program, texts }, shell) => {
  if (/^(?:http|tcp|tunnel|start|tls|--url|share|serve|funnel)/.test(texts[0] ?? ""))
    shell.act({ type: "listen", address: `${program} ${texts.slice(0, 3).join(" ")}` });
  return EMPTY;
};

/** Programs that open a connection for whatever is piped to them. */
export const SOCKET_TOOLS: readonly (readonly [string, Program])[] = [
  ...["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "telnet"].map(
    (name) => [name, netcat] as const,
  ),
  ["socat", socat],
  ...["ngrok", "cloudflared", "lt", "localtunnel", "bore", "frpc", "tailscale"].map(
    (name) => [name, tunnel] as const,
  ),
];
