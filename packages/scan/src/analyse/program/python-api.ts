import type { DataSource } from "../../fact/data-source.ts";
import { type ApiEffect, type ApiTable, effectsOf } from "./api.ts";
import { HOLE } from "./value.ts";

const FIRST = [0] as const;
const SYSTEM: ApiEffect = { does: "source", source: { type: "system" } };
const INPUT: ApiEffect = { does: "source", source: { type: "input" } };
const get: ApiEffect = { does: "request", url: [0, "url"], method: "get" };
const post: ApiEffect = { does: "request", url: [0, "url"], method: "send" };
const secondUrl: ApiEffect = { does: "request", url: [1, "url"], method: "by-argument" };
const argv: ApiEffect = { does: "argv", command: [0, "args"], input: [99, "input", "stdin"] };
const shell: ApiEffect = { does: "shell", command: [0, "cmd", "command"] };
const code: ApiEffect = { does: "code", slot: [0, "source"] };
const samePath: ApiEffect = { does: "same-path", path: FIRST };
const deserialise: ApiEffect = { does: "deserialise", data: FIRST };

function capture(what: Extract<DataSource, { readonly type: "capture" }>["what"]): ApiEffect {
  return { does: "source", source: { type: "capture", what } };
}

function secret(kind: "keychain" | "browser" | "system-accounts", name: string): ApiEffect {
  return { does: "source", source: { type: "secret", secret: kind, name } };
}

const EFFECTS = effectsOf([
  [
    "requests.{get,head,options} httpx.{get,head,options} aiohttp.{get,head} urllib3.urlopen niquests.get",
    get,
  ],
  ["requests.{post,put,patch,delete} httpx.{post,put,patch,delete} aiohttp.{post,put,patch,delete}", post],
  [
    "requests.request httpx.{request,stream} aiohttp.request urllib3.request urllib3.{urlopen,request_encode_body}",
    secondUrl,
  ],
  ["urllib.request.urlopen urllib.urlopen", { does: "request", url: [0, "url"], method: "by-argument" }],
  [
    "urllib.request.urlretrieve urllib.urlretrieve",
    { does: "request", url: [0, "url"], method: "get", to: [1, "filename"] },
  ],
  ["urllib.request.Request", { does: "pass", value: [0, "url"] }],
  ["urllib.request.build_opener", { does: "make", api: "urllib.opener" }],
  ["urllib.opener.open", { does: "request", url: FIRST, method: "by-argument" }],
  ["wget.download", { does: "request", url: FIRST, method: "get", to: [1, "out"] }],
  ["requests.{Session,session} requests.sessions.Session", { does: "make", api: "requests" }],
  ["httpx.{Client,AsyncClient}", { does: "make", api: "httpx" }],
  ["aiohttp.ClientSession", { does: "make", api: "aiohttp" }],
  ["urllib3.{PoolManager,ProxyManager}", { does: "make", api: "urllib3" }],
  [
    "http.client.{HTTPConnection,HTTPSConnection} httplib.{HTTPConnection,HTTPSConnection}",
    { does: "make", api: "http.connection", subject: [0, "host"] },
  ],
  [
    "http.connection.request",
    {
      does: "send",
      how: "http",
      data: [
        [1, "url"],
        [2, "body"],
        [3, "headers"],
      ],
    },
  ],
  ["http.connection.getresponse", { does: "receive" }],
  ["socket.socket", { does: "make", api: "socket.object" }],
  ["socket.create_connection", { does: "make", api: "socket.object", subject: [0, "address"] }],
  ["socket.object.{connect,connect_ex}", { does: "connect", target: FIRST }],
  ["socket.object.{send,sendall,sendfile}", { does: "send", how: "socket", data: [FIRST] }],
  ["socket.object.sendto", { does: "send", how: "socket", data: [FIRST], to: [-1] }],
  ["socket.object.{recv,recvfrom,recv_into}", { does: "receive" }],
  ["socket.object.{makefile,fileno}", { does: "pass", value: "self" }],
  ["ssl.wrap_socket", { does: "pass", value: FIRST }],
  ["socket.object.bind", { does: "listen", address: FIRST }],
  [
    "socket.{gethostbyname,getaddrinfo,gethostbyname_ex}",
    { does: "send", how: "dns", to: FIRST, data: [FIRST] },
  ],
  ["dns.resolver.{resolve,query}", { does: "send", how: "dns", to: FIRST, data: [FIRST] }],
  ["smtplib.{SMTP,SMTP_SSL}", { does: "make", api: "smtplib.object", subject: [0, "host"] }],
  ["smtplib.object.{sendmail,send_message}", { does: "send", how: "mail" }],
  ["ftplib.{FTP,FTP_TLS}", { does: "make", api: "ftplib.object", subject: [0, "host"] }],
  ["ftplib.object.{storbinary,storlines}", { does: "send", how: "copy" }],
  ["ftplib.object.connect paramiko.object.connect", { does: "connect", target: FIRST }],
  ["paramiko.SSHClient", { does: "make", api: "paramiko.object" }],
  ["paramiko.Transport", { does: "make", api: "paramiko.object", subject: FIRST }],
  ["paramiko.SFTPClient.from_transport", { does: "pass", value: FIRST }],
  ["paramiko.object.open_sftp", { does: "pass", value: "self" }],
  ["paramiko.object.put", { does: "upload", how: "copy", path: FIRST }],
  ["boto3.{client,resource} boto3.session.Session", { does: "make", api: "boto3.object" }],
  ["boto3.object.{upload_file}", { does: "upload", how: "bucket", path: FIRST }],
  ["boto3.object.{put_object,upload_fileobj}", { does: "send", how: "bucket" }],
  [
    "websocket.create_connection websockets.connect",
    { does: "make", api: "websocket.object", subject: FIRST },
  ],
  ["websocket.object.send", { does: "send", how: "socket", data: [FIRST] }],
  ["websocket.object.recv", { does: "receive" }],
  ["webbrowser.{open,open_new,open_new_tab}", { does: "send", how: "browser", to: FIRST, data: [FIRST] }],

  [
    "os.system os.{popen,popen2,popen3,popen4} commands.{getoutput,getstatusoutput} subprocess.{getoutput,getstatusoutput} asyncio.create_subprocess_shell pty.shell",
    shell,
  ],
  ["subprocess.{run,call,check_call,check_output,Popen}", argv],
  [
    "asyncio.create_subprocess_exec os.{execl,execlp,execle,spawnl,spawnlp} sh.Command",
    { does: "argv", command: "all" },
  ],
  ["os.{execv,execvp,execve,execvpe,posix_spawn}", { does: "argv", command: FIRST, arguments: [1] }],
  ["os.startfile", { does: "argv", command: FIRST }],
  ["pty.spawn", { does: "pseudo-terminal", command: FIRST }],
  ["os.dup2", { does: "duplicate-descriptor" }],
  ["eval exec execfile code.interact", code],
  ["compile", { does: "pass", value: [0, "source"] }],
  ["runpy.run_path", { does: "load-module", name: FIRST }],
  [
    "importlib.util.spec_from_file_location importlib.machinery.{SourceFileLoader,ExtensionFileLoader}",
    { does: "load-module", name: [1, "location", "path"] },
  ],
  ["zipimport.zipimporter sys.path.append site.addsitedir", { does: "load-library", path: FIRST }],
  ["sys.path.insert", { does: "load-library", path: [1] }],
  ["types.FunctionType types.CodeType", { does: "code", slot: FIRST }],
  [
    "__import__ importlib.{import_module,__import__} imp.{load_module,load_source}",
    { does: "load-module", name: [0, "name"] },
  ],
  ["getattr", { does: "attribute", object: FIRST, name: [1] }],
  ["operator.attrgetter", { does: "clean" }],
  ["vars", { does: "pass", value: FIRST }],
  [
    "ctypes.{create_string_buffer,addressof,cast,byref,pointer,c_char_p,c_void_p}",
    { does: "pass", value: FIRST },
  ],
  ["ctypes.{CFUNCTYPE,WINFUNCTYPE,PYFUNCTYPE}", { does: "make", api: "ctypes.function" }],
  ["ctypes.function", { does: "load-library", path: FIRST, from: "memory" }],
  [
    "ctypes.memmove ctypes.windll.kernel32.{RtlMoveMemory,WriteProcessMemory}",
    { does: "load-library", path: [1], from: "memory" },
  ],
  ["ctypes.{CDLL,WinDLL,PyDLL} ctypes.cdll.LoadLibrary", { does: "load-library", path: FIRST }],
  [
    "pickle.{load,loads} cPickle.{load,loads} dill.{load,loads} cloudpickle.{load,loads} _pickle.loads pickle.Unpickler jsonpickle.decode shelve.open joblib.load pandas.read_pickle",
    deserialise,
  ],
  ["torch.load", { does: "deserialise", data: FIRST, safeWith: ["weights_only"] }],
  [
    "yaml.{load,load_all}",
    { does: "deserialise", data: FIRST, safeWith: ["SafeLoader", "CSafeLoader", "BaseLoader"] },
  ],
  ["yaml.{unsafe_load,full_load}", deserialise],
  ["marshal.{loads,load}", { does: "decode", encoding: "marshal", data: FIRST }],

  [
    "open io.open codecs.open gzip.open bz2.open lzma.open aiofiles.open",
    { does: "open", path: [0, "file", "filename"], mode: [1, "mode"] },
  ],
  ["pathlib.object.open", { does: "open", path: "self", mode: [0, "mode"] }],
  ["pathlib.object.{read_text,read_bytes}", { does: "read", path: "self" }],
  ["pathlib.object.{write_text,write_bytes}", { does: "write", path: "self", data: FIRST }],
  ["pathlib.object.unlink", { does: "delete", path: "self", recursive: "no" }],
  ["pathlib.object.{rmdir}", { does: "delete", path: "self", recursive: "no" }],
  ["pathlib.object.{iterdir}", { does: "list", path: "self" }],
  ["pathlib.object.{glob,rglob}", { does: "list", path: "self", pattern: FIRST }],
  ["pathlib.object.{rename,replace}", { does: "move", from: "self", to: FIRST }],
  [
    "pathlib.object.{expanduser,resolve,absolute,as_posix,with_suffix,with_name,relative_to}",
    { does: "same-path", path: "self", api: "pathlib.object" },
  ],
  ["pathlib.object.joinpath", { does: "join-path" }],
  ["pathlib.object.{exists,is_file,is_dir,mkdir,stat,touch,chmod}", { does: "clean" }],
  ["pathlib.{Path,PurePath,PosixPath}", { does: "same-path", path: FIRST, api: "pathlib.object" }],
  ["pathlib.Path.home os.path.home", { does: "text", text: "~" }],
  ["pathlib.Path.cwd os.getcwd", { does: "text", text: "." }],
  ["site.getusersitepackages", { does: "text", text: "/usr/lib/python3/site-packages" }],
  ["os.path.{expanduser,abspath,realpath,normpath,expandvars} os.fspath os.fsdecode", samePath],
  ["os.path.join", { does: "join-path" }],
  [
    "os.path.{exists,isfile,isdir,getsize,getmtime,islink} os.{access,stat,makedirs,mkdir,getpid,getuid,chmod}",
    { does: "clean" },
  ],
  ["os.{listdir,scandir,walk} glob.{glob,iglob}", { does: "list", path: [0, "top", "path"] }],
  ["tempfile.{mkdtemp,gettempdir,mktemp,mkstemp,TemporaryDirectory}", { does: "text", text: `/tmp/${HOLE}` }],
  ["os.{remove,unlink,rmdir,removedirs}", { does: "delete", path: [0, "path"], recursive: "no" }],
  ["shutil.rmtree", { does: "delete", path: [0, "path"], recursive: "yes" }],
  ["shutil.{copy,copyfile,copy2,copytree}", { does: "copy", from: [0, "src"], to: [1, "dst"] }],
  ["shutil.move os.{rename,replace,renames}", { does: "move", from: [0, "src"], to: [1, "dst"] }],
  ["file-write.{write,writelines}", { does: "write", path: "self", data: FIRST }],
  ["file-append.{write,writelines}", { does: "write", path: "self", data: FIRST, append: true }],
  ["json.dump yaml.dump pickle.dump shutil.copyfileobj", { does: "write", path: [1], data: FIRST }],
  ["zipfile.ZipFile tarfile.open", { does: "open", path: [0, "file", "name"], mode: [1, "mode"] }],
  ["archive-write.{write,add}", { does: "copy", from: FIRST, to: "self" }],
  ["shutil.make_archive", { does: "copy", from: [2, "root_dir"], to: [0, "base_name"] }],
  ["child.shell.communicate child.shell.stdin.write", { does: "shell", command: [0, "input"] }],
  ["library.system", shell],
  ["sqlite3.connect", { does: "read", path: [0, "database"] }],
  ["configparser.ConfigParser.read", { does: "read", path: FIRST }],
  ["numpy.fromfile pandas.{read_csv,read_json,read_excel}", { does: "read", path: FIRST }],

  ["os.getenv os.environ.{get,pop,setdefault} os.getenvb", { does: "environment", name: [0, "key"] }],
  [
    "dotenv.{dotenv_values}",
    { does: "source", source: { type: "secret", secret: "environment-file", name: ".env" } },
  ],
  [
    "input raw_input sys.stdin.{read,readline,readlines} getpass.getpass argparse.ArgumentParser.parse_args",
    INPUT,
  ],
  [
    "platform.{node,platform,uname,system,machine,version} socket.{gethostname,getfqdn} getpass.getuser os.{uname,getlogin} uuid.getnode psutil.{users,process_iter,net_if_addrs,net_connections}",
    SYSTEM,
  ],
  [
    "pyperclip.paste win32clipboard.GetClipboardData tkinter.Tk.clipboard_get clipboard.paste",
    capture("clipboard"),
  ],
  [
    "PIL.ImageGrab.{grab,grabclipboard} pyautogui.screenshot pyscreenshot.grab mss.mss ImageGrab.grab",
    capture("screen"),
  ],
  [
    "pynput.keyboard.Listener keyboard.{on_press,hook,record,read_event,on_release} pynput.Listener",
    capture("keys"),
  ],
  ["sounddevice.rec pyaudio.PyAudio", capture("microphone")],
  ["cv2.VideoCapture", capture("camera")],
  ["keyring.{get_password,get_credential}", secret("keychain", "keyring")],
  [
    "win32crypt.CryptUnprotectData browser_cookie3.{chrome,firefox,load,edge,brave}",
    secret("browser", "browser store"),
  ],
  ["pwd.getpwall spwd.getspall", secret("system-accounts", "accounts")],

  [
    "base64.{b64decode,standard_b64decode,urlsafe_b64decode,decodebytes,decodestring} binascii.a2b_base64",
    { does: "decode", encoding: "base64", data: [0, "s"] },
  ],
  ["base64.{b32decode}", { does: "decode", encoding: "base32", data: FIRST }],
  ["base64.b85decode", { does: "decode", encoding: "base85", data: FIRST }],
  ["base64.a85decode", { does: "decode", encoding: "ascii85", data: FIRST }],
  [
    "base64.b16decode binascii.{unhexlify,a2b_hex} bytes.fromhex bytearray.fromhex",
    { does: "decode", encoding: "hex", data: FIRST },
  ],
  ["zlib.decompress", { does: "decode", encoding: "zlib", data: FIRST }],
  ["gzip.decompress", { does: "decode", encoding: "gzip", data: FIRST }],
  ["bz2.decompress", { does: "decode", encoding: "bzip2", data: FIRST }],
  ["lzma.decompress", { does: "decode", encoding: "lzma", data: FIRST }],
  ["urllib.parse.unquote", { does: "decode", encoding: "percent", data: FIRST }],

  [
    "http.server.HTTPServer socketserver.{TCPServer,ThreadingTCPServer} http.server.ThreadingHTTPServer",
    { does: "listen", address: FIRST },
  ],
  ["flask.Flask fastapi.FastAPI", { does: "make", api: "flask.object" }],
  ["flask.object.run uvicorn.run", { does: "listen", address: [99, "host"] }],
  ["hashlib.{md5,sha1,sha224,sha256,sha384,sha512,blake2b,blake2s,new}", { does: "make", api: "hash" }],
  ["cryptography.fernet.Fernet Crypto.Cipher.AES.new", { does: "make", api: "cipher" }],
  ["cipher.{encrypt,update,encrypt_and_digest}", { does: "encrypt", data: FIRST }],
  [
    "len bool isinstance type range id hash issubclass callable hasattr print setattr logging.{info,debug,warning,error} time.sleep",
    { does: "clean" },
  ],
  [
    "str bytes bytearray list tuple set dict sorted repr iter json.{dumps,loads,load} memoryview copy.{copy,deepcopy} functools.wraps asyncio.{run,create_task,gather,wait_for} dict.fromkeys io.{BytesIO,StringIO} shlex.{quote,split} urllib.parse.{quote,urlencode}",
    { does: "pass", value: FIRST },
  ],
]);

export const PYTHON_API: ApiTable = {
  effects: EFFECTS,
  methods: effectsOf([
    ["read_text read_bytes", { does: "read", path: "self" }],
    ["write_text write_bytes", { does: "write", path: "self", data: FIRST }],
    // A picture, a document, a workbook: the file holds what the object was made of.
    ["save", { does: "write", path: FIRST, data: "self" }],
    ["sendall", { does: "send", how: "socket", data: [FIRST] }],
    ["sendmail", { does: "send", how: "mail" }],
    ["storbinary", { does: "send", how: "copy" }],
    ["upload_file", { does: "upload", how: "bucket", path: FIRST }],
  ]),
  aliases: new Map([
    ["urllib2", "urllib.request"],
    ["posix", "os"],
    ["nt", "os"],
    ["posixpath", "os.path"],
    ["ntpath", "os.path"],
    ["aiohttp.ClientSession.get", "aiohttp.get"],
    ["aiohttp.ClientSession.post", "aiohttp.post"],
    ["Cryptodome", "Crypto"],
    ["np", "numpy"],
    ["pd", "pandas"],
    ["Path", "pathlib.Path"],
    ["Fernet", "cryptography.fernet.Fernet"],
    ["os.environb", "os.environ"],
    ["ruamel.yaml", "yaml"],
  ]),
  environments: new Set(["os.environ"]),
  globals: new Set(["builtins", "__builtins__", "__builtin__", "globals()", "locals()", "sys.modules"]),
  values: new Map<string, DataSource | string>([
    ["sys.argv", { type: "input" }],
    ["sys.stdin", { type: "input" }],
    ["sys.executable", "python3"],
    ["os.sep", "/"],
    ["os.linesep", "\n"],
    ["os.curdir", "."],
    ["os.devnull", "/dev/null"],
    ["os.environ", { type: "secret", secret: "whole-environment", name: "os.environ" }],
    ["string.ascii_lowercase", "abcdefghijklmnopqrstuvwxyz"],
    ["string.ascii_uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
    ["string.ascii_letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"],
    ["string.digits", "0123456789"],
  ]),
  roots: new Set(
    "os sys subprocess requests httpx urllib base64 socket shutil pickle marshal zlib json pathlib Path importlib ctypes builtins __builtins__ codecs binascii glob aiohttp boto3 paramiko smtplib ftplib pyperclip tempfile webbrowser yaml io platform getpass keyring".split(
      " ",
    ),
  ),
};
