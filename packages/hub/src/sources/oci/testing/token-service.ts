import { execFileSync } from "node:child_process";
import { createPrivateKey, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PUBLISHER } from "./docker-registry.ts";
import { type ReceivedRequest, scriptedServer } from "./scripted-server.ts";

/** A token service that a real registry trusts: everyone may pull, and the publisher may push. */
export async function startTokenService(directory: string): Promise<{
  readonly realm: string;
  readonly certificate: string;
  readonly received: readonly ReceivedRequest[];
}> {
  const [key, certificate] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  const flags = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tests", "-days", "2"];
  execFileSync("openssl", ["req", ...flags, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const chain = readFileSync(certificate, "utf8").replace(/-----[A-Z ]+-----|\s/g, "");
  const basic = `Basic ${Buffer.from(`${PUBLISHER.username}:${PUBLISHER.password}`).toString("base64")}`;
  const { url, received } = await scriptedServer(({ path, headers }) => {
    const query = new URL(path, "http://tests").searchParams;
    const [, name = "", wanted = ""] = /^repository:(.*):([a-z,]+)$/.exec(query.get("scope") ?? "") ?? [];
    const { authorization } = headers;
    if (authorization !== undefined && authorization !== basic) return { status: 401 };
    const actions = wanted.split(",").filter((action) => action === "pull" || authorization === basic);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: "tests",
      sub: "tests",
      aud: query.get("service"),
      jti: randomUUID(),
      exp: now + 600,
      nbf: now - 600,
      iat: now - 600,
      access: [{ type: "repository", name, actions }],
    };
    const head = { typ: "JWT", alg: "RS256", x5c: [chain] };
    const text = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = sign("sha256", Buffer.from(text), createPrivateKey(readFileSync(key)));
    return { body: JSON.stringify({ token: `${text}.${signature.toString("base64url")}` }) };
  });
  return { realm: `${url}/token`, certificate, received };
}
