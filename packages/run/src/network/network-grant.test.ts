import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findGrant,
  formatAuthority,
  type NetworkGrant,
  parseNetworkGrant,
  reachableAddresses,
} from "./network-grant.ts";

function faultOf(text: string): string {
  try {
    const grant = parseNetworkGrant(text);
    return `taken as ${JSON.stringify(grant)}`;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    expect(error.code).toBe("network-grant-invalid");
    return error.message;
  }
}

describe("a network grant", () => {
  test.each([
    ["api.example.org", { host: "api.example.org" }],
    ["api.example.org:8443", { host: "api.example.org", port: 8443 }],
    ["API.Example.ORG.", { host: "api.example.org" }],
    ["*.example.org", { host: "*.example.org" }],
    ["*.Example.org.:8443", { host: "*.example.org", port: 8443 }],
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["[0:0::0001]", { host: "::1" }],
    ["localhost:3000", { host: "localhost", port: 3000 }],
    ["bücher.example", { host: "xn--bcher-kva.example" }],
    ["例え。テスト", { host: "xn--r8jz45g.xn--zckzah" }],
    ["my_bucket.s3.example.org", { host: "my_bucket.s3.example.org" }],
  ])("%s is read", (text, grant) => {
    expect(parseNetworkGrant(text)).toEqual(grant);
  });

  test.each([
    ["", "it is empty"],
    ["a".repeat(301), "more than 300 characters"],
    ["api.example.org ", "white space"],
    ["api.example.org\0", "white space or control"],
    ["https://api.example.org", "scheme"],
    ["user@api.example.org", "user"],
    ["api.example.org/path", "path"],
    ["api.example.org?x", "path"],
    ["api\\example.org", "path"],
    ["*", "every host"],
    ["*.", "every host"],
    ["*:443", "every host"],
    ["*.com", "many owners"],
    ["*.localhost", "many owners"],
    ["*.co.uk", "many owners"],
    ["*.127.0.0.1", "before an address"],
    ["*example.org", "whole labels"],
    ["api.*.org", "whole labels"],
    ["*.*.example.org", "whole labels"],
    ["api..example.org", "not a host name"],
    [".example.org", "not a host name"],
    ["api.example.org..", "not a host name"],
    ["-api.example.org", "not a host name"],
    ["exa%6dple.org", "not a host name"],
    [`${"a".repeat(64)}.org`, "not a host name"],
    ["xn--a.org", "not a host name"],
    ["api.example.org:0", "1 to 65535"],
    ["api.example.org:65536", "1 to 65535"],
    ["api.example.org:080", "1 to 65535"],
    ["api.example.org:", "1 to 65535"],
    ["api.example.org:http", "1 to 65535"],
    ["::1", "brackets"],
    ["::1:8080", "brackets"],
    ["[fe80::1%eth0]", "zone"],
    ["[::1", "brackets"],
    ["[::ffff:127.0.0.1]:80", "is IPv4-mapped"],
    ["0x7f.1", "four decimal numbers"],
    ["2130706433", "four decimal numbers"],
    ["127.1", "four decimal numbers"],
    ["0177.0.0.1", "four decimal numbers"],
    ["127.0.0.1.", "four decimal numbers"],
    ["127.0.0.256:80", "four decimal numbers"],
    ["１２７.0.0.1", "four decimal numbers"],
  ])("%j is refused with its reason", (text, reason) => {
    expect(faultOf(text)).toContain(reason);
  });

  test("is read the same again from what was read", () => {
    const label = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/);
    const host = fc.oneof(
      fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => `${labels.join(".")}.Test`),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("", "*."),
        host,
        fc.option(fc.integer({ min: 1, max: 65_535 })),
        (star, name, port) => {
          let grant: ReturnType<typeof parseNetworkGrant>;
          try {
            grant = parseNetworkGrant(`${star}${name}${port === null ? "" : `:${port}`}`);
          } catch (error) {
            // Labels such as xn--1 are no Punycode, and a star stands before no address.
            fc.pre(!SkilletError.isInstance(error));
            throw error;
          }
          expect(parseNetworkGrant(formatAuthority(grant))).toEqual(grant);
        },
      ),
    );
  });

  test("never has anything but a name, a wildcard or an address, whatever was written", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(..."aZ0-._:[]*/@%x１。 \u0000"), maxLength: 20 }),
    );
    fc.assert(
      fc.property(text, (written) => {
        try {
          const { host, port = 1 } = parseNetworkGrant(written);
          expect(host).toMatch(/^(?:\*\.)?[a-z0-9_][a-z0-9._-]*$|^[0-9a-f:]+$/);
          expect(host).not.toMatch(/\.\.|\.$/);
          expect(port > 0 && port < 65_536).toBe(true);
        } catch (error) {
          if (!SkilletError.isInstance(error)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const covers = (granted: { host: string; port?: number }, host: string, port: number): boolean =>
  findGrant([granted], { host, port }) === granted;

test("a grant without a port is for 80 and 443, one with a port for that alone", () => {
  expect([80, 443, 8080].map((port) => covers({ host: "a.test" }, "a.test", port))).toEqual([
    true,
    true,
    false,
  ]);
  const asked = [80, 443, 8080].map((port) => covers({ host: "a.test", port: 8080 }, "a.test", port));
  expect(asked).toEqual([false, false, true]);
});

test("a wildcard covers what is below its name, and neither the name nor others that end alike", () => {
  const hosts = [
    "a.example.org",
    "b.a.example.org",
    "example.org",
    "evilexample.org",
    "a.example.org.evil.test",
  ];
  const covered = hosts.filter((host) => covers({ host: "*.example.org" }, host, 443));
  expect(covered).toEqual(["a.example.org", "b.a.example.org"]);
});

test("no wildcard covers an address, and a star alone covers nothing", () => {
  expect(covers({ host: "*.0.1" }, "127.0.0.1", 80)).toBe(false);
  expect(covers({ host: "*" }, "a.test", 80)).toBe(false);
  expect(covers({ host: "*." }, "a.test", 80)).toBe(false);
});

const never = (): never => {
  throw new Error("no look-up may happen");
};

test("an address and localhost are not looked up", async () => {
  const reach = (host: string) => reachableAddresses({ host, port: 80 }, { grants: [], resolve: never });
  expect(await reach("10.0.0.5")).toEqual({ addresses: ["10.0.0.5"], refused: [] });
  expect(await reach("localhost")).toEqual({ addresses: ["127.0.0.1", "::1"], refused: [] });
});

describe("of a name's addresses", () => {
  // A machine may have a public address of its own.
  const own = ["10.1.2.3", "8.8.4.4", "2a01:4f8::5"];
  const never = [
    "169.254.169.254",
    "127.0.0.1",
    "100.100.100.200",
    "::ffff:127.0.0.1",
    "fd00:ec2::254",
    ...own,
  ];
  const answers = [...never, "10.0.0.5", "172.31.0.6", "192.168.7.7", "8.8.8.8"];
  const reach = (grants: readonly NetworkGrant[]) =>
    reachableAddresses({ host: "a.api.test", port: 443 }, { grants, resolve: async () => answers, own });

  test("a host that is granted by its name is reached in a private network, and never on this machine", async () => {
    const { addresses, refused } = await reach([{ host: "a.api.test" }]);
    expect(addresses).toEqual(["10.0.0.5", "172.31.0.6", "192.168.7.7", "8.8.8.8"]);
    expect(refused).toEqual(answers.filter((address) => !addresses.includes(address)));
  });

  test("a wildcard reaches the public ones alone", async () => {
    expect((await reach([{ host: "*.api.test" }])).addresses).toEqual(["8.8.8.8"]);
  });

  test("one that a grant names at that port is reached, wherever it is", async () => {
    const grants = [{ host: "*.api.test" }, { host: "127.0.0.1" }, { host: "10.0.0.5", port: 8080 }];
    expect((await reach(grants)).addresses).toEqual(["127.0.0.1", "8.8.8.8"]);
  });
});
