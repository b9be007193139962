import { expect, test } from "vitest";
import { describeRefusals } from "./network-refusal.ts";

test("what was not reached is named with its reason and the grant that it would take", () => {
  expect(
    describeRefusals(
      [{ host: "api.example.org", port: 443, reason: "not-granted", count: 2 }],
      "scripts/a.py",
    ),
  ).toEqual([
    {
      code: "network-refused",
      severity: "warning",
      message: "api.example.org:443 was not reached, 2 times: it is not granted.",
      file: "scripts/a.py",
      hint: "If the script should reach it, grant it: --network api.example.org:443",
    },
  ]);
});

test("a granted name that leads to this machine is told with the address that it would take", () => {
  const refusal = { host: "api.example.org", port: 443, reason: "address-not-granted", count: 1 } as const;
  const [described] = describeRefusals([{ ...refusal, address: "127.0.0.1" }], "scripts/a.py");
  expect(described?.message).toBe(
    "api.example.org:443 was not reached, once: its name leads to 127.0.0.1, which is not a public address and was not granted.",
  );
  expect(described?.hint).toBe(
    "If the script should reach it, grant that address as well: --network 127.0.0.1:443",
  );
});

test("a granted host that this machine does not reach is told with what the machine answered", () => {
  const refusal = { host: "api.example.org", port: 80, reason: "no-connection", count: 1 } as const;
  const [described] = describeRefusals([{ ...refusal, errorCode: "ECONNREFUSED" }], "scripts/a.py");
  expect(described?.message).toBe(
    "api.example.org:80 was not reached, once: this machine could not connect to it (ECONNREFUSED).",
  );
});

test("of very many only the first are named, and the rest counted", () => {
  const refusals = Array.from({ length: 60 }, (_, index) => ({
    host: `h${index}.example.org`,
    port: 80,
    reason: "not-granted" as const,
    count: 1,
  }));
  const described = describeRefusals(refusals, "scripts/a.py");
  expect(described).toHaveLength(11);
  expect(described.at(-1)?.message).toBe("50 more hosts were not reached.");
});
