export { type HttpOptions, type HttpServer, serveHttp } from "./server/serve-http.ts";
export { type StdioOptions, serveStdio } from "./server/serve-stdio.ts";
export type { ServeOptions } from "./server/skill-server.ts";
