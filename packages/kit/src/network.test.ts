import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicAddress, parseUrl, readBoundedBody } from "./network.ts";

const NOT_PUBLIC = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "203.0.113.5",
  "224.0.0.1",
  "255.255.255.255",
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.0.1",
  "172.32.0.1",
  "223.255.255.255",
];

const hex = (address: string): string =>
  address
    .split(".")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{4})/, "$1:");

const disguises = (address: string): string[] => [
  `::ffff:${address}`,
  `::ffff:${hex(address)}`,
  `0:0:0:0:0:ffff:${hex(address)}`,
  `64:ff9b::${hex(address)}`,
  `2002:${hex(address)}::1`,
];

test("addresses of this machine, its network and its cloud are not public, in no disguise", () => {
  expect(NOT_PUBLIC.flatMap((address) => [address, ...disguises(address)]).filter(isPublicAddress)).toEqual(
    [],
  );
});

test("other addresses are public, also where they are carried in IPv6", () => {
  const all = PUBLIC.flatMap((address) => [address, ...disguises(address)]);
  expect(all.filter((address) => !isPublicAddress(address))).toEqual([]);
  expect(isPublicAddress("2606:4700::1111")).toBe(true);
});

test("of IPv6, only what is given out to the public is public", () => {
  const local = ["::", "::1", "::7f00:1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"];
  const special = [
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
  ];
  const odd = ["5f00::1", "3fff::1", "4000::1", "fe80::1%eth0", "", "localhost", "0x7f.1", "[::1]"];
  expect([...local, ...special, ...odd].filter(isPublicAddress)).toEqual([]);
});

test("an address and its disguises are judged alike", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const judged = disguises(address).map(isPublicAddress);
      expect(judged).toEqual(judged.map(() => isPublicAddress(address)));
    }),
  );
});

test("every address has an answer", () => {
  fc.assert(fc.property(fc.ipV6(), (address) => typeof isPublicAddress(address) === "boolean"));
});

test("an answer of as many bytes as the bound is read whole, none is empty, and a longer one is not read", async () => {
  const read = async (text: string | null) =>
    (await readBoundedBody(new Response(text), { maxBytes: 4 }))?.toString("utf8");
  expect(await read("four")).toBe("four");
  expect(await read(null)).toBe("");
  expect(await read("fives")).toBeUndefined();
});

test("an answer without an end is left as soon as the bound is reached", async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
    cancel: () => {
      isCancelled = true;
    },
  });
  expect(await readBoundedBody(new Response(endless), { maxBytes: 10_000 })).toBeUndefined();
  expect(isCancelled).toBe(true);
});

test("a host in Latin-1 is read however often it is asked for", () => {
  for (let count = 0; count < 20_000; count++)
    expect(parseUrl("https://b\u00fccher.example/")?.host).toBe("xn--bcher-kva.example");
  expect(parseUrl("https://")).toBeUndefined();
  expect(parseUrl("x", "https://a.example/b/")?.href).toBe("https://a.example/b/x");
});
