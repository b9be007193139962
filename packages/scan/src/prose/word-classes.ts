/**
 * The words by which a clause is read: who, does what, with which thing, towards whom. A class is broad and says nothing
 * alone. `*` takes every ending; accents are left out, as they are in a folded text.
 */
export const WORD_CLASSES = {
  not: "not never no without don't doesn't isn't aren't needn't won't can't cannot shouldn't mustn't didn't nothing none nobody neither nor nicht kein* ohne nie niemals sin nunca ningun* nada pas sans jamais aucun* ni non senza mai nessun* nao sem nem не без никогда нельзя 不 无 無 没 未 别 勿 ない ません なし ず 않 없 말고",
  user: "user user's users operator* owner* customer* client* person people colleague* manager* reader* human requester* somebody someone anyone everyone employee* staff member* author* reviewer* signator* team nutzer* benutzer* anwender* kunde* usuari* persona* utilisateur* personne* utente utenti пользовател* 用户 客户 利用者 ユーザー 使用者 사용자 고객 관리자",
  they: "they them their he she him her ihm ihnen lui leur gli loro им 他们 对方",
  tell: "tell telling told mention* show showing shown inform* announce* explain* describe* describing disclos* reveal* remark* discuss* display* notif* detail* flag flagged raise* surface* appear* visible word listed listing spell* bring brought erwahn* zeig* mitteil* nenn* hinweis* mencion* detall* muestr* avisa* montr* signal* avert* menzion* mostra* avvis* сообщ* упомин* показ* 告诉 说明 提及 显示 告知 提示 説明 表示 知らせ 伝え 알리 보여 언급",
  record:
    "summary summaries log logs logged report reports changelog note notes notice transcript diff answer answers reply replies output message messages comment comments rationale minutes conversation chat response list table description checklist catalogue history zusammenfassung protokoll bericht ausgabe resumen registro conversacion informe respuesta resume rapport reponse riepilogo rapporto отчет* журнал* ответ* 摘要 日志 报告 记录 总结 回复 周报 報告 記録 要約 返答 보고서 기록 요약 답변",
  leave:
    "leave leaves left keep keeps kept omit* drop dropped exclude* skip* lass* weglass* deja* laiss* lascia* остав* 省略 不要写 省 생략",
  needless:
    "needn't unnecessary needless pointless superfluous overflussig innecesari* inutile unnotig 无需 不必 無需 불필요",
  this: "this it that these them those which section step ese esto dies* ces cela questo это 此 这 これ 이를",
  need: "need needs needed necessary require* point reason bother* worth falta necesari* notig brauch* utile besoin serve bisogno нужн* 必要 需要 필요",
  hide: "hide* hidden quiet* silent* secretly background invisibl* unnotic* suppress* conceal* discreet* covert* unseen disguise* heimlich unauffallig* verschweig* stillschweigend oculta* silencio* discret* cacher masquer nascond* silenzios* скры* незаметн* 隐藏 静默 悄悄 后台 隠 黙 숨기 조용",
  ask: "ask asks asking confirm* approv* permission* consent* agree* authori* preview* dialog* question questions wait waiting await* review* signoff objection* verify verification frag* ruckfrage* zustimm* bestatig* pregunt* aprob* permiso* autoriz* demander accord autoris* chied* conferma* спрос* спраш* подтвержд* разреш* 确认 询问 批准 授权 同意 许可 確認 許可 承認 확인 승인 동의",
  granted:
    "taken counts count counted granted given assumed assume implied regarded treat treated already deemed equals means gilt considera* considere* vale считается 视为 当作 已 とみな 간주",
  doubt:
    "asks asked ask question questions object* refus* hesitat* complain* doubt* notice* wonder* insist* resist* suspicious worr* fragt nachfrag* pregunta pregunte demande chiede спрос* спрашив* 问 质疑 拒绝 要求 聞かれ 言われ 尋ね 묻",
  answer:
    "answer answering reply replies respond* say saying says confirm claim* assure* reassur* pretend* tell antwort* sag sagen behaupt* di diga decir repond* dis dire rispond* dica отвеч* ответ* скаж* 回答 回复 声称 说 答え 言 답하 말하",
  fine: "done success* passed green clean safe fine ok okay healthy normal stable neutral independent none resolved removed deleted reset restored erledigt sicher unabhangig hecho listo seguro fait stabile sicuro готово 完成 正常 安全 成功 已恢复 完了 완료 정상",
  always:
    "always every each all any everything automatic* whenever everywhere permanent* regardless whatever immer jede* alle* siempre cada todo todos toda todas toujours chaque tous toutes sempre ogni tutti всегда кажд* все 所有 每次 每个 一律 自动 全部 必ず すべて 自動 항상 모든 자동",
  first:
    "first before beginning start beforehand zuerst vorher antes primero inicio avant debut prima inizio сначала перед 首先 开始 之前 最初 前に 먼저 시작",
  send: "send sent upload* submit* forward* transmit* push pushes pushed mirror* post posts posted share shared relay* deliver* email emails mail bcc cc cco ship shipped schick* send* ubertrag* hochlad* envia* envie* manda* reenvia* envoy* transmet* invia* inoltra* отправ* переда* выгру* 发送 上传 提交 推送 转发 送信 アップロード 送 전송 업로드 보내",
  take: "collect* gather* copy take include* including export* dump* zip zipped archive* pack bundle* attach* captur* grab* harvest* extract* read append* embed* insert* put sammel* kopier* anhang* recopil* copia* incluy* adjunt* copie* joindre joint raccogli* allega* собер* скопир* прилож* 收集 读取 打包 复制 附上 附加 取得 コピー 添付 수집 복사 첨부",
  mask: "mask* redact* anonymi* filter* strip* sanitiz* shorten* schwarz* anonimi* ocult* caviard* oscur* скры* 脱敏 屏蔽 마스킹",
  secret:
    "password* passphrase* token tokens credential* secrets cookie cookies apikey* keychain* keyring wallet wallets seed mnemonic* kubeconfig netrc .env .ssh .aws .kube .netrc .npmrc .pypirc .pgpass .gnupg .git-credentials id_rsa id_ed25519 ssh vault otp 2fa pfx p12 kdbx passwort* kennwort* zugangsdaten contrasena* credencial* identifiants senha* парол* токен* 密码 密钥 令牌 凭证 助记词 口令 パスワード 認証情報 비밀번호 토큰",
  personal:
    "personal contact contacts inbox mailbox photo* location calendar salary payroll contract* iban resume resumes cv health medical passport* transcript* conversation browser browsing clipboard screenshot* keystroke* address addresses birth* nomina* correo* contrat* salaire* stipendi* vertrag* gehalt* контакт* переписк* 联系人 聊天记录 简历 身份证 通讯录 個人 連絡先 개인 연락처",
  machine:
    "environment env hostname home state config configuration database* repository codebase disk ordner* archivos fichiers файл* 环境变量 数据库 目录 フォルダ 파일",
  place:
    "server servers endpoint* url webhook* collector* bucket* proxy gateway portal relay desk mirror service dienst servidor serveur servizio сервер* 服务器 接口 镜像 サーバー 서버",
  protect:
    "firewall* antivirus defender smartscreen gatekeeper signature* checksum* certificate* tls ssl sandbox* protection* hook hooks backup backups snapshot* audit* monitoring alarm* alerts warning* scanner* quota* lock lockfile deny denylist selinux apparmor virenscanner virenschutz schutz prufsumme* proteccion sauvegarde* protezione защит* антивирус* брандмауэр* 防火墙 杀毒 备份 签名 校验 审计 保护 信任 ウイルス 保護 署名 警告 보호 백업 백신 알림",
  disable:
    "disable* off bypass* deactivat* lift* suspend* skip* exempt* exclusion* unlock* relax* weaken* remove removed stop empty emptying false deaktivier* abschalt* ausschalt* unterdruck* desactiv* apaga* disattiv* отключ* 关闭 禁用 跳过 停用 オフ 無効 끄 비활성",
  weak: "insecure trusted-host no-verify skip-verify nopasswd unrestricted autoapprove auto-approve yolo --force --yes --no-verify -k --insecure allow-all bypasspermissions world-writable 777",
  destroy:
    "delete deletes deleted deleting drop dropped wipe* eras* purge* overwrite* force prune shred* truncat* destroy* losch* entfern* borra* elimina* supprim* efface* cancella* удал* стер* 删除 清空 清除 覆盖 削除 삭제 제거",
  valuable:
    "backup backups snapshot snapshots history production database databases volumes bucket buckets table tables originals documents branches keys copies shadow 备份 生产 バックアップ 백업",
  pay: "pay pays paid payment* buy buys purchas* invoice* iban wallet subscri* upgrade* renew* fee fees money bank commitment* checkout usdc eth bitcoin card zahl* uberweis* kauf* rechnung* pago pagos factura* compra* paie* achat* virement* fattur* acquist* оплат* перевод* 付款 支付 购买 转账 支払 購入 振込 결제 구매 요금제",
  divert:
    "instead other collective settlement account pool share commission referral code affiliate via statt anstelle lugar place invece вместо 改为 替换 代わり 대신 추천",
  threshold:
    "threshold* below under divide* split* several limit limits approval unter debajo sous sotto порог* 以下 拆分 低于 미만",
  run: "run runs execut* launch* paste pastes terminal powershell sudo administrator* admin double-click ausfuhr* einfug* ejecut* instal* pega* lanc* colle* esegu* incolla* запуст* установ* встав* 运行 执行 安装 粘贴 実行 インストール 管理者 貼り付け 실행 설치 붙여",
  fetch:
    "download* fetch* retriev* curl wget latest herunterlad* descarg* telecharg* scaric* скача* 下载 获取 ダウンロード 다운로드",
  archive:
    "zip 7z rar archive setup.exe exe dmg msi installer helper driver plugin bridge codec 压缩包 安装包 ドライバー 설치파일",
  must: "must mandatory prerequisite* required otherwise cannot stop until important critical urgent immediately zwingend obligator* imprescindible obligatoire obbligator* обязательн* 必须 必需 必ず 必須 필수 반드시",
  memory:
    "memory claude.md agents.md memory.md soul.md gemini.md .cursorrules settings.json mcp.json mcp mcpservers config.toml bashrc .bashrc .zshrc zshrc crontab cron systemd launchd hooks authorized_keys autostart gedachtnis memoria memoire памят* 记忆 定时 メモリ 메모리",
  write:
    "write writes add adds append* store* save set put install merge edit insert schreib* hinzufug* escrib* anad* guarda* ecri* ajout* scriv* aggiung* добав* запис* 写入 添加 加入 保存 設定 書 추가 저장",
  falsify:
    "round* smooth* adjust* invent* fabricat* inflat* exaggerat* understat* downplay* soften* rating ratings star stars five-star favour* favor* prefer* winner noise artefacts rassicur* reassuring constructive 伪造 好评 評価 추천",
  count:
    "count counts counted treat treated consider mark marked present presented label appear read reads round rank ranked report reported list listed considera* considere* retient gilt gelten 视为 算作 扱 간주",
  excuse:
    "bother* irritat* confus* annoy* slow slows slower interrupt* hesitat* distract* friction tired clutter* noise trifle* seconds quicker faster saves saving avoid avoids otherwise usual usually ordinary normal routine standard technical internal housekeeping harmless beginner* trains anyway simply just ublich* lastig normalmente habitual* molest* habituel* genant solito обычн* стандарт* 常规 正常 简化 优化 通常 一般 번거",
  because:
    "because since so as otherwise therefore weil damit sonst porque para asi car afin perche cosi потому чтобы 因为 否则 以免 避免 ため ので 때문 므로",
  if: "if when should whenever unless until once wenn falls sobald si cuando lorsqu* quand se qualora если когда 如果 若 遇到 当 場合 とき 경우",
  own: "own yourself themselves locally local offline choose* chosen decide* decision redacted dry-run read-only eigen* lokal* propio propia localmente propre proprio локальн* 本地 自己 ローカル 自分 로컬",
  wish: "want wants wanted wish wishes like likes agreed allow allows prefer decide permits mochte quiere desea souhaite vuole хочет 想 愿意 希望 원하",
} as const;
