import type { DataSource } from "../../fact/fact.ts";
import { wordSet } from "../../word-list.ts";
import { type ApiTable, aliasesOf, effectsOf } from "./named-value.ts";

const EFFECTS = `
  request url=0 method=by-argument: fetch node-fetch undici.fetch cross-fetch axios axios.request got ky
      superagent request undici.request needle axios.default bent Bun.fetch http.fetch wretch ofetch
  request url=0 method=get: axios.{get,head} got.{get,stream} ky.get superagent.get request.get needle.get
      jQuery.{get,getJSON,getScript} $.{get,getJSON,getScript}
  request url=0 method=send: axios.{post,put,patch,delete} got.{post,put,patch} ky.{post,put,patch}
      request.{post,put} needle.post jQuery.post $.post navigator.sendBeacon
  make api=form: FormData URLSearchParams Headers
  make api=axios: axios.create
  request url=0 method=by-argument: jQuery.ajax $.ajax
  request url=0 method=by-argument returns=http.client: http.{request,get} https.{request,get} http2.connect
      follow-redirects.https.{get,request}
  request url=0 method=send returns=http.client: superagent.{post,put,patch}
  pass value=self: http.client.request
  send how=http data=0: http.client.{write,end,send} xhr.send
  receive: http.client.on websocket.{on,addEventListener,addListener,once} net.object.{on,once}
  make api=xhr: XMLHttpRequest
  connect target=1: xhr.open
  make api=websocket subject=0: WebSocket ws ws.WebSocket EventSource
  send how=socket data=0: websocket.send net.object.{write,end} dgram.object.send
  make api=net.object subject=all: net.{connect,createConnection} tls.connect
  make api=net.object: net.Socket tls.TLSSocket
  connect target=all: net.object.connect
  make api=dgram.object: dgram.createSocket
  send how=dns to=0 data=0: dns.{lookup,resolve,resolve4,resolve6,resolveAny,resolveCname,resolveMx,resolveNs}
      dns.{resolveSrv,resolveTxt}
  make api=dns: dns.Resolver
  make api=mailer: nodemailer.createTransport
  send how=mail: mailer.sendMail
  send how=browser to=0 data=0: window.open location.{assign,replace}
  shell command=0: child_process.{exec,execSync} shelljs.exec execa.{command,commandSync,execaCommand,$} Bun.$
      zx.$
  argv command=0 arguments=1,args: child_process.{spawn,spawnSync,execFile,execFileSync,fork} cross-spawn
      cross-spawn.{spawn,sync} execa execa.{execa,execaSync,sync} Bun.{spawn,spawnSync} Deno.Command
  feed data=0: child.stdin.{write,end} child.shell.stdin.{write,end}
  code code=0: eval vm.{runInThisContext,runInNewContext,runInContext,compileFunction,Script} execScript
      isolated-vm.compileScript setTimeout setInterval setImmediate
  code code=0 onlyWith=eval: worker_threads.Worker
  code code=last: Function GeneratorFunction AsyncFunction
  load-module name=0: require import module.require module._load module.Module._load process.getBuiltinModule
      process.binding createRequire.require
  text text="": module.createRequire
  attribute object=0 name=1: Reflect.get
  load-library path=0: process.dlopen ffi-napi.Library
  deserialise data=0: node-serialize.unserialize serialize-javascript.deserialize funcster.deepDeserialize
      v8.deserialize
  read path=0: fs.{readFile,readFileSync,createReadStream,open,openSync,readJson,readJsonSync}
      Deno.{readTextFile,readFile,readTextFileSync,readFileSync} Bun.file
  write path=0 data=1: fs.{writeFile,writeFileSync,outputFile,outputFileSync,writeJson,writeJsonSync}
      Deno.{writeTextFile,writeFile,writeTextFileSync} Bun.write
  write path=0 data=1 append=yes: fs.{appendFile,appendFileSync}
  open path=0 api=file-write: fs.createWriteStream
  write path=self data=0: file-write.{write,end}
  delete path=0 recursive=no: fs.{unlink,unlinkSync} Deno.remove
  delete path=0 recursive=by-option: fs.{rm,rmSync,rmdir,rmdirSync}
  delete path=0 recursive=yes: fs.{remove,removeSync,emptyDir,emptyDirSync} rimraf rimraf.{sync,rimraf} del
  copy from=0 to=1: fs.{copyFile,copyFileSync,cp,cpSync,copy,copySync}
  move from=0 to=1: fs.{rename,renameSync,move,moveSync}
  list path=0: fs.{readdir,readdirSync,opendir} glob glob.{sync,glob} fast-glob fast-glob.sync globby
  clean: fs.{existsSync,exists,stat,statSync,lstat,access,accessSync,mkdir,mkdirSync,chmod,chmodSync,mkdtemp}
      localStorage.getItem sessionStorage.getItem isNaN Array.isArray Number console.{log,error,warn,info,debug}
      Math.floor clearTimeout
  text text=/tmp/*: fs.{mkdtempSync}
  join-path: path.{join,resolve} path.posix.join
  same-path path=0: path.{normalize,dirname}
  text text=~: os.homedir
  text text=/tmp: os.tmpdir
  text text=.: process.cwd
  source source=system: os.{hostname,userInfo,networkInterfaces,platform,release,type,arch,cpus}
  environment name=0: Deno.env.get Bun.env.get
  source source=secret/whole-environment/process.env: Deno.env.toObject
  source source=capture/clipboard: navigator.clipboard.{readText,read} clipboardy.{read,readSync}
      clipboard.readText electron.clipboard.readText
  source source=capture/screen: screenshot-desktop navigator.mediaDevices.getDisplayMedia
      desktopCapturer.getSources
  source source=capture/camera: navigator.mediaDevices.getUserMedia
  source source=capture/location: navigator.geolocation.getCurrentPosition
  source source=secret/keychain/keytar: keytar.{getPassword,findCredentials,findPassword}
  make api=text-decoder: TextDecoder util.TextDecoder
  pass value=0: text-decoder.decode String JSON.{stringify,parse}
      Object.{entries,values,assign,fromEntries,freeze} Array.from Promise.{all,resolve,allSettled,race}
      util.promisify encodeURIComponent encodeURI URL Uint8Array structuredClone btoa Blob Request promisify Set
      Map
  decode encoding=base64 data=0: atob base-64.decode
  decode encoding=zlib data=0: zlib.{inflate,inflateSync,unzipSync}
  decode encoding=gzip data=0: zlib.{gunzip,gunzipSync}
  decode encoding=deflate data=0: zlib.{inflateRaw,inflateRawSync}
  decode encoding=brotli data=0: zlib.brotliDecompressSync
  decode encoding=percent data=0: unescape decodeURIComponent decodeURI
  make api=server: http.createServer https.createServer net.createServer express
  listen address=all: server.listen
  listen address=0: Bun.serve Deno.serve Deno.listen
  make api=cipher: crypto.{createCipheriv,createCipher}
  encrypt data=0: cipher.{update,final}
`;

export const JAVASCRIPT_API: ApiTable = {
  effects: effectsOf(EFFECTS),
  methods: effectsOf(`
    read path=0: readFileSync
    request url=0 method=send: sendBeacon
    code code=0: _compile
  `),
  aliases: aliasesOf(`
    fs.promises=fs fs/promises=fs fs-extra=fs graceful-fs=fs dns/promises=dns dns.promises=dns
    path/posix=path process.mainModule.require=require module.constructor._load=module._load
    module.constructor=module.Module window.fetch=fetch rimraf.default=rimraf import.meta.env=process.env
    Bun.env=process.env url.URL=URL util.promisify=promisify
  `),
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
  roots: wordSet(`
    fs os path child_process process http https net dns zlib crypto axios fetch require module globalThis
    window global self navigator document Reflect Deno Bun zx vm JSON Object Array Promise location $
    jQuery console Math import XMLHttpRequest WebSocket
  `),
};
