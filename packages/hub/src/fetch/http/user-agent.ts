import manifest from "../../../package.json" with { type: "json" };

/** What servers are told about us: the program and its version, nothing of the machine. */
export const USER_AGENT: string = `skillet/${manifest.version}`;
