import type { Diagnostic } from "@skillet/kit/diagnostics";
import { fieldOf, isJsonObject } from "@skillet/kit/json";
import { isLoopback, parseUrl } from "@skillet/kit/network";
import {
  array,
  lenient,
  matching,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Schema,
} from "@skillet/kit/schema";
import { asSentence } from "../format/fault-list.ts";
import {
  checkPluginFile,
  isPluginPath,
  MAX_PLUGIN_FAULTS,
  parsePluginFile,
} from "../registry/agent-plugin.ts";
import type { ServerDefinition } from "./mcp-servers.ts";

/**
 * Reads the `mcp.json` of an Agent Plugin, given its manifest's `$schema`. A bad entry costs that server
 * alone, a bad document all servers.
 */
export function readAgentPluginServers(
  bytes: Uint8Array,
  { file, schema }: { readonly file: string; readonly schema: string },
): { readonly servers: readonly ServerDefinition[]; readonly diagnostics: readonly Diagnostic[] } {
  const ofSameVersion = oneOf([schema.replace(/plugin(?=\.schema\.json$)/, "mcp")]);
  const document = object<{
    readonly $schema: string;
    readonly mcpServers: Readonly<Record<string, Server>>;
  }>({ $schema: ofSameVersion, mcpServers: record(lenient(server)) }, { unknown: "refuse" });
  const { value, faults } = checkPluginFile(parsePluginFile(bytes), file, document);
  return {
    servers: Object.entries(value?.mcpServers ?? {}).map(([name, one]) => ({ name, ...one })),
    diagnostics: faults.slice(0, MAX_PLUGIN_FAULTS).map(({ path, place }) => {
      const what = path.length > 1 ? "this server is not used" : "no server of this plugin is used";
      const message = asSentence(place.message, `, so ${what}`);
      return { code: "agent-plugin-server-skipped", severity: "error", ...place, message };
    }),
  };
}

type Server = Omit<ServerDefinition, "name">;

// Arguments of a process cannot contain NUL.
const plain = matching(/^[^\0]*$/, "text without NUL characters");

const command: Schema<string> = refine(plain, (value, reading) =>
  /^[^\s/\\]+$/.test(value) || isPluginPath(value)
    ? value
    : reading.refuse(
        value,
        "the name of a program, or a path in the plugin that begins with ./",
        "put arguments into `args`, and write paths like ./bin/server",
      ),
);

const workingDirectory: Schema<string> = refine(plain, (value, reading) =>
  isPluginPath(value.replace(/^\$\{PLUGIN_(?:ROOT|DATA)\}(?=\/|$)/, "./"))
    ? value
    : reading.refuse(
        value,
        `a folder of the plugin or its data: ./…, \${PLUGIN_ROOT}/… or \${PLUGIN_DATA}/…`,
        "write it like ./work",
      ),
);

const variable = matching(
  /^(?!PLUGIN_(?:ROOT|DATA)$)[^=\0]+$/,
  "the name of a variable other than PLUGIN_ROOT and PLUGIN_DATA",
  "remove it; these two are set in any case",
);

/** A server's address: https, or http on this machine, without credentials. */
export const serverUrl: Schema<string> = refine(plain, (value, reading) => {
  const address = parseUrl(value);
  const isHttp = address?.protocol === "http:" && isLoopback(address.hostname);
  if (address === undefined || (address.protocol !== "https:" && !isHttp))
    return reading.refuse(value, "an https address, or http on this machine", "use https");
  if (address.username !== "" || address.password !== "" || value.includes("#"))
    return reading.fault("has a user, a password or a fragment", { hint: "leave these out" });
  return value;
});

const headers = refine(
  record(matching(/^[\t\x20-\x7e\x80-\xff]*$/, "the value of an HTTP header"), {
    key: matching(/^[\w!#$%&'*+.^`|~-]+$/, "the name of an HTTP header"),
  }),
  (value, reading) => {
    const names = Object.keys(value).map((name) => name.toLowerCase());
    if (new Set(names).size === names.length) return value;
    return reading.fault("names a header twice", { hint: "keep one spelling of it" });
  },
);

const type = oneOf(["stdio", "streamable-http", "sse"]);

const processServer = object<
  { readonly type: string; readonly command: string } & Pick<Server, "args" | "env" | "cwd">
>(
  {
    type,
    command,
    args: optional(array(plain)),
    cwd: optional(workingDirectory),
    env: optional(record(plain, { key: variable })),
  },
  { unknown: "refuse" },
);

const remoteServer = object<{ readonly type: string; readonly url: string } & Pick<Server, "headers">>(
  { type, url: serverUrl, headers: optional(headers) },
  { unknown: "refuse" },
);

const server: Schema<Server> = (value, reading) => {
  if (!isJsonObject(value)) return reading.refuseObject(value);
  const given = fieldOf(value, "type");
  const kind = given === undefined ? reading.lacks("type") : reading.inside("type", type, given);
  if (kind === undefined) return undefined;
  return kind === "stdio" ? processServer(value, reading) : remoteServer(value, reading);
};
