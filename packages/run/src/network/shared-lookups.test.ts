import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { sharedLookups } from "./serve-network.ts";
import { type ProxyClient, proxyClient } from "./testing/proxy-client.ts";

/** A name server that answers when it is told to. */
class SlowNames {
  readonly asked: string[] = [];
  readonly #waiting: ((addresses: readonly string[]) => void)[] = [];

  readonly resolve = (host: string): Promise<readonly string[]> => {
    this.asked.push(host);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  };

  async answer(...addresses: string[]): Promise<void> {
    // Each one starts in the turn after it was asked for, or after the one before it.
    await setImmediate();
    this.#waiting.shift()?.(addresses);
    await setImmediate();
  }
}

test("a name is looked up once for all who ask meanwhile, and anew for later questions", async () => {
  const names = new SlowNames();
  const resolve = sharedLookups(names.resolve);
  const first = [resolve("a.test"), resolve("a.test"), resolve("a.test")];
  await names.answer("192.0.2.1");
  expect(await Promise.all(first)).toEqual([["192.0.2.1"], ["192.0.2.1"], ["192.0.2.1"]]);
  const later = resolve("a.test");
  await names.answer("192.0.2.2");
  expect(await later).toEqual(["192.0.2.2"]);
  expect(names.asked).toEqual(["a.test", "a.test"]);
});

test("few names are looked up at once, the others in their turn, and too many not at all", async () => {
  const names = new SlowNames();
  const resolve = sharedLookups(names.resolve);
  const answers = ["a", "b", "c", "d"].map((name) => resolve(name));
  await setImmediate();
  expect(names.asked).toEqual(["a", "b"]);
  await names.answer("192.0.2.1");
  expect(names.asked).toEqual(["a", "b", "c"]);
  for (const _ of answers) await names.answer("192.0.2.1");
  await Promise.all(answers);
  const many = Array.from({ length: 131 }, (_, index) => resolve(`n${index}`));
  await expect(many.at(-1)).rejects.toMatchObject({ code: "EAGAIN" });
  for (const _ of many) await names.answer("192.0.2.1");
  await Promise.allSettled(many);
});

test("a look-up that fails fails for all who waited, and is tried again", async () => {
  let tries = 0;
  const resolve = sharedLookups(async () => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error("no"), { code: "ENOTFOUND" });
    return ["192.0.2.1"];
  });
  const both = await Promise.allSettled([resolve("a.test"), resolve("a.test")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await resolve("a.test")).toEqual(["192.0.2.1"]);
});

let client: ProxyClient | undefined;
afterEach(() => client?.close());

test("a host that a script asks for many times at once is looked up once", async () => {
  const names = new SlowNames();
  client = await proxyClient([{ host: "slow.example.org" }], { resolve: names.resolve });
  for (let index = 0; index < 32; index += 1)
    client.open().write("CONNECT slow.example.org:443 HTTP/1.1\r\nHost: slow.example.org:443\r\n\r\n");
  // The 33rd is refused at once, so all before it were heard by then.
  await client.ask("CONNECT other.example.org:443 HTTP/1.1\r\nHost: other.example.org:443\r\n\r\n");
  expect(names.asked).toEqual(["slow.example.org"]);
});
