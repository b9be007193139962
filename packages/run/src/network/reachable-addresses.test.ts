import { expect, test } from "vitest";
import { reachableAddresses } from "./reachable-addresses.ts";

const never = (): never => {
  throw new Error("nobody may be asked");
};

test("an address and localhost are not looked up", async () => {
  expect(await reachableAddresses({ host: "10.0.0.5", port: 80 }, { grants: [], resolve: never })).toEqual([
    "10.0.0.5",
  ]);
  expect(await reachableAddresses({ host: "localhost", port: 80 }, { grants: [], resolve: never })).toEqual([
    "127.0.0.1",
    "::1",
  ]);
});

test("of a name's addresses, those that are not public are left out unless a grant names them at that port", async () => {
  const resolve = async (): Promise<string[]> => [
    "169.254.169.254",
    "10.0.0.5",
    "10.0.0.6",
    "8.8.8.8",
    "::ffff:127.0.0.1",
  ];
  const grants = [{ host: "api.test" }, { host: "10.0.0.5" }, { host: "10.0.0.6", port: 8080 }];
  expect(await reachableAddresses({ host: "api.test", port: 443 }, { grants, resolve })).toEqual([
    "10.0.0.5",
    "8.8.8.8",
  ]);
});
