import { GEMINI } from "./gemini.ts";
import type { Peer } from "./loader.ts";
import { OPENSKILLS } from "./openskills.ts";
import { PI } from "./pi.ts";
import { SKILLS } from "./skills.ts";

/** All peers, in the order of the table. */
export const PEERS: readonly Peer[] = [GEMINI, PI, OPENSKILLS, SKILLS];
