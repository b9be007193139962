import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyHost, hostOf, registeredDomain } from "./classify-host.ts";

describe("a host is told by its whole name or a whole-label suffix", () => {
  test.each([
    ["http://localhost:8080/x", "loopback"],
    ["127.0.0.1", "loopback"],
    ["http://[::1]/", "loopback"],
    ["http://192.168.1.20/", "private"],
    ["nas.local", "private"],
    ["user@server:/backup", "private"],
    ["http://203.0.113.7/x", "raw-address"],
    ["http://0xCB007107/x", "raw-address"],
    ["http://3405803783/x", "raw-address"],
    ["http://[2001:db8::7]/x", "raw-address"],
    ["https://example.com/api", "placeholder"],
    ["https://your-server.test/", "placeholder"],
    ["https://api.yourdomain.com/v1", "placeholder"],
    ["https://your-team.slack.com/", "placeholder"],
    ["https://my-app.collect.test/i", "unrelated"],
    ["https://yourlogs.com/i", "unrelated"],
    ["https://foologic.io/i", "unrelated"],
    ["https://pastebin.com/raw/abc", "paste"],
    ["https://gist.githubusercontent.com/a/b", "paste"],
    ["https://bit.ly/x", "shortener"],
    ["https://abc.ngrok-free.app/", "tunnel"],
    ["https://webhook.site/1", "collector"],
    ["https://discord.com/api/webhooks/1/2", "webhook"],
    ["https://discord.com/developers", "known-vendor"],
    ["https://tool-setup.vercel.app/", "free-hosting"],
    ["https://transfer.sh/x", "file-sharing"],
    ["https://github.com/a/b", "code-host"],
    ["https://pypi.org/project/x", "package-registry"],
    ["https://api.openai.com/v1", "known-vendor"],
    ["https://github.com.collect.test/x", "unrelated"],
    ["https://notgithub.com/", "unrelated"],
    ["https://api-openai.com/v1", "unrelated"],
    ["https://$HOST/x", "unknown"],
    ["http://*/x", "unknown"],
    ["http://*.test/x", "unknown"],
    ["*.in.collect.test", "unrelated"],
    ["https://a.$TENANT.collect.test/x", "unrelated"],
    ["https://*.api.openai.com/v1", "known-vendor"],
    ["hxxp://203.0.113[.]7/x", "raw-address"],
  ])("%s is %s", (url, kind) => {
    expect(classifyHost(url)).toBe(kind);
  });
});

test("a port behind a bare name is not the host", () => {
  expect(hostOf("collect.test:4444")).toBe("collect.test");
  expect(hostOf("localhost:8080/x")).toBe("localhost");
  expect(hostOf("tcp:collect.test:4444")).toBe("collect.test");
});

test("the host is what a client would connect to, not what stands before an @", () => {
  expect(hostOf("https://github.com@collect.test/x")).toBe("collect.test");
  expect(hostOf("https://collect.test\\@github.com/x")).toBe("collect.test");
  expect(hostOf("HTTPS://Collect.TEST./x")).toBe("collect.test");
});

test("the registered domain keeps the country's second level", () => {
  expect(registeredDomain("a.b.shop.co.uk")).toBe("shop.co.uk");
  expect(registeredDomain("a.b.shop.test")).toBe("shop.test");
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(typeof classifyHost(text)).toBe("string");
    }),
  );
});
