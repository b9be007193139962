import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { download } from "./download.ts";
import { fetchContextFor } from "./testing/fetch-context-for.ts";
import { serveFiles } from "./testing/serve.ts";

const missing = findMissing();
if (missing !== undefined) console.warn(`Tests of certificates are skipped: ${missing}.`);

test.skipIf(missing !== undefined)(
  "a server whose certificate is not trusted is not asked for anything",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "skillet-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
        "-keyout",
        key,
        "-out",
        certificate,
        ...subject,
      ],
      { stdio: "ignore" },
    );
    let asked = 0;
    const server = createServer(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (_, response) => {
        asked++;
        response.end("x");
      },
    );
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(download(`https://${host}/`, fetchContextFor([host]))).rejects.toMatchObject({
      code: "http-tls",
    });
    expect(asked).toBe(0);
  },
);

test("a server that does not speak TLS is not spoken to without", async () => {
  const { host, asked } = await serveFiles({ "/": "x" });
  await expect(download(`https://${host}/`, fetchContextFor([host]))).rejects.toMatchObject({
    code: "http-tls",
  });
  expect(asked).toEqual([]);
});

function findMissing(): string | undefined {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "openssl is not installed";
    throw error;
  }
}
