import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  const servers: Server[] = [];
  let port = 0;
  const abstractName = `skillet-abstract-${process.pid}-${identity === "root" ? "r" : "u"}`;

  beforeAll(async () => {
    attacker = await Attacker.open(identity);
    const open = async (where: object): Promise<Server> => {
      const server = createServer((socket) => socket.end("REACHED"));
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(where, resolve);
      });
      return server;
    };
    const address = (await open({ port: 0, host: "0.0.0.0" })).address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    await open({ path: join(attacker.workspace, "agent.sock"), readableAll: true, writableAll: true });
    await open({ path: `\0${abstractName}` });
  });
  afterAll(() => {
    for (const server of servers) server.close();
    attacker?.close();
  });

  test("neither loopback nor the machine's own address nor the outside can be reached", async () => {
    const own = Object.values(networkInterfaces())
      .flat()
      .find((entry) => entry?.family === "IPv4" && !entry.internal)?.address;
    const attempts = {
      loopback: connectTo("127.0.0.1"),
      ...(own !== undefined && { "the machine's own address": connectTo(own) }),
    };
    const outside = {
      "the outside": `
plug = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
plug.settimeout(5)
plug.connect(("192.0.2.1", 80))`,
      "the outside by datagram": `
plug = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
plug.sendto(b"x", ("192.0.2.1", 53))`,
      "the outside over version 6": `
plug = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
plug.settimeout(5)
plug.connect(("2001:db8::1", 80))`,
      "a name": `socket.getaddrinfo("example.org", 80)`,
      "raw packets": `socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)`,
      "packets of the link": `socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
      "the virtual machine's host": `socket.socket(40, socket.SOCK_STREAM)`,
    };
    const everything = { ...attempts, ...outside };
    expect(await found(attackProgram(everything))).toEqual(all(everything, "held"));
    expect(await found(attackProgram(attempts), { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("neither a socket in the workspace nor one without a file can be reached", async () => {
    const attempts = {
      "a socket in the workspace": unixTo('"agent.sock"'),
      "a socket without a file": unixTo(`("\\0${abstractName}").ljust(108, "\\0")`),
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
    expect(await found(attackProgram(attempts), { writable: [attacker.workspace] })).toEqual(
      all(attempts, "held"),
    );
    expect(await found(attackProgram(attempts), { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("a granted host is reached through the proxy, and nothing else is", async () => {
    const other = createServer((socket) => socket.end("REACHED"));
    servers.push(other);
    await new Promise<void>((resolve) => other.listen({ port: 0, host: "127.0.0.1" }, resolve));
    const address = other.address();
    const otherPort = typeof address === "object" && address !== null ? address.port : 0;
    const tunnelTo = (target: string): string => `
plug = socket.create_connection(("127.0.0.1", 3128), 10)
plug.sendall(b"CONNECT ${target} HTTP/1.1\\r\\nHost: ${target}\\r\\n\\r\\n")
answer = b""
while b"REACHED" not in answer:
    piece = plug.recv(1000)
    must(piece)
    answer += piece`;
    const granted = { "the granted host": tunnelTo(`127.0.0.1:${port}`) };
    const attempts = {
      "another port": tunnelTo(`127.0.0.1:${otherPort}`),
      "another spelling of it": tunnelTo(`2130706433:${otherPort}`),
      "another name": tunnelTo(`localhost:${port}`),
      "around the proxy": connectTo("127.0.0.1"),
      "a socket in the workspace": unixTo('"agent.sock"'),
      "a socket without a file": unixTo(`("\\0${abstractName}").ljust(108, "\\0")`),
      "a host that answers for the cloud": tunnelTo("169.254.169.254:80"),
    };
    expect(
      await found(attackProgram({ ...granted, ...attempts }), { network: [`127.0.0.1:${port}`] }),
    ).toEqual({ ...all(granted, "through"), ...all(attempts, "held") });
    expect(await found(attackProgram(granted))).toEqual(all(granted, "held"));
  });

  const found = async (program: string, options = {}): Promise<unknown> =>
    JSON.parse((await attacker.attack(program, options)).stdout);
  const connectTo = (host: string): string => `
plug = socket.create_connection(("${host}", ${port}), 5)
must(plug.recv(10) == b"REACHED")`;
  const unixTo = (address: string): string => `
plug = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
plug.settimeout(5)
plug.connect(${address})
must(plug.recv(10) == b"REACHED")`;
});
