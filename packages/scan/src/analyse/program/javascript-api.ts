import type { DataSource } from "../../fact/data-source.ts";
import { type ApiEffect, type ApiTable, effectsOf } from "./api.ts";
import { HOLE } from "./value.ts";

const FIRST = [0] as const;
const SYSTEM: ApiEffect = { does: "source", source: { type: "system" } };
const get: ApiEffect = { does: "request", url: FIRST, method: "get" };
const post: ApiEffect = { does: "request", url: FIRST, method: "send" };
const byArgument: ApiEffect = { does: "request", url: FIRST, method: "by-argument" };
const code: ApiEffect = { does: "code", slot: FIRST };
const read: ApiEffect = { does: "read", path: FIRST };
const write: ApiEffect = { does: "write", path: FIRST, data: [1] };
const dns: ApiEffect = { does: "send", how: "dns", to: FIRST, data: [FIRST] };
const send: ApiEffect = { does: "send", how: "socket", data: [FIRST] };
const socket: ApiEffect = { does: "make", api: "net.object", subject: "all" };

const EFFECTS = effectsOf([
  [
    "fetch node-fetch undici.fetch cross-fetch axios axios.request got ky superagent request undici.request needle axios.default bent Bun.fetch http.fetch wretch ofetch",
    byArgument,
  ],
  [
    "axios.{get,head} got.{get,stream} ky.get superagent.get request.get needle.get jQuery.{get,getJSON,getScript} $.{get,getJSON,getScript}",
    get,
  ],
  [
    "axios.{post,put,patch,delete} got.{post,put,patch} ky.{post,put,patch} superagent.{post,put} request.{post,put} needle.post jQuery.post $.post",
    post,
  ],
  ["axios.create", { does: "make", api: "axios" }],
  ["jQuery.ajax $.ajax", byArgument],
  [
    "http.{request,get} https.{request,get} http2.connect follow-redirects.https.{get,request}",
    { does: "request", url: FIRST, method: "by-argument", returns: "http.client" },
  ],
  ["http.client.{write,end}", { does: "send", how: "http", data: [FIRST] }],
  ["http.client.on", { does: "receive" }],
  ["XMLHttpRequest", { does: "make", api: "xhr" }],
  ["xhr.open", { does: "connect", target: [1] }],
  ["xhr.send", { does: "send", how: "http", data: [FIRST] }],
  ["WebSocket ws ws.WebSocket EventSource", { does: "make", api: "websocket", subject: FIRST }],
  ["websocket.send", send],
  ["websocket.{on,addEventListener,addListener,once}", { does: "receive" }],
  ["navigator.sendBeacon", post],
  ["net.{connect,createConnection} tls.connect", socket],
  ["net.Socket tls.TLSSocket", { does: "make", api: "net.object" }],
  ["net.object.connect", { does: "connect", target: "all" }],
  ["net.object.{write,end}", send],
  ["net.object.{on,once}", { does: "receive" }],
  ["dgram.createSocket", { does: "make", api: "dgram.object" }],
  ["dgram.object.send", { does: "send", how: "socket", data: [FIRST] }],
  ["dns.{lookup,resolve,resolve4,resolve6,resolveTxt,resolveCname}", dns],
  ["nodemailer.createTransport", { does: "make", api: "mailer" }],
  ["mailer.sendMail", { does: "send", how: "mail" }],
  ["window.open location.{assign,replace}", { does: "send", how: "browser", to: FIRST, data: [FIRST] }],

  ["child_process.{exec,execSync} shelljs.exec", { does: "shell", command: FIRST }],
  [
    "child_process.{spawn,spawnSync,execFile,execFileSync,fork} cross-spawn cross-spawn.{spawn,sync} execa execa.{execa,execaSync,sync} Bun.{spawn,spawnSync} Deno.Command",
    { does: "argv", command: FIRST, arguments: [1, "args"] },
  ],
  ["execa.{command,commandSync,execaCommand,$} Bun.$ zx.$", { does: "shell", command: FIRST }],
  ["child.shell.stdin.{write,end}", { does: "shell", command: FIRST }],
  [
    "eval vm.{runInThisContext,runInNewContext,runInContext,compileFunction,Script} execScript isolated-vm.compileScript",
    code,
  ],
  ["worker_threads.Worker", { does: "code", slot: FIRST, onlyWith: "eval" }],
  ["Function GeneratorFunction AsyncFunction", { does: "code", slot: "last" }],
  ["setTimeout setInterval setImmediate", { does: "code", slot: FIRST }],
  [
    "require import module.require module._load module.Module._load process.getBuiltinModule process.binding createRequire.require",
    { does: "load-module", name: FIRST },
  ],
  ["module.createRequire", { does: "text", text: "" }],
  ["Reflect.get", { does: "attribute", object: FIRST, name: [1] }],
  ["process.dlopen ffi-napi.Library", { does: "load-library", path: FIRST }],
  [
    "node-serialize.unserialize serialize-javascript.deserialize funcster.deepDeserialize v8.deserialize",
    { does: "deserialise", data: FIRST },
  ],

  [
    "fs.{readFile,readFileSync,createReadStream,open,openSync,readJson,readJsonSync} Deno.{readTextFile,readFile,readTextFileSync,readFileSync} Bun.file",
    read,
  ],
  [
    "fs.{writeFile,writeFileSync,outputFile,outputFileSync,writeJson,writeJsonSync} Deno.{writeTextFile,writeFile,writeTextFileSync} Bun.write",
    write,
  ],
  ["fs.{appendFile,appendFileSync}", { does: "write", path: FIRST, data: [1], append: true }],
  ["fs.createWriteStream", { does: "open", path: FIRST, mode: [98] }],
  ["file-write.{write,end}", { does: "write", path: "self", data: FIRST }],
  ["fs.{unlink,unlinkSync} Deno.remove", { does: "delete", path: FIRST, recursive: "no" }],
  ["fs.{rm,rmSync,rmdir,rmdirSync}", { does: "delete", path: FIRST, recursive: "by-option" }],
  [
    "fs.{remove,removeSync,emptyDir,emptyDirSync} rimraf rimraf.{sync,rimraf} del",
    { does: "delete", path: FIRST, recursive: "yes" },
  ],
  ["fs.{copyFile,copyFileSync,cp,cpSync,copy,copySync}", { does: "copy", from: FIRST, to: [1] }],
  ["fs.{rename,renameSync,move,moveSync}", { does: "move", from: FIRST, to: [1] }],
  [
    "fs.{readdir,readdirSync,opendir} glob glob.{sync,glob} fast-glob fast-glob.sync globby",
    { does: "list", path: FIRST },
  ],
  [
    "fs.{existsSync,exists,stat,statSync,lstat,access,accessSync,mkdir,mkdirSync,chmod,chmodSync,mkdtemp}",
    { does: "clean" },
  ],
  ["fs.{mkdtempSync}", { does: "text", text: `/tmp/${HOLE}` }],
  ["path.{join,resolve} path.posix.join", { does: "join-path" }],
  ["path.{normalize,dirname}", { does: "same-path", path: FIRST }],
  ["os.homedir", { does: "text", text: "~" }],
  ["os.tmpdir", { does: "text", text: "/tmp" }],
  ["process.cwd", { does: "text", text: "." }],
  ["os.{hostname,userInfo,networkInterfaces,platform,release,type,arch,cpus}", SYSTEM],
  ["Deno.env.get Bun.env.get", { does: "environment", name: FIRST }],
  [
    "Deno.env.toObject",
    { does: "source", source: { type: "secret", secret: "whole-environment", name: "process.env" } },
  ],
  [
    "navigator.clipboard.{readText,read} clipboardy.{read,readSync} clipboard.readText electron.clipboard.readText",
    { does: "source", source: { type: "capture", what: "clipboard" } },
  ],
  [
    "screenshot-desktop navigator.mediaDevices.getDisplayMedia desktopCapturer.getSources",
    { does: "source", source: { type: "capture", what: "screen" } },
  ],
  ["navigator.mediaDevices.getUserMedia", { does: "source", source: { type: "capture", what: "camera" } }],
  [
    "navigator.geolocation.getCurrentPosition",
    { does: "source", source: { type: "capture", what: "location" } },
  ],
  [
    "keytar.{getPassword,findCredentials,findPassword}",
    { does: "source", source: { type: "secret", secret: "keychain", name: "keytar" } },
  ],
  ["localStorage.getItem sessionStorage.getItem", { does: "clean" }],

  ["TextDecoder util.TextDecoder", { does: "make", api: "text-decoder" }],
  ["text-decoder.decode", { does: "pass", value: FIRST }],
  ["atob base-64.decode", { does: "decode", encoding: "base64", data: FIRST }],
  ["zlib.{inflate,inflateSync,unzipSync}", { does: "decode", encoding: "zlib", data: FIRST }],
  ["zlib.{gunzip,gunzipSync}", { does: "decode", encoding: "gzip", data: FIRST }],
  ["zlib.{inflateRaw,inflateRawSync}", { does: "decode", encoding: "deflate", data: FIRST }],
  ["zlib.brotliDecompressSync", { does: "decode", encoding: "brotli", data: FIRST }],
  ["unescape decodeURIComponent decodeURI", { does: "decode", encoding: "percent", data: FIRST }],

  ["http.createServer https.createServer net.createServer express", { does: "make", api: "server" }],
  ["server.listen", { does: "listen", address: "all" }],
  ["Bun.serve Deno.serve Deno.listen", { does: "listen", address: FIRST }],
  ["crypto.{createCipheriv,createCipher}", { does: "make", api: "cipher" }],
  ["cipher.{update,final}", { does: "encrypt", data: FIRST }],
  [
    "isNaN Array.isArray Number console.{log,error,warn,info,debug} Math.floor clearTimeout",
    { does: "clean" },
  ],
  [
    "String JSON.{stringify,parse} Object.{entries,values,assign,fromEntries,freeze} Array.from Promise.{all,resolve,allSettled,race} util.promisify encodeURIComponent encodeURI URL URLSearchParams Uint8Array structuredClone btoa Blob FormData Request promisify Set Map",
    { does: "pass", value: FIRST },
  ],
]);

export const JAVASCRIPT_API: ApiTable = {
  effects: EFFECTS,
  methods: effectsOf([
    ["readFileSync", read],
    ["sendBeacon", post],
    ["_compile", code],
  ]),
  aliases: new Map([
    ["fs.promises", "fs"],
    ["fs/promises", "fs"],
    ["fs-extra", "fs"],
    ["graceful-fs", "fs"],
    ["dns/promises", "dns"],
    ["dns.promises", "dns"],
    ["path/posix", "path"],
    ["process.mainModule.require", "require"],
    ["module.constructor._load", "module._load"],
    ["module.constructor", "module.Module"],
    ["window.fetch", "fetch"],
    ["rimraf.default", "rimraf"],
    ["import.meta.env", "process.env"],
    ["Bun.env", "process.env"],
    ["url.URL", "URL"],
    ["util.promisify", "promisify"],
  ]),
  environments: new Set(["process.env"]),
  globals: new Set(["globalThis", "window", "global", "self", "root", "top", "frames"]),
  values: new Map<string, DataSource | string>([
    ["process.argv", { type: "input" }],
    ["process.stdin", { type: "input" }],
    ["process.execPath", "node"],
    ["path.sep", "/"],
    ["os.EOL", "\n"],
    ["__dirname", "."],
    ["__filename", "./index.js"],
    ["process.env", { type: "secret", secret: "whole-environment", name: "process.env" }],
    ["document.cookie", { type: "secret", secret: "browser", name: "document.cookie" }],
  ]),
  roots: new Set(
    "fs os path child_process process http https net dns zlib crypto axios fetch require module globalThis window global self navigator document Reflect Deno Bun zx vm JSON Object Array Promise location $ jQuery console Math import XMLHttpRequest WebSocket".split(
      " ",
    ),
  ),
};
