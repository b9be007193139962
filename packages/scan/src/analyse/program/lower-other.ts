import type { DataSource } from "../../fact/fact.ts";
import type { SourceText } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { type ApiEffect, type ApiTable, effectsOf } from "./named-value.ts";
import { callOf, MODIFIERS, nameOf, OtherExpression } from "./other-expression.ts";
import type { Expression, Program, Statement } from "./program-tree.ts";
import { readStatements, type Token, type TokenStatement } from "./read-tokens.ts";
import { assignment } from "./syntax-reader.ts";

/**
 * Reads Ruby, Perl, PHP, Go, Lua and the like, which have no parser here, by what these languages share: calls, members,
 * texts, assignments and functions. Branches and loops are read as if each ran once.
 */
export function lowerOther({ text, file }: SourceText): Program {
  // A dot joins texts in PHP and Perl, and only these mark every variable.
  const joinsByDot = DOT_FILES.test(file) || /^\s{0,40}(?:my\s+)?\$\w{1,80}\s{0,8}=/m.test(text);
  const { statements, isCut } = readStatements(text, file);
  const body: Statement[] = [];
  const open: { readonly header: TokenStatement; readonly body: Statement[] }[] = [];
  for (const statement of statements) {
    for (
      let inside = open.at(-1);
      inside !== undefined && closes(statement, inside.header);
      inside = open.at(-1)
    )
      returnLast(open.pop()?.body);
    const target = open.at(-1)?.body ?? body;
    const header = headerOf(statement.tokens);
    const rest = lowerStatement(statement.tokens.slice(header?.end ?? 0), joinsByDot);
    if (header === undefined) target.push(...rest);
    else {
      const span = { from: header.name.from, to: header.name.to };
      const parameters = header.parameters.map((name) => ({
        target: nameOf(name),
        fallback: undefined,
        isRest: false,
      }));
      const inner = [...rest];
      const definition = { name: header.name.text, parameters, body: inner, ...span };
      target.push({ kind: "function", definition, ...span });
      open.push({ header: statement, body: inner });
    }
  }
  for (const { body: inner } of open) returnLast(inner);
  return { language: "code", api: otherApi(file), body, remarks: [], errorCharacters: 0, isCut };
}

const DOT_FILES = /\.(?:php|phtml|inc|pl|pm|t|cgi)$/i;

/** Whether a statement stands after the end of a function: its brace is closed, or nothing is indented any more. */
function closes({ tokens, column, braces }: TokenStatement, header: TokenStatement): boolean {
  return braces <= header.braces && (column <= header.column || tokens[0]?.text === "}");
}

/** In many of these languages a function gives back what its last statement is worth. */
function returnLast(body: Statement[] = []): void {
  const last = body.at(-1);
  if (last?.kind === "expression" && last.value.kind !== "assign")
    body.splice(-1, 1, { ...last, kind: "return" });
}

const FUNCTIONS: ReadonlySet<string> = wordSet("def defp func fn fun sub function");

/** `func (r *Reader) Read(…)` of Go, `def self.read` of Ruby, `function M.read(…)` of Lua; `end` is where the body begins. */
function headerOf(tokens: readonly Token[]) {
  const word = tokens.findIndex(({ text }) => text !== "}" && !MODIFIERS.has(text));
  if (!FUNCTIONS.has(tokens[word]?.text ?? "")) return undefined;
  let at = word + 1;
  if (tokens[at]?.text === "(") at = tokens.findIndex(({ text }) => text === ")") + 1;
  while (/^[.:]$/.test(tokens[at + 1]?.text ?? "")) at += 2;
  const name = tokens[at];
  if (name?.kind !== "name") return undefined;
  const parameters: Token[] = [];
  let part: Token[] = [];
  if (tokens[at + 1]?.text === "(") at += 2;
  for (; at < tokens.length && !/^[={]$/.test(tokens[at]?.text ?? ""); at++) {
    const token = tokens[at];
    if (token === undefined || token === name) continue;
    if (token.text !== "," && token.text !== ")") part.push(token);
    else {
      parameters.push(...parameterIn(part));
      part = [];
      if (token.text === ")") break;
    }
  }
  const end = tokens.findIndex(({ text }, index) => index >= at && /^(?:[={]|do)$/.test(text));
  return { name, parameters, end: end === -1 ? tokens.length : end + 1 };
}

/** Go, Swift and Rust write the type after the name, Java and C# before it. */
function parameterIn(part: readonly Token[]): readonly Token[] {
  const names = part.filter(({ kind }) => kind === "name");
  const colon = part.findIndex(({ text }) => text === ":");
  const isTyped = part.some(({ text }) => /^(?:[*[.]|string|u?int\d*|bool|byte|error|any)$/.test(text));
  const marked = names.find(({ isMarked }) => isMarked);
  const name = colon > 0 ? part[colon - 1] : (marked ?? (isTyped ? names[0] : names.at(-1)));
  return name === undefined ? [] : [name];
}

const ASSIGNS = /^(?:=|:=|<-|\+=|\.=|\|\|=|\?=|\/\/=|&&=|<<)$/;
/** Those that the language itself fills. */
const OUTSIDE: ReadonlySet<string> = wordSet("_ ENV _ENV _SERVER STDIN STDOUT ARGV INC");

function lowerStatement(all: readonly Token[], joinsByDot: boolean): readonly Statement[] {
  const start = all.findIndex(({ text }) => text !== "}" && !MODIFIERS.has(text));
  const tokens = start === -1 ? [] : all.slice(start);
  const [first] = tokens;
  if (first === undefined) return [];
  const span = { from: first.from, to: tokens.at(-1)?.to ?? first.to };
  const read = (part: readonly Token[]): Expression => new OtherExpression(part, joinsByDot).whole();
  if (first.text === "return") return [{ kind: "return", value: read(tokens.slice(1)), ...span }];
  const sign = assignmentIn(all[start - 1]?.text === "set" ? "to" : undefined, tokens);
  const value = read(tokens.slice(sign + 1));
  const targets =
    sign === -1 ? givenNames(tokens, value, joinsByDot) : targetsIn(tokens.slice(0, sign), joinsByDot);
  if (targets.length === 0) return [{ kind: "expression", value, ...span }];
  return targets.map((target, index): Statement => {
    // What the other names get is a part of it: an error, a second value.
    const given: Expression = index === 0 ? value : { kind: "unknown", parts: targets.slice(0, 1), ...span };
    return { kind: "expression", value: assigned(target, tokens[sign]?.text ?? "=", given), ...span };
  });
}

/** The sign outside of brackets that assigns; AppleScript has a word for it. */
function assignmentIn(word: string | undefined, tokens: readonly Token[]): number {
  let depth = 0;
  return tokens.findIndex(({ text }, index) => {
    if (/^[([{]$/.test(text)) depth++;
    else if (/^[)\]}]$/.test(text)) depth--;
    return depth === 0 && index > 0 && (ASSIGNS.test(text) || text === word);
  });
}

function assigned(target: Expression, operator: string, value: Expression): Expression {
  const span = { from: target.from, to: value.to };
  if (target.kind === "name" && OUTSIDE.has(target.name)) return value;
  // `file << data`, and `command.Stdin = connection`.
  if (operator === "<<")
    return callOf({ kind: "member", object: target, property: "write", ...span }, { items: [value] }, span);
  if (target.kind === "member" && /^stdin$/i.test(target.property))
    return callOf(target, { items: [value] }, span);
  const isShared = target.kind === "name" && target.name.startsWith("@");
  return { ...assignment(target, /^[+.]=$/.test(operator) ? "+=" : "=", value, span), declares: !isShared };
}

/** The names on the left: the last of `String name`, the first of `name: Type`. */
function targetsIn(tokens: readonly Token[], joinsByDot: boolean): readonly Expression[] {
  const parts: Token[][] = [[]];
  let isType = false;
  for (const token of tokens) {
    if (token.text === ",") parts.push([]);
    if (/^[,:]$/.test(token.text)) isType = token.text === ":";
    else if (!isType && !/^[()]$/.test(token.text)) parts.at(-1)?.push(token);
  }
  return parts.flatMap((part) => {
    const start = part.findLastIndex(
      ({ kind, isApart }, index) => kind === "name" && (isApart || index === 0),
    );
    return start === -1 ? [] : [new OtherExpression(part.slice(start), joinsByDot).target()];
  });
}

/** `open(my $file, …)` of Perl fills its first argument, and `… do |page|` gives the block what the call gives. */
function givenNames(tokens: readonly Token[], value: Expression, joinsByDot: boolean): readonly Expression[] {
  if (joinsByDot && tokens[0]?.text === "open" && value.kind !== "assign")
    return tokens
      .filter(({ kind, text }) => kind === "name" && !MODIFIERS.has(text))
      .slice(1, 2)
      .map(nameOf);
  if (tokens.at(-1)?.text !== "|") return [];
  const start = tokens.slice(0, -1).findLastIndex(({ text }) => text === "|");
  return tokens
    .slice(start + 1)
    .filter(({ kind }) => kind === "name")
    .map(nameOf);
}

/**
 * What Ruby, Perl, PHP, Go, Lua, R, Julia, Rust, Java, C#, Swift, Kotlin, Elixir and Dart call the things that matter, in one
 * table: a name stands here when it means one thing wherever it stands. `::`, `->` and `:` are dots.
 */
function otherApi(file: string): ApiTable {
  const rows = DIALECTS.find(([name]) => name.test(file))?.[1];
  if (rows === undefined) return COMMON;
  return { ...COMMON, effects: new Map([...COMMON.effects, ...rows]) };
}

const EFFECTS = `
  request url=0 method=get: Net.HTTP.{get,get_response,start} URI.open URLSession.shared.dataTask
      UrlFetchApp.fetch reqwest.{get,blocking.get} ureq.get http.{Get,Head} curl_exec Req.get
      socket.http.request HTTParty.get Faraday.get RestClient.get Excon.get HTTPoison.get HTTP.get httr.GET
      Http.get
    request url=0 method=send: Net.HTTP.{post,post_form} http.{Post,PostForm} HTTParty.post Faraday.post
      RestClient.{post,put} Excon.post HTTPoison.post Req.post HTTP.{post,put} httr.{POST,PUT} Typhoeus.post
      requests.post
    request url=0 method=get to=1: getstore download.file Downloads.download URLDownloadToFile
    request url=1 method=by-argument: http.NewRequest
    request url=2 method=by-argument: http.NewRequestWithContext
    send how=mail to=0 data=2: mail
    make api=socket.object subject=all: TCPSocket.{new,open} Socket.{tcp,connect} fsockopen pfsockopen
      std.net.TcpStream.connect TcpStream.connect TcpClient Socket socketConnection Sockets.connect
      gen_tcp.connect socket.{connect,tcp} IO.Socket.INET.new IO.Socket.new IO.Socket.SSL.new
    make api=socket.object subject=0: stream_socket_client
    make api=socket.object subject=1: net.{Dial,DialTimeout} tls.Dial socket_connect connect
    send how=socket data=0:
      socket.object.{puts,print,write,write_all,writeln,send,sendall,Write,WriteString,Send,printf,syswrite}
    send how=socket to=0 data=1: socket_write socket_send fmt.Fprintf
    receive: socket.object.{gets,read,recv,readline,Read,receive,getline,sysread}
    shell command=0 input=99,0: shell_exec passthru proc_open popen IO.popen io.popen os.{execute,system,popen}
      do_shell_script qx
    argv command=all input=99,in: system system2 exec spawn Kernel.{system,exec,spawn} pcntl_exec
      os.StartProcess syscall.Exec exec.Command std.process.Command.new Command.new
      Process.{run,start,Start,spawn} ProcessBuilder System.{cmd,shell}
      Open3.{capture2,capture2e,capture3,popen2,popen3,pipeline} runtime.exec execlp execvp execl execSync
      subprocess.{run,call,check_call,check_output,Popen} child_process.{exec,execSync,spawn}
    make api=runtime: Runtime.getRuntime
    feed data=0: child.{Stdin,stdin,write,puts,print} child.shell.{Stdin,stdin,write,puts,print}
    code code=0: eval instance_eval class_eval module_eval loadstring include_string Code.eval_string evalString
      EvalString Meta.parse CSharpScript.{EvaluateAsync,RunAsync} engine.eval RubyVM.InstructionSequence.compile
    code code=1: create_function
    load-library path=0 memory=yes: Assembly.Load defineClass
    load-library path=0: plugin.Open
    deserialise data=0: Marshal.load
    read path=0: File.{read,binread,readlines,ReadAllText,ReadAllBytes,read_to_string}
      IO.{read,binread,readlines} os.ReadFile ioutil.ReadFile file_get_contents readfile readLines readRDS
      read_html std.fs.{read,read_to_string} fs.{read,read_to_string}
      Files.{readString,readAllBytes,readAllLines,lines} CURLFile curl_file_create slurp read io.lines file scan
    read path=99,contentsOfFile,contentsOf: String Data NSString
    open path=0 mode=1,mode: File.{open,new} open fopen io.open os.OpenFile os.Open
    open path=0 api=file-write: os.Create File.create std.fs.File.create
    write path=0 data=1: File.{write,binwrite,WriteAllText,WriteAllBytes} IO.{write,binwrite} file_put_contents
      os.WriteFile ioutil.WriteFile io.Copy fwrite fputs Files.{write,writeString} fs.write std.fs.write
    write path=1 data=0: IO.copy_stream writeLines Files.copy
    write path=self data=0: file-write.{write,puts,print,Write,WriteString,write_all,close}
    write path=self data=0 append=yes: file-append.{write,puts,print,Write,WriteString}
    environment name=0: ENV.fetch getenv Sys.getenv os.{Getenv,LookupEnv,getenv} std.env.{var,var_os}
      env.{var,var_os} System.{getenv,get_env,fetch_env} Environment.GetEnvironmentVariable
    source source=secret/whole-environment/environment: os.Environ std.env.{vars,vars_os} env.{vars,vars_os}
      Environment.GetEnvironmentVariables
    decode encoding=base64 data=0: base64_decode Base64.{decode64,strict_decode64,urlsafe_decode64,decode}
      decode_base64 base64.StdEncoding.DecodeString base64.URLEncoding.DecodeString
      base64.RawStdEncoding.DecodeString Base.decode64 Convert.FromBase64String FromBase64String
      base64-decoder.decode base64.decode base64decode base64_dec mime.unb64 unbase64 convert_uudecode
    make api=base64-decoder: Base64.{getDecoder,getUrlDecoder}
    decode encoding=hex data=0: hex2bin hex.DecodeString Base.decode16 hex.decode
    decode encoding=deflate data=0: gzinflate
    decode encoding=zlib data=0: gzuncompress Zlib.Inflate.inflate Zlib.inflate inflate
    decode encoding=gzip data=0: gzdecode
    decode encoding=rot13 data=0: str_rot13
    unpack: pack unpack unpack1
    join-path: File.join filepath.Join path.Join Path.Combine file.path joinpath Path.join
    same-path path=0: File.expand_path glob expanduser path.expand os.ExpandEnv Path.of Paths.get Path.expand
    text text=~: Dir.home os.UserHomeDir homedir dirs.home_dir
    privilege: administrator
    clean: print puts println printf log.Print log.Println fmt.Println fmt.Printf echo say count length size
`;

const ENVIRONMENTS = wordSet("ENV _ENV _SERVER ProcessInfo.processInfo.environment Platform.environment");
const WHOLE_ENVIRONMENT: DataSource = { type: "secret", secret: "whole-environment", name: "environment" };

const COMMON: ApiTable = {
  effects: effectsOf(EFFECTS),
  methods: effectsOf(`
    request url=0 method=get: get getprint getContent getURL fetch fopen open url source DownloadString GetStringAsync
        GetAsync OpenRead http_get geturl copy require load curl_fetch_memory
    request url=0 method=get to=1: DownloadFile mirror
    request url=0 method=send: post put patch post_form UploadString PostAsync PutAsync
    read path=self: read readText readBytes readLines readAsString readAsStringSync readAsBytesSync slurp openStream
    code code=0: instance_eval class_eval module_eval
    unpack: pack unpack unpack1
    pass value=self: then to_s unwrap expect chomp strip trim each
    pass value=0: Do
  `),
  aliases: new Map(),
  environments: ENVIRONMENTS,
  globals: new Set(),
  values: new Map<string, DataSource>([
    ...[...ENVIRONMENTS].map((name) => [name, WHOLE_ENVIRONMENT] as const),
    ["STDIN", { type: "input" }],
    ["hidden_answer", { type: "secret", secret: "keychain", name: "a password that a dialog asks for" }],
  ]),
  roots: "any",
};

/** What evaluates code in one language alone, and often means something else in others. */
const DIALECTS: readonly (readonly [file: RegExp, rows: ReadonlyMap<string, ApiEffect>])[] = [
  [/\.lua$/i, effectsOf("code code=0 loads=yes: load dofile loadfile require")],
  [/\.r$/i, effectsOf("code code=0 loads=yes: source sys.source")],
  [/\.jl$/i, effectsOf("code code=0 loads=yes: include")],
  [
    /\.(?:php|phtml|inc)$/i,
    effectsOf("code code=0 loads=yes: {include,require} {include,require}_once\ncode code=0: assert"),
  ],
  [/\.(?:pl|pm|t|cgi)$/i, effectsOf("code code=0 loads=yes: do require\nopen path=2 mode=1: open")],
  [/\.(?:rb|rake)$/i, effectsOf("code code=0 loads=yes: load require")],
  [/\.(?:gradle|kts|groovy)$/i, effectsOf("code code=99,from loads=yes: apply")],
];
