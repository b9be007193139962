import type { Diagnostic } from "@skillet/kit/diagnostics";
import { fieldOf, isJsonObject } from "@skillet/kit/json";
import { parseUrl } from "@skillet/kit/network";
import {
  array,
  lenient,
  matching,
  object,
  oneOf,
  optional,
  readDocument,
  record,
  refine,
  type Schema,
} from "@skillet/kit/schema";
import {
  agentPluginVersion,
  isPluginPath,
  locateDocument,
  placed,
  sentence,
} from "../registry/agent-plugin.ts";
import type { ServerDefinition } from "./mcp-servers.ts";

const MAX_FAULTS = 20;

/**
 * Reads the `mcp.json` of an Agent Plugin, given the `$schema` of its manifest. A bad entry costs that server alone, and a
 * bad document all of them.
 */
export function readAgentPluginServers(
  bytes: Uint8Array,
  { file, schema }: { readonly file: string; readonly schema: string },
): { readonly servers: readonly ServerDefinition[]; readonly diagnostics: readonly Diagnostic[] } {
  const document = locateDocument(bytes);
  if ("fault" in document) {
    const { message, range } = document.fault;
    const at = { file, ...(range && { range }) };
    return { servers: [], diagnostics: [skipped(message, { ...at, hint: "Correct the file." })] };
  }
  const { value, faults } = readDocument(documentFor(schema), document.value, {
    name: "mcp.json",
    maxFaults: Number.POSITIVE_INFINITY,
  });
  const diagnostics = faults.slice(0, MAX_FAULTS).map(({ message, hint = "correct it", ...fault }) => {
    const [first, server] = fault.path;
    const name = first === "mcpServers" && server !== undefined ? String(server) : undefined;
    return skipped(message, { ...placed(fault, document.locate, file), hint: sentence(hint) }, name);
  });
  const servers = Object.entries(value?.mcpServers ?? {}).map(([name, server]) => ({ name, ...server }));
  return { servers, diagnostics };
}

function skipped(
  message: string,
  at: Pick<Diagnostic, "file" | "range" | "hint">,
  server?: string,
): Diagnostic {
  const what = server === undefined ? "no server of this plugin is used" : "this server is not used";
  const text = sentence(`${message}, so ${what}`);
  return { code: "agent-plugin-server-skipped", severity: "error", ...at, message: text };
}

type ProcessServer = Pick<ServerDefinition, "args" | "env" | "cwd"> & {
  readonly type: "stdio";
  readonly command: string;
};

type RemoteServer = Pick<ServerDefinition, "headers"> & {
  readonly type: "streamable-http" | "sse";
  readonly url: string;
};

interface ServerDocument {
  readonly $schema: string;
  readonly mcpServers: Readonly<Record<string, ProcessServer | RemoteServer>>;
}

function documentFor(manifestSchema: string): Schema<ServerDocument> {
  const version = agentPluginVersion(manifestSchema, "plugin");
  const expected = `https://agent-plugins.org/schemas/${version ?? "1.0.0"}/mcp.schema.json`;
  return object<ServerDocument>(
    { $schema: oneOf([expected]), mcpServers: record(lenient(server)) },
    { unknown: "refuse" },
  );
}

// A process cannot be given a NUL.
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

// By the address as it is connected to, so that no other spelling of a host passes.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const url: Schema<string> = refine(plain, (value, reading) => {
  const address = parseUrl(value);
  const isHttp = address?.protocol === "http:" && LOOPBACK.test(address.hostname);
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

const processServer = object<ProcessServer>(
  {
    type: oneOf(["stdio"]),
    command,
    args: optional(array(plain)),
    env: optional(record(plain, { key: variable })),
    cwd: optional(workingDirectory),
  },
  { unknown: "refuse" },
);

const remoteServer = object<RemoteServer>(
  { type: oneOf(["streamable-http", "sse"]), url, headers: optional(headers) },
  { unknown: "refuse" },
);

const TYPES = oneOf(["stdio", "streamable-http", "sse"]);

const server: Schema<ProcessServer | RemoteServer> = (value, reading) => {
  if (!isJsonObject(value)) return reading.refuseObject(value);
  const given = fieldOf(value, "type");
  const type = given === undefined ? reading.lacks("type") : reading.inside("type", TYPES, given);
  if (type === undefined) return undefined;
  return type === "stdio" ? processServer(value, reading) : remoteServer(value, reading);
};
