import type { DataSource } from "../../fact/fact.ts";
import { wordSet } from "../../word-list.ts";
import { type ApiEffect, type ApiTable, aliasesOf, effectsOf } from "./named-value.ts";

/**
 * The relevant functions of Ruby, Perl, PHP, Go, Lua, R, Julia, Rust, Java, C#, Swift, Kotlin, Elixir and
 * Dart in one table, for names that mean the same in all of them. `::`, `->` and `:` are dots.
 */
export function otherApi(file: string): ApiTable {
  const rows = DIALECTS.find(([name]) => name.test(file))?.[1];
  if (rows === undefined) return COMMON;
  return { ...COMMON, effects: new Map([...COMMON.effects, ...rows]) };
}

const EFFECTS = `
  request url=0 method=get: Net.HTTP.{get,get_response,start} URI.open URLSession.shared.dataTask
      UrlFetchApp.fetch reqwest.{get,blocking.get} ureq.get http.{Get,Head} curl_exec Req.get
      socket.http.request HTTParty.get Faraday.get RestClient.get Excon.get HTTPoison.get HTTP.get httr.GET Http.get
  request url=0 method=send: Net.HTTP.{post,post_form} http.{Post,PostForm} HTTParty.post Faraday.post
      RestClient.{post,put} Excon.post HTTPoison.post Req.post HTTP.{post,put} httr.{POST,PUT} Typhoeus.post
      requests.post
  request url=0 method=get to=1: getstore download.file Downloads.download URLDownloadToFile
  request url=1 method=by-argument returns=http.request: http.NewRequest
  request url=2 method=by-argument returns=http.request: http.NewRequestWithContext
  send how=dns to=0 data=0: gethostbyname dns_get_record checkdnsrr net.{LookupHost,LookupIP,LookupTXT,LookupAddr}
      Resolv.{getaddress,getaddresses} Addrinfo.getaddrinfo InetAddress.getByName Dns.GetHostEntry
      socket.dns.toip
  send how=mail to=0 data=2: mail
  make api=socket.object subject=all: TCPSocket.{new,open} Socket.{tcp,connect} fsockopen pfsockopen
      std.net.TcpStream.connect TcpStream.connect TcpClient Socket socketConnection Sockets.connect
      gen_tcp.connect socket.{connect,tcp} IO.Socket.INET.new IO.Socket.new IO.Socket.SSL.new
  make api=socket.object subject=0: stream_socket_client
  make api=socket.object subject=1: net.{Dial,DialTimeout} tls.Dial socket_connect connect
  send how=socket data=0:
      socket.object.{puts,print,write,write_all,writeln,send,sendall,Write,WriteString,Send,printf,syswrite}
  send how=socket to=0 data=1: socket_write socket_send
  receive: socket.object.{gets,read,recv,readline,Read,receive,getline,sysread,readLine,ReadLine,ReadString,nextLine}
  shell command=0 input=99,0: shell_exec passthru proc_open popen IO.popen io.popen os.{execute,system,popen}
      do_shell_script qx
  argv command=all input=99,in: system system2 exec spawn Kernel.{system,exec,spawn} pcntl_exec os.StartProcess
      syscall.Exec exec.Command std.process.Command.new Command.new Process.{run,start,Start,spawn} ProcessBuilder
      System.{cmd,shell} Open3.{capture2,capture2e,capture3,popen2,popen3,pipeline} runtime.exec
      execlp execvp execl execSync subprocess.{run,call,check_call,check_output,Popen}
      child_process.{exec,execSync,spawn}
  make api=runtime: Runtime.getRuntime
  feed data=0: child.{Stdin,stdin,write,puts,print} child.shell.{Stdin,stdin,write,puts,print}
  code code=0: eval instance_eval class_eval module_eval loadstring include_string Code.eval_string
      evalString EvalString Meta.parse CSharpScript.{EvaluateAsync,RunAsync} engine.eval RubyVM.InstructionSequence.compile
  code code=1: create_function
  load-library path=0 memory=yes: Assembly.Load defineClass
  load-library path=0: plugin.Open
  deserialise data=0: Marshal.load
  read path=0: File.{read,binread,readlines,ReadAllText,ReadAllBytes,read_to_string} IO.{read,binread,readlines}
      os.ReadFile ioutil.ReadFile file_get_contents readfile readLines readRDS read_html std.fs.{read,read_to_string}
      fs.{read,read_to_string} Files.{readString,readAllBytes,readAllLines,lines} CURLFile curl_file_create
      slurp read io.lines file scan
  read path=99,contentsOfFile,contentsOf: String Data NSString
  open path=0 mode=1,mode: File.{open,new} open fopen io.open os.OpenFile
  open path=0: os.Open FileReader FileInputStream
  open path=0 api=file-write: os.Create File.create std.fs.File.create
  write path=0 data=1: File.{write,binwrite,WriteAllText,WriteAllBytes} IO.{write,binwrite} file_put_contents
      os.WriteFile ioutil.WriteFile fwrite fputs Files.{write,writeString} fs.write std.fs.write
  write path=0 data=all: fmt.{Fprint,Fprintf,Fprintln} io.Copy
  write path=1 data=0: IO.copy_stream writeLines Files.copy
  write path=self data=0: file-write.{write,puts,print,Write,WriteString,write_all,close}
  write path=self data=0 append=yes: file-append.{write,puts,print,Write,WriteString}
  environment name=0: ENV.fetch os.{Getenv,LookupEnv,getenv} std.env.{var,var_os} env.{var,var_os} System.fetch_env
      Environment.GetEnvironmentVariable
  environment name=0,name whole=yes: getenv Sys.getenv System.{getenv,get_env}
  source source=secret/whole-environment/environment: os.Environ std.env.{vars,vars_os} env.{vars,vars_os}
      Environment.GetEnvironmentVariables
  decode encoding=base64 data=0: base64_decode Base64.{decode64,strict_decode64,urlsafe_decode64,decode} decode_base64
      base64.StdEncoding.DecodeString base64.URLEncoding.DecodeString base64.RawStdEncoding.DecodeString
      Base.decode64 Convert.FromBase64String FromBase64String base64-decoder.decode base64.decode base64decode
      base64_dec mime.unb64 unbase64 convert_uudecode
  make api=base64-decoder: Base64.{getDecoder,getUrlDecoder}
  decode encoding=hex data=0: hex2bin hex.DecodeString Base.decode16 hex.decode
  decode encoding=deflate data=0: gzinflate
  decode encoding=zlib data=0: gzuncompress Zlib.Inflate.inflate Zlib.inflate inflate
  decode encoding=gzip data=0: gzdecode
  decode encoding=rot13 data=0: str_rot13
  unpack: pack unpack unpack1
  format: sprintf format Kernel.{format,sprintf} string.format String.format fmt.Sprintf
  join-path: File.join filepath.Join path.Join Path.Combine file.path joinpath Path.join
      Path.of Paths.get
  same-path path=0: File.expand_path glob expanduser path.expand os.ExpandEnv Path.expand
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
    request url=0 method=by-argument: Do
    request url=0 method=send: post put patch post_form UploadString PostAsync PutAsync
    read path=self: read readText readBytes readLines readAsString readAsStringSync readAsBytesSync slurp openStream
    code code=0: instance_eval class_eval module_eval
    unpack: pack unpack unpack1
    pass value=self: then to_s unwrap expect chomp strip trim each
  `),
  // A stream of a connection or of a program stands for it.
  aliases: aliasesOf("socket.object.outputStream=socket.object child.shell.outputStream=child.shell"),
  environments: ENVIRONMENTS,
  globals: new Set(),
  values: new Map<string, DataSource>([
    ...[...ENVIRONMENTS].map((name) => [name, WHOLE_ENVIRONMENT] as const),
    ["STDIN", { type: "input" }],
    ["hidden_answer", { type: "secret", secret: "keychain", name: "a password that a dialog asks for" }],
  ]),
  roots: "any",
};

export const LISP_FILES: RegExp = /\.(?:el|lisp|clj[cs]?|edn|scm|rkt)$/i;

/** Functions that evaluate code in one language only, and often mean something else in others. */
const DIALECTS: readonly (readonly [file: RegExp, rows: ReadonlyMap<string, ApiEffect>])[] = [
  [
    LISP_FILES,
    effectsOf(`
    request url=0 method=get: url-retrieve url-retrieve-synchronously url-insert-file-contents
    read path=0: insert-file-contents call-with-input-file
    shell command=0: shell-command shell-command-to-string
    argv command=all: call-process sh shell.sh
    code code=0: load-string
    `),
  ],
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
