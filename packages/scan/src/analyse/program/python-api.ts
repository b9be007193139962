import type { DataSource } from "../../fact/fact.ts";
import { wordSet } from "../../word-list.ts";
import { type ApiTable, aliasesOf, effectsOf } from "./named-value.ts";

const EFFECTS = `
  request url=0,url method=get: requests.{get,head,options} httpx.{get,head,options} aiohttp.{get,head}
      urllib3.urlopen niquests.get
  request url=0,url method=send: requests.{post,put,patch,delete} httpx.{post,put,patch,delete}
      aiohttp.{post,put,patch,delete}
  request url=1,url method=by-argument: requests.request httpx.{request,stream} aiohttp.request
      urllib3.request urllib3.{urlopen,request_encode_body}
  request url=0,url method=by-argument: urllib.request.urlopen urllib.urlopen
  request url=0,url method=get to=1,filename: urllib.request.urlretrieve urllib.urlretrieve
  pass value=0,url: urllib.request.Request
  make api=urllib.opener: urllib.request.build_opener
  request url=0 method=by-argument: urllib.opener.open
  request url=0 method=get to=1,out: wget.download
  make api=requests: requests.{Session,session} requests.sessions.Session
  make api=httpx: httpx.{Client,AsyncClient}
  make api=aiohttp: aiohttp.ClientSession
  make api=urllib3: urllib3.{PoolManager,ProxyManager}
  make api=http.connection subject=0,host: http.client.{HTTPConnection,HTTPSConnection}
      httplib.{HTTPConnection,HTTPSConnection}
  send how=http: http.connection.request
  receive: http.connection.getresponse socket.object.{recv,recvfrom,recv_into} websocket.object.recv
  make api=socket.object: socket.socket
  make api=socket.object subject=0,address: socket.create_connection
  connect target=0: socket.object.{connect,connect_ex} ftplib.object.connect paramiko.object.connect
  send how=socket data=0: socket.object.{send,sendall,sendfile} websocket.object.send
  send how=socket data=0 to=-1: socket.object.sendto
  pass value=self: socket.object.{makefile,fileno} paramiko.object.open_sftp
  pass value=0: ssl.wrap_socket paramiko.SFTPClient.from_transport vars
      ctypes.{create_string_buffer,addressof,cast,byref,pointer,c_char_p,c_void_p} str bytes bytearray list
      tuple set dict sorted repr iter json.{dumps,loads,load} memoryview copy.{copy,deepcopy} functools.wraps
      asyncio.{run,create_task,gather,wait_for} dict.fromkeys io.{BytesIO,StringIO} shlex.{quote,split}
      urllib.parse.{quote,urlencode}
  listen address=0: socket.object.bind http.server.HTTPServer socketserver.{TCPServer,ThreadingTCPServer}
      http.server.ThreadingHTTPServer
  send how=dns to=0 data=0: socket.{gethostbyname,getaddrinfo,gethostbyname_ex}
      dns.resolver.{resolve,query,resolve_name}
  make api=dns.resolver: dns.resolver.Resolver dns.asyncresolver.Resolver
  make api=smtplib.object subject=0,host: smtplib.{SMTP,SMTP_SSL}
  send how=mail: smtplib.object.{sendmail,send_message}
  make api=ftplib.object subject=0,host: ftplib.{FTP,FTP_TLS}
  send how=copy: ftplib.object.{storbinary,storlines}
  make api=paramiko.object: paramiko.SSHClient
  make api=paramiko.object subject=0: paramiko.Transport
  upload how=copy path=0: paramiko.object.put
  make api=boto3.object: boto3.{client,resource} boto3.session.Session
  upload how=bucket path=0: boto3.object.{upload_file}
  send how=bucket: boto3.object.{put_object,upload_fileobj}
  make api=websocket.object subject=0: websocket.create_connection websockets.connect
  send how=browser to=0 data=0: webbrowser.{open,open_new,open_new_tab}
  shell command=0,cmd,command: os.system os.{popen,popen2,popen3,popen4} commands.{getoutput,getstatusoutput}
      subprocess.{getoutput,getstatusoutput} asyncio.create_subprocess_shell pty.shell library.system
  argv command=0,args input=99,input,stdin: subprocess.{run,call,check_call,check_output,Popen}
  argv command=all: asyncio.create_subprocess_exec os.{execl,execlp,execle,spawnl,spawnlp} sh.Command
  argv command=0 arguments=1: os.{execv,execvp,execve,execvpe,posix_spawn}
  argv command=0: os.startfile
  pseudo-terminal command=0: pty.spawn
  duplicate-descriptor: os.dup2
  code code=0,source: eval exec execfile code.interact
  pass value=0,source: compile
  load-module name=0: runpy.run_path
  load-module name=1,location,path: importlib.util.spec_from_file_location
      importlib.machinery.{SourceFileLoader,ExtensionFileLoader}
  load-library path=0: zipimport.zipimporter sys.path.append site.addsitedir ctypes.{CDLL,WinDLL,PyDLL}
      ctypes.cdll.LoadLibrary
  load-library path=1: sys.path.insert
  code code=0: types.FunctionType types.CodeType
  load-module name=0,name: __import__ importlib.{import_module,__import__} imp.{load_module,load_source}
  attribute object=0 name=1: getattr
  clean: operator.attrgetter pathlib.object.{exists,is_file,is_dir,mkdir,stat,touch,chmod}
      os.path.{exists,isfile,isdir,getsize,getmtime,islink} os.{access,stat,makedirs,mkdir,getpid,getuid,chmod}
      len bool isinstance type range id hash issubclass callable hasattr print setattr
      logging.{info,debug,warning,error} time.sleep
  make api=ctypes.function: ctypes.{CFUNCTYPE,WINFUNCTYPE,PYFUNCTYPE}
  load-library path=0 memory=yes: ctypes.function
  load-library path=1 memory=yes: ctypes.memmove ctypes.windll.kernel32.{RtlMoveMemory,WriteProcessMemory}
  deserialise data=0: pickle.{load,loads} cPickle.{load,loads} dill.{load,loads} cloudpickle.{load,loads}
      _pickle.loads pickle.Unpickler jsonpickle.decode shelve.open joblib.load pandas.read_pickle
      yaml.{unsafe_load,full_load}
  deserialise data=0 safeWith=weights_only: torch.load
  deserialise data=0 safeWith=SafeLoader,CSafeLoader,BaseLoader: yaml.{load,load_all}
  decode encoding=marshal data=0: marshal.{loads,load}
  open path=0,file,filename mode=1,mode: open io.open codecs.open gzip.open bz2.open lzma.open aiofiles.open
  open path=self mode=0,mode: pathlib.object.open
  read path=self: pathlib.object.{read_text,read_bytes}
  write path=self data=0: pathlib.object.{write_text,write_bytes} file-write.{write,writelines}
  delete path=self recursive=no: pathlib.object.unlink pathlib.object.{rmdir} path.{unlink,rmdir}
  list path=self: pathlib.object.{iterdir}
  list path=self pattern=0: pathlib.object.{glob,rglob}
  move from=self to=0: pathlib.object.{rename,replace}
  same-path path=self api=pathlib.object:
      pathlib.object.{expanduser,resolve,absolute,as_posix,with_suffix,with_name,relative_to}
  join-path: pathlib.object.joinpath os.path.join
  same-path path=0 api=pathlib.object: pathlib.{Path,PurePath,PosixPath}
  text text=~ api=pathlib.object: pathlib.Path.home
  text text=. api=pathlib.object: pathlib.Path.cwd
  text text=.: os.getcwd
  text text=/usr/lib/python3/site-packages: site.getusersitepackages
  same-path path=0: os.path.{expanduser,abspath,realpath,normpath,expandvars} os.fspath os.fsdecode
  list path=0,top,path: os.{listdir,scandir,walk} glob.{glob,iglob}
  text text=/tmp/*: tempfile.{mkdtemp,gettempdir,mktemp,mkstemp,TemporaryDirectory}
  delete path=0,path recursive=no: os.{remove,unlink,rmdir,removedirs}
  delete path=0,path recursive=yes: shutil.rmtree
  copy from=0,src to=1,dst: shutil.{copy,copyfile,copy2,copytree}
  move from=0,src to=1,dst: shutil.move os.{rename,replace,renames}
  write path=self data=0 append=yes: file-append.{write,writelines}
  write path=1 data=0: json.dump yaml.dump pickle.dump shutil.copyfileobj
  open path=0,file,name mode=1,mode: zipfile.ZipFile tarfile.open
  copy from=0 to=self: archive-write.{write,add}
  copy from=2,root_dir to=0,base_name: shutil.make_archive
  feed data=0,input: child.{communicate,write} child.shell.{communicate,write} child.stdin.{write,writelines}
      child.shell.stdin.{write,writelines}
  set-variable name=0 value=1: os.putenv os.environ.{setdefault,__setitem__}
  read path=0,database: sqlite3.connect
  read path=0: configparser.ConfigParser.read numpy.fromfile pandas.{read_csv,read_json,read_excel}
  environment name=0,key: os.getenv os.environ.{get,pop} os.getenvb
  source source=secret/environment-file/.env: dotenv.{dotenv_values}
  source source=input: input raw_input sys.stdin.{read,readline,readlines} getpass.getpass
      argparse.ArgumentParser.parse_args
  source source=system: platform.{node,platform,uname,system,machine,version} socket.{gethostname,getfqdn}
      getpass.getuser os.{uname,getlogin} uuid.getnode psutil.{users,process_iter,net_if_addrs,net_connections}
  source source=capture/clipboard: pyperclip.paste win32clipboard.GetClipboardData tkinter.Tk.clipboard_get
      clipboard.paste
  source source=capture/screen: PIL.ImageGrab.{grab,grabclipboard} pyautogui.screenshot pyscreenshot.grab
      mss.mss ImageGrab.grab
  source source=capture/keys: pynput.keyboard.Listener keyboard.{on_press,hook,record,read_event,on_release}
      pynput.Listener
  source source=capture/microphone: sounddevice.rec pyaudio.PyAudio
  source source=capture/camera: cv2.VideoCapture
  source source=secret/keychain/keyring: keyring.{get_password,get_credential}
  source source=secret/browser/browser_store: win32crypt.CryptUnprotectData
      browser_cookie3.{chrome,firefox,load,edge,brave}
  source source=secret/system-accounts/accounts: pwd.getpwall spwd.getspall
  decode encoding=base64 data=0,s:
      base64.{b64decode,standard_b64decode,urlsafe_b64decode,decodebytes,decodestring} binascii.a2b_base64
  decode encoding=base32 data=0: base64.{b32decode}
  decode encoding=base85 data=0: base64.b85decode
  decode encoding=ascii85 data=0: base64.a85decode
  decode encoding=hex data=0: base64.b16decode binascii.{unhexlify,a2b_hex} bytes.fromhex bytearray.fromhex
  decode encoding=zlib data=0: zlib.decompress
  decode encoding=gzip data=0: gzip.decompress
  decode encoding=bzip2 data=0: bz2.decompress
  decode encoding=lzma data=0: lzma.decompress
  decode encoding=percent data=0: urllib.parse.unquote
  make api=flask.object: flask.Flask fastapi.FastAPI
  listen address=99,host: flask.object.run uvicorn.run
  make api=hash: hashlib.{md5,sha1,sha224,sha256,sha384,sha512,blake2b,blake2s,new}
  make api=cipher: cryptography.fernet.Fernet Crypto.Cipher.AES.new
  encrypt data=0: cipher.{encrypt,update,encrypt_and_digest}
`;

export const PYTHON_API: ApiTable = {
  effects: effectsOf(EFFECTS),
  // Pictures, documents and workbooks are saved: the file contains the object's data.
  methods: effectsOf(`
    read path=self: read_text read_bytes
    write path=self data=0: write_text write_bytes
    write path=0 data=self: save
    send how=socket data=0: sendall
    send how=mail: sendmail
    send how=copy: storbinary
    upload how=bucket path=0: upload_file
  `),
  aliases: aliasesOf(`
    urllib2=urllib.request posix=os nt=os posixpath=os.path ntpath=os.path
    aiohttp.ClientSession.get=aiohttp.get aiohttp.ClientSession.post=aiohttp.post Cryptodome=Crypto
    np=numpy pd=pandas Path=pathlib.Path Fernet=cryptography.fernet.Fernet os.environb=os.environ
    ruamel.yaml=yaml
  `),
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
  roots: wordSet(`
    os sys subprocess requests httpx urllib base64 socket shutil pickle marshal zlib json pathlib Path
    importlib ctypes builtins __builtins__ codecs binascii glob aiohttp boto3 paramiko smtplib ftplib
    pyperclip tempfile webbrowser yaml io platform getpass keyring
  `),
};
