import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { asObject, parseJsonObject, textOf } from "@skillet/kit/json";

const MAX_CONFIG_BYTES = 1024 * 1024;

/** A user's name and password for one registry. */
interface OciCredentials {
  readonly username: string;
  readonly password: string;
}

/** What is known about signing in to a registry. */
export interface OciCredentialsReading {
  readonly credentials?: OciCredentials;
  /** What to do where that is nothing, or not accepted. */
  readonly advice: string;
}

/**
 * Looks for credentials of one registry: in the environment, then in Docker's configuration.
 *
 * The environment's belong to `SKILLET_OCI_REGISTRY` alone: otherwise any registry that a skill names could ask for
 * them. Credential helpers are programs that a file names, and are not run.
 */
export function readOciCredentials(
  registry: string,
  environment: Readonly<Record<string, string | undefined>>,
): OciCredentialsReading {
  const { SKILLET_OCI_REGISTRY, SKILLET_OCI_USERNAME, SKILLET_OCI_PASSWORD } = environment;
  if (SKILLET_OCI_USERNAME && SKILLET_OCI_PASSWORD && SKILLET_OCI_REGISTRY === registry)
    return {
      credentials: { username: SKILLET_OCI_USERNAME, password: SKILLET_OCI_PASSWORD },
      advice: "check SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD",
    };
  const advice = `set SKILLET_OCI_REGISTRY=${registry}, SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD, or sign in with \`docker login\``;
  const file = dockerConfigPath(environment);
  return file === undefined ? { advice } : readDockerConfig(file, registry, advice);
}

function dockerConfigPath(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { DOCKER_CONFIG, HOME, USERPROFILE } = environment;
  if (DOCKER_CONFIG) return join(DOCKER_CONFIG, "config.json");
  const home = HOME || USERPROFILE;
  return home ? join(home, ".docker", "config.json") : undefined;
}

function readDockerConfig(file: string, registry: string, advice: string): OciCredentialsReading {
  const bytes = readBoundedFile(file, { maxBytes: MAX_CONFIG_BYTES });
  if (bytes === undefined) return { advice };
  const config = parseJsonObject(bytes);
  if (config === undefined) {
    const message = `${file} is not a JSON object, so no credentials can be read from it; repair it, or point DOCKER_CONFIG elsewhere.`;
    throw new SkilletError("oci-credentials-malformed", message, { data: { file } });
  }
  const [auths, helpers] = [asObject(config.auths), asObject(config.credHelpers)];
  const renew = `check what ${file} has for it, or sign in again with \`docker login\``;
  const names = [
    registry,
    `https://${registry}`,
    `https://${registry}/`,
    `https://${registry}/v1/`,
    `https://${registry}/v2/`,
  ];
  for (const name of names) {
    const entry = auths !== undefined && Object.hasOwn(auths, name) ? asObject(auths[name]) : undefined;
    const pair = Buffer.from(textOf(entry, "auth") ?? "", "base64").toString();
    const colon = pair.indexOf(":");
    if (colon > 0)
      return {
        credentials: { username: pair.slice(0, colon), password: pair.slice(colon + 1) },
        advice: renew,
      };
    const [username, password] = [textOf(entry, "username"), textOf(entry, "password")];
    if (username !== undefined && password !== undefined)
      return { credentials: { username, password }, advice: renew };
  }
  if (
    textOf(config, "credsStore") === undefined &&
    names.every((name) => textOf(helpers, name) === undefined)
  )
    return { advice };
  const why = `${file} leaves them to a credential helper, which Skillet does not run`;
  return {
    advice: `${why}; set SKILLET_OCI_REGISTRY=${registry}, SKILLET_OCI_USERNAME and SKILLET_OCI_PASSWORD`,
  };
}
