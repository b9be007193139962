// What the bench calls of the hub, in one place.
export { findOffers } from "../../../packages/hub/src/discover/find-offers.ts";
export { DEFAULT_HUB_LIMITS } from "../../../packages/hub/src/hub-limits.ts";
export { openHub } from "../../../packages/hub/src/open-hub.ts";
export { openGitSource } from "../../../packages/hub/src/sources/git/open-git-source.ts";
export { GitHttpServer } from "../../../packages/hub/src/sources/git/testing/git-http-server.ts";
