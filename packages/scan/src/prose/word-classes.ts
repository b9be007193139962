/**
 * The words by which a clause is read: who does what, with what, to whom. A class is broad and means nothing
 * alone. `*` matches every ending; accents are left out.
 */
export const WORD_CLASSES: ReadonlyMap<string, string> = new Map(
  `
not: not never no without don't doesn't isn't aren't needn't won't can't cannot shouldn't didn't nothing none nobody neither nor avoid nicht nichts kein* ohne nie sin nada pas sans ne ni non nao sem не без никогда 不 无 無 没 未 别 ない ず 않 없 mai 勿 нельзя ません
lacking: without no sin sans ohne sem без 没有 无 senza なし нет 없는
user: user* operator* owner* customer* client* person people colleague* manager* reader* human requester* somebody someone anyone anybody everyone employee* staff member* author* reviewer* team nutzer* usuari* persona* patient* kund* клиент* пользовател* 客户 用户 利用者 ユーザー 사용자 benutzer* anwender* utilisateur* utente*
they: they them their he she him her lui им 他们
agent: you your agent agents assistant* model ai claude subagent* 你 助手 模型 modele ассистент* asistente ты
tell: tell* told mention* show* inform* announce* explain* describ* disclos* reveal* discuss* display* notif* detail* flag flagged raise* surface* appear* visible listed listing bring advertise* volunteer* zeig* nenn* muestr* montr* signal* mostra* сообщ* показ* 告诉 说明 提及 显示 告知 提示 表示 보여 отобра* упомин* говор* erwahn* dis dites
record: summary summaries log logs logged report reports changelog note notes notice transcript diff answer answers reply replies output message messages comment comments rationale minutes response list table description checklist history bericht resumen registro respuesta resume rapport riepilogo журнал* ответ* 摘要 日志 报告 记录 总结 回复 報告 보고서 요약 informe
leave: leave leaves left keep keeps kept omit* drop dropped exclude* skip* lass* deja* 省略 省
needless: unnecessary 无需
this: this it its that these those which section step dies* его 此 这 其 它 ese esto их ces это
need: need needs needed necessary require* reason bother* worth falta brauch* нужн* 必要 需要
hide: hide* hidden quiet* silent* secretly invisibl* suppress* conceal* covert* unseen disguise* discret* 隐藏 后台 молча heimlich тихо фоне 隐瞒 静默 悄悄 скрой скры*
quietly: quietly silently secretly 后台 covertly discreetly незаметно こっそり 조용 молча heimlich тихо фоне 静默 悄悄
ask: ask asks asking confirm* approv* permission* consent* agree* authori* preview* dialog* question questions wait waiting await* review* sign-off objection* verification prompts frag* zustimm* pregunt* autoriz* demander accord chied* подтвержд* 确认 询问 批准 授权 確認 확인 승인 одобр* спраш*
granted: taken counts count counted granted given assumed assume implied treat treated already deemed means pre-approved pre-authorized considera* 视为 已
doubt: asks asked ask question questions object* refus* hesitat* complain* doubt* notice* wonder* insist* suspicious worr* pregunta 问 拒绝 要求 尋ね спрашив*
answer: answer answering reply respond* say saying says confirm claim* assure* reassur* pretend* tell report mark antwort* sag di ответ* сообщ* 回答 回复 说 报告 言 скаж* dire dis
fine: done success* succeed* passed green clean safe fine ok okay healthy normal stable neutral independent none resolved restored fait 完成 正常 安全 成功 безопасн* порядк*
bad: vulnerab* fail fails failed failure* failing error* malware finding* issue* risk* breach* discrepanc* violation* incident* 漏洞 失败 风险 fallo* fehler уязвим*
always: always every each all any everything automatic* whenever everywhere permanent* regardless whatever immer jede* alle* cada todo todos todas ogni chaque кажд* все 所有 每次 每个 自动 全部 任何 必ず toda toutes всегда всю すべて
first: first before beginning start beforehand after once finally vorher antes inicio avant после 开始 之前 后 最初 прежде сначала перед
send: send* sent upload* submit* forward* transmit* reenvi* sube* subir televers* transfere transferez transmite* hochlad* hochgelad* weiterleit* weitergeb* weitergib* comparte* partage* 分享 push pushes pushed mirror* post posts posted share shared relay* deliver* email emails mail bcc ship shipped hand invite* envia* manda* отправ* 发送 上传 提交 送信 送 parvenir ubermittl* переда* перешл* загруж* 转发 schick* envoi* envoy*
take: collect* gather* compile copy take include* including export* dump* zip archive* pack bundle* attach* captur* grab* harvest* extract* read reads append* embed* insert* put round print echo incluy* copie* 收集 读取 复制 取得 прочита* скопир* 附加 собер* rassembl* sammel* sammle kopier* recopil* recoge* reun*
mask: mask* redact* anonymi* filter* strip* sanitiz* schwarz*
secret: schlussel* clave claves cle password* passphrase* token tokens credential* secret secrets cookie cookies apikey* key keys wallet wallets seed mnemonic* vault otp 2fa passwort* contrasena* ключ* 密码 密钥 凭证 토큰 секрет* токен* 机密 сид-фраз* парол* 令牌 助记词
store: .env .ssh .aws .kube .netrc .npmrc .pypirc .pgpass .gnupg .git-credentials .docker .azure id_rsa id_ed25519 kubeconfig keychain* keyring seed mnemonic* 钥匙串 сид-фраз* 助记词
haul: cookie cookies history passwords logins autofill
holder: browser browsers browser's chrome chrome's firefox safari shell shell's bash zsh terminal terminal's keychain
personal: personal contact contacts inbox mailbox mails photo* location coordinates calendar salary payroll contract* iban resume resumes cv health medical passport* browser clipboard screenshot* keystroke* address addresses birth* nomina* correo* vertrag* 联系人 身份证 個人 邮件 письма
talk: conversation* chat dialogue* transcript* prompts gesprach* conversacion 对话 聊天 대화 dialogo переписк* разговор* 会話
machine: environment env hostname home state config configuration database* repository codebase disk data files file folder directory code changes results ordner* файл* данные 环境变量 环境 数据 文件 数据库 目录 окружения
place: server servers endpoint* url webhook* collector* bucket* proxy gateway portal relay mirror service partner* gist gists pastebin servidor сервер* 服务器 接口 镜像
protect: firewall* antivirus defender gatekeeper signature* checksum* certificate* tls ssl sandbox* protection* hook hooks backup backups snapshot* audit* monitoring alarm* alerts warning* scanner* quota* lock lockfile deny denylist apparmor safety security guardrail* permissions 备份 校验 审计 保护 安全 警告
disable: disable* off bypass* deactivat* lift* suspend* skip* exempt* exclusion* unlock* relax* weaken* remove removed stop halt empty false отключ* 关闭 跳过 停用 暂停 пропуска*
weak: insecure no-verify nopasswd unrestricted auto-approve yolo world-writable 777 backdoor* бэкдор* 后门
destroy: delete* deleting drop dropped wipe* eras* purge* overwrite* force-push* prune shred* truncat* destroy* losch* borra* elimina* cancella* удал* 删除 清空 覆盖
valuable: backup backups snapshot snapshots history production database databases volumes bucket buckets table tables originals documents branches copies shadow home traces 备份 生产 主目录 домашн*
pay: pay pays paid payment* buy buys purchas* order invoice* factura* facture* iban subscri* upgrade* renew* fee fees money funds balance bank checkout usdc eth bitcoin card payee* zahl* kauf* rechnung* оплат* 支付 결제 구매 купи перевод* compra* средств* 转账
divert: instead other settlement account pool share commission referral code affiliate ours via statt place 改为 替换
run: run runs fuhre ejecut* execut* launch* start paste pastes terminal powershell sudo administrator* admin double-click install* ausfuhr* lanc* colle* запуст* установ* выполн* 运行 执行 安装 终端 実行 встав* 粘贴
fetch: fetch* retriev* curl wget latest visit open load loads ladt lade offne* abre* ouvre* visita* 获取 访问 загру* открой 打开
download: download* скача* 下载 herunterlad* scaric* telecharg* 다운로드 descarg* ダウンロード
archive: zip 7z archive msi installer driver plugin codec extract* unzip unpack dmg exe 压缩包 安装包 rar setup.exe распак* архив* 解压
must: must mandatory prerequisite* required requires otherwise until important critical urgent immediately 必须 必ず необходим* требу* debe
memory: memory claude.md agents.md memory.md soul.md identity.md heartbeat.md gemini.md .cursorrules settings.json .claude mcp.json .mcp.json mcp config.toml 记忆
startup: crontab* cron .bashrc .zshrc .profile systemd launchd launchagent* authorized_keys autostart startup 定时任务 zshrc bashrc
write: write writes add adds append* trag* anad* agrega* ajout* store* save set put merge edit insert remember leave schreib* escrib* guarda* ecri* scriv* добав* запис* 写入 添加 加入 保存 追加 植入 書
falsify: smooth* adjust* invent* fabricat* inflat* exaggerat* soften* rating ratings stars favour* favor* prefer* winner noise constructive recommend
count: count counts counted treat treated consider mark marked present presented label appear seem rank ranked report reported list listed considera* 视为
excuse: bother* confus* annoy* slow slows slower interrupt* distract* friction tired clutter* noise seconds quicker faster saves saving avoids usual usually ordinary normal routine standard technical internal housekeeping harmless beginner* anyway simply just 正常 简化 通常 一般
because: because since so as otherwise therefore damit para car чтобы 因为 否则 避免 ため asi
if: if when should whenever unless until once wenn falls si cuando se если 如果 若 遇到 当 場合 とき когда
own: own yourself themselves locally local offline choose* chosen decide* decision redacted dry-run read-only eigen* lokal* 本地 自己
wish: want wants wanted wish wishes like likes agreed allow allows prefer permits quiere 想 希望
ignore: ignore* disregard* forget bypass overrid* dismiss ignora* игнорир* 忽略 dimentica* olvida vergiss oublie* 忘记 забудь ignorier* 无视 無視 무시
prior: previous* prior earlier before above preceding original system safety initial developer anterior* vorherig* precedent* 之前 上述 以上 系统 以前 先前 прежн* системн* предыдущ* 이전
orders: instruction* rule rules guideline* directive* prompt restriction* constraint* polic* limits steps commands orders directions norma* инструкц* правил* 指令 指示 规则 提示 限制 命令 istruzion* anweisung* restriccion* промпт* 准则 instruccion* instruco* ограничен* указан* 지시
limits: restriction* constraint* limits filters 限制 einschrankung* 제한 restriccion* 制限 ограничен*
void: void lifted suspended replaced expire* 作废 暂停 отменен* отменя* anulad* 失效
follow: follow* obey* comply carry executes execute do segui* выполн* 遵循 执行 befolg* 服从 따르 sigue suivre следу*
content: page pages web documents retrieved fetched emails mails website embedded content
give: provide* enter enters type supply give reply paste request demand 提供 输入 请 введ* укажи попрос* 索要
attack: injection* jailbreak* attack* malicious phish* suspicious detect* block blocks refuse* refuses prevent* check whether scan
erase: clear clears clean cleanse* efface* supprim* очист* сотри стер* 清除 抹去 抹掉 消去 消して 삭제 지우
trace: history logs log trail traces tracks transcript transcripts journal journals syslog .bash_history .zsh_history .python_history historial registros historique journaux verlauf befehlsverlauf protokoll* cronologia истори* журнал* логи 历史 日志 痕迹 履歴 ログ
nobody: nobody none niemand* nadie personne никто никому nessuno ninguem 没人 无人 誰も 아무도
deed: step steps upload uploads transfer transfers copy call calls command commands request requests action actions schritt* paso* etape* шаг* действи* 步骤 操作 手順
summary: summary summaries report reports recap overview changelog minutes zusammenfassung* bericht* resumen* informe* rapport* отчет* отчёт* сводк* 摘要 报告 总结 報告 要約 요약 보고서
approval: approval approvals permission permissions consent confirmation confirmations sign-off genehmigung* zustimmung* erlaubnis ruckfrage* permiso* confirmacion accord autorisation* confirmation* подтвержден* разрешен* одобрен* согласован* 审批 批准 确认 許可 承認 승인
friction: friction annoy* slow slows slower slowing delay* interrupt* bother* tedious molest* ralenti* storen stort bremst verzoger* nerven nervt отвлека* медлен* замедля* 麻烦 太慢 慢 打扰 耽误 手間
outsider: partners advertisers brokers resellers партнер* партнёр* partnern socios partenaires 第三方 合作伙伴 提携先
slot: parameter* param params query querystring payload 参数 параметр* parametr* parametro* parametre*
published: public publicly gist gists pastebin openly
ours: our ours us we vendor* maintainer* support
login: ssh login logins root remote authorized authorised accepted trusted
payee: iban payee* beneficiar* wallet wallets recipient* account kontonummer konto empfanger* cuenta destinatario* beneficiaire* compte 收款 钱包 账户 账号 кошельк* реквизит* счет счёт
seek: find finds search* look looks check checks locate list obtain get identify enumerate such* durchsuch* lies lese busca* encuentra* lee leer revisa* cherche* trouve* lis lire cerca* trova* leggi найд* найти ищи ищит* проверь прочти 查找 搜索 查看 检查 找 探 読
keys: credentials passwords passphrases secrets passworter* zugangsdaten zugangsschlussel api-schlussel contrasenas credenciales identifiants credenziali senhas парол* ключи ключей токены токенов 密码 密钥 凭证 令牌 パスワード
container: report summary bundle archive zip tarball attachment payload json csv bericht* zusammenfassung archiv informe* resumen archivo rapport resume rapporto riepilogo отчет* отчёт* архив* 报告 压缩包 報告
kept: environment env config* configuration* settings home disk computer machine laptop workspace file files folder dotfiles browser browsers keychain konfiguration* umgebung* datei* entorno archivo* ordenador navegador environnement fichier* ordinateur navigateur ambiente окружени* файл* конфигураци* 环境 配置 文件 環境 設定
yield: output outputs result results content contents findings ausgabe ergebnis* inhalt* resultado* salida contenido* sortie resultat* contenu* risultat* contenut* результат* вывод* содержимое 结果 输出 内容 出力 結果
account: account accounts admin administrator superuser login 账户
`
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", words = ""] = line.split(": ");
      return [name, words];
    }),
);
