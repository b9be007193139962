import { expect, test } from "vitest";
import { proxyEnvironment } from "./bridge-arguments.ts";

test("every program is sent to the bridge, also for hosts that some would reach directly", () => {
  const proxy = "http://127.0.0.1:3128";
  expect(proxyEnvironment()).toEqual({
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    no_proxy: "",
    NO_PROXY: "",
    NODE_USE_ENV_PROXY: "1",
  });
});
