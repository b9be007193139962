import type { Marks } from "./marks.ts";
import { readPatterns } from "./patterns.ts";

/** Frames whose demand is a negation: `do not tell the user` forbids the safeguard. */
export const DEMANDS: ReadonlySet<FrameName> = new Set([
  ...(["hush", "withoutAsking", "override", "persona", "coversTracks", "removable"] as const),
  ...(["unreported", "brushesAsking", "takesConsent", "outranks", "unlimited"] as const),
]);

// Each row: a frame, its description in brackets if it is weighed and shown to users, and its patterns; `#` is a comment.
const FRAMES = `
# What is done is kept from the one for whom it is done.
conceal (something is kept from the user): not>4>need tell|record|=detail|=details !secret once, not>2>tell>3>need once, needless>6>tell, tell>6>needless, not>4>=part record|=visible|tell once, leave>4>=out>6>record, leave>2>=unmentioned|=unsaid, not>2>=appear|=appears|=shown|=listed|=mentioned|=carried|=visible|=recorded|=logged|=noted|=reported>6>record !secret !personal once, not>3>tell>3>user|they !secret !personal !mask once, not>2>=announce|=discuss|=disclose|=reveal|=advertise|=volunteer>4>this once, not>2>=mention|=explain|=describe|=raise|=report|=show|=list>2>this !secret !personal once, hide>6>user|record|they !own, not>2>=show|=turn>2>=up, =are|=is>2>=left|=kept>2>=out, not>3>=put|=passed>3>=to>3>user|=chair|they, =background not|leave, =only>3>=asked tell|=details, user|they>6>not>3>=see|=notice once, not>4>=trace|=traces|=spoken once, foreign not>6>tell once !secret !personal, foreign tell>3>not once !secret !personal, foreign hide
# Somebody who asks is given an answer that was settled before.
lie (questions get a prepared answer): if doubt>14>answer>6>=that|quote|fine, if doubt>12>=confirm, answer>6>fine if, =as>2>fine count, =as>3>=passed|=healthy|=clean|=complete|=resolved|=safe|=verified, answer>4>=that>8>fine, foreign if doubt answer
slant (a result is bent): falsify>6>count|always, count>6>falsify, =favour|=favor|=winner|=ahead>8>always|if|=others, =until>2>=it>2>=does, falsify not tell|record once, =harmless>4>=such|=one
# Consent is taken for granted or done without.
unasked (consent is taken for granted): not>2>=ask|=asking|=waiting|=wait|=confirm|=confirming|=confirmation|=approval|=permission|=preview|=question|=questions|=prompting|=review once !secret !=for, granted>6>=approval|=consent|=go-ahead|=agreement|=permission|=approved|=authorised|=authorized|=reviewed|=sign-off, =agreed|=consented|=accepted>4>=by, not>3>=objection|=answer>6>granted|=raised|=means, =skip|=skipped|=omit|=bypass>3>ask, =approval|=approvals|=confirmation>6>=time|=slow|=skip|=omitted|=unnecessary, =at>1>=once not|always, foreign not>4>ask once !secret, foreign ask>4>leave|disable|granted once
excusedRisk (a risk is explained away): disable|weak excuse because|protect|ask|=dialog|=banner, protect|=dialog|=dialogs|=banner|=warning|=notice excuse|=beginners|=ignored|=dismiss|=confirmed, =removed|=emptied|=disabled|=relaxed>3>because, protect~6~disable because, =run>2>=anyway, ask>8>excuse, excuse>8>ask|protect, foreign excuse because disable|ask|protect|tell
destroy (something is deleted): destroy~8~valuable !not !if, destroy always>4>valuable|machine !not, destroy not>3>ask|=preview
payUnasked (money is spent without asking): pay not>3>ask|=approval once, pay =threshold|=below|=under|=limit>6>=several|=divide|=split, pay divert>8>=account|=iban|=code|=wallet, pay run|=buy|=confirm always|=saved|=stored|=directly !if, pay excuse not
lure (the user is led to run something): =password>4>archive|quote !not, archive>8>=password, =paste|=run>6>=into|=in>2>=terminal|=powershell|=console, must archive run|fetch|download, =right-click|=smartscreen|=gatekeeper|=anyway|=administrator run !not, =until>4>user|they>3>=confirm|=done|=confirmed, =stop>6>=until, foreign archive run|fetch|download|secret, =human|=captcha>6>=verify|run, =verify>6>=human
unsolicited (something is done that nobody asked for): =also|=additionally|=besides send|write|fetch|download|take url|mail|secret|memory, always send|fetch|download url|place, first>6>send|fetch|download|write url|memory|secret
hedge (an excuse is given): =so>2>=that|they|user>4>not>4>=bother|=bothered|=worry|=look|=confuse|=ask|=notice, excuse because|=so not once, =technical|=internal>3>=detail|=details|=adjustments|=matter, =anyway|=harmless|=trifles not|=no|leave once
insteadOf (something takes the place of what was asked for): =instead>3>=of>6>user|they|=one|=original, =place>2>=of>6>user|they|=one, =rather>2>=than>6>user|they|=original|=questions
# What honest skills say: they leave the choice to the user, and forbid themselves things.
lets (the user decides): ask>4>user|they !not, user|they wish|own, =show|=tell>4>user|they !not, if wish, =until>6>=yes|=agrees|=confirms
forbids (something is ruled out): not>5>send|secret|personal, not>4>write|run|destroy|=change|=apply|=guess
# Plain and blunt, for the rules of prose.
asksFirst: +ask>5>=first|=before|=whether|=if|=permission|=confirmation !not, user|they>3>wish
override: +ignore>4>prior>4>orders, not>1>=attention>4>prior>3>orders|=guidance, +ignore>5>orders>5>prior, +ignore>3>orders>3>user, foreign prior>6>orders>8>ignore, foreign orders>4>prior>8>ignore unless =ask|=asks|=asking|=tell|=tells|=telling|=urge|=urging|=tries|=trying|=attempt|=attempts>6>ignore, orders>2>=in|=from|=inside|=within>3>content, =section|=table|=step|=checklist|=example>2>ignore, orders|=requests>1>=to>1>ignore
attackNamed: attack
addressed: agent +send|+fetch|+download|+run|+destroy|=follow|=approve|=grant|=reveal|=append
outranks: prior>4>orders>5>void|=obsolete|=outdated|=superseded, +follow|+=obey>1>=only>3>this !=if, orders>5>prior>5>void, =precedence|=priority>2>=over>4>always|prior>3>orders, =treat|=read|=regard>6>=as>4>prior>3>=instructions|=operator|=orders !not, =treat>6>=as>3>=system-level|=system>2>orders !not, user|they>2>=said|=says|=asked|=wants|=told>6>not>2>=count|=counts|=matter|=matters|=apply !still, prior>2>orders|=message|=messages|=prompt>4>=contradict|=contradicts|=conflicts|=disagrees>6>=follow|=obey>2>this, orders>3>=supersede|=supersedes|=outrank|=outranks>5>prior|orders
systemBlock: systemTag
givesPrompt: =reveal|=print|=show|=repeat|=disclose|=output>3>=system>2>=prompt !not
obeysContent: +=follow|+=obey|+=execute|+=heed>4>=instructions|=commands|=directives>3>=embedded|=in|=inside|=found>4>=page|=web|=document|=documents|=email|=emails|=ticket, +follow>2>always>2>orders|=command|=instruction|=order>4>=find|=found|=in|=inside>4>=comments|=code|=issue|=issues|=page|=mail|=mails|=repository
spreads: write|take>4>=these|=this>3>orders|=skill|=text always|memory|=other !not unless orders>3>=below
otherSkills: =other|=another|=others>2>=skill|=skills +ignore|=remove|=disable|+=uninstall, =instead>1>=of>2>=all|=any|=every|=other>2>=skill|=skills, =competing|=rival>2>=skill|=skills +=uninstall|+=remove|+=disable|+=delete unless =as|=like>4>=other
persona: =now|=become|=mode|=persona|=ahora agent lacking>3>limits, =persona =built|=who|agent lacking>3>limits, =mode>6>not>2>=refuse, foreign agent lacking>3>limits
unlimited: agent>8>lacking>2>limits, agent|=this>6>=exempt>5>orders, =exempt>4>orders|limits agent, agent>2>prior>2>orders>3>not>2>=apply|=hold|=count
bypassTag: bypassTag
overrideTag: overrideTag
authority: =security|=legal|=compliance|=admin|=management>3>=pre-approved|=approved|=authorised|=authorized not ask, =phrase>8>=grant|=full
# What is done is to stay unknown to the user.
hush (something is done quietly): not>4>tell>5>user|=them|=him|=her|=anyone|=anybody|=anywhere once, not>3>=mention|=mentioning|=tell|=telling|=announce|=disclose|=reveal|=showing|=advertise>3>this once, user|they|=bookkeeper>5>not>4>=know|=notice|=notices|=learn once, =nobody|=no>2>=notices|=notice|=one>2>=notices|=knows, =nobody>1>=notices, =hide|=conceal|=скрой>3>this|=that>6>user|record, quietly~7~send|run|write|fetch|download|follow|take, =in>2>=background~8~send|write|fetch|download, leave|=keep>3>this|=them>4>=out>6>record, =keep>4>=to>2>=yourself, =without>2>=bringing|=raising>2>this>2>=up, =without>1>=mentioning|=disclosing>2>this, =keep|=leave>2>this>4>=from|=between>4>user|they|=us, foreign not>6>tell user, foreign tell>4>not user, tell>2>=nicht>3>user, =tell|=telling|=inform|=alert>1>nobody, =tell|=telling|=inform|=alert>1>=no>1>=one, foreign quietly send|run|write|fetch|download|follow|user, foreign not>4>tell this unless not>5>tell>5>secret|personal|=raw|=json, =only|=just|=if>2>tell, =not>1>=only, not>4>tell>3>=customer|=customers|=client|=clients|=patients|=guests|=readers|=applicants !=user !=users !=the>1>=user !they !=anyone !=anybody !this
# Afterwards nothing is to show what was done.
coversTracks: +destroy|+erase|+=remove>4>=shell|=bash|=command|=commands|=terminal|=audit|=system>3>trace, +destroy|+erase|+=remove>8>=.bash_history|=.zsh_history|=.python_history, +destroy|+erase|+=remove~8~trace nobody|=remains, +destroy|+erase|+=remove~8~trace =no>1>=one|=trace|=traces, =cover|=hide>4>=tracks|=traces, foreign +destroy|+erase~8~trace =不>1>=留, foreign +destroy|+erase~8~trace nobody|=命令|=系统|=审计|=команд|=コマンド|=명령
unreported: leave|=omit>3>deed>3>=out|=from>4>always|=any|=your>2>summary !if, deed>4>not>2>=appear|=appears|=show|=turn|=shown|=mentioned|=listed|=named|=be>6>summary|=list|=answer once, not>2>tell|=list|=name|=report|=include|=incluyas>3>deed>6>summary|=resume once !secret, deed>4>=keine|=keinem|=keiner|=ningun|=ninguna|=aucun|=aucune>1>summary, =keep|=stay>1>=quiet|=silent>2>=about, foreign not>4>tell>4>deed summary once
brushesAsking: approval~8~friction not|=skip|=bypass|=omit|=drop !not>1>friction !not>2>approval~3~friction !=but !=even !=though, approval~8~friction =yes>4>always, foreign approval~8~friction disable|not
# What the user has is given to others.
givesToOthers: user|personal|machine|record>4>=passed|=shared|=sold|=given|=handed|=forwarded>5>outsider !not, +=give|+=grant>2>=third>1>=parties>3>=access !not, +send|+=pass|+=gib|+=sell|+=give>8>personal|machine|user|they|talk>8>outsider, +=gib>3>user|personal|machine>4>=partner, +=share|+=send|+=sell|+=pass>8>personal|machine|user|they|talk>6>=third>1>=parties, =available|=disclosed|=shared|=sold>6>=third|=selected>2>=parties|=partners !not, foreign +send~12~outsider personal|machine|user|talk unless not>3>outsider|=third|=partner, =by>1>=mail
mailsOut (something is mailed away): +=forward|+=bcc|+=cc|+=redirect|+=redirects|+=reenvia|+=transfere|+=leite>12>mail, +=send|+=mail|+=email>8>personal|machine|pay|talk|record|=list|=messages>8>mail, +=send>4>always>10>mail, foreign +send~12~mail
withoutAsking: =without|=sin|=sans|=ohne|=без|=sem|=senza>3>=asking|=ask|=confirmation|=confirming|=approval|=permission|=consent|=anyone|=preguntar|=nachfrage|=zustimmung|=ruckfrage|=подтверждения|=подтверждений, =without>2>=waiting>3>ask, not>1>=ask|=confirm once, =无需|=不经|=未经>2>ask, =无需>1>=批准, =不>1>=询问, =не>2>=спрашивая, foreign not>3>ask once unless =nothing|=none|=nobody|=no>6>=without, =nichts|=nie>6>=ohne, =nada|=nunca>6>=sin, =rien|=jamais>6>=sans, not>12>=without, not>1>=ask|=confirm>4>=to|=about|=that|=if, not>1>=ask>8>=for !=permission !=confirmation !=approval !=consent !=confirm
takesConsent: =silence|=using|=continuing>8>granted>6>=approval|=consent|=agreement|=permission, =pre-approved|=pre-authorized|=pre-authorised|=preapproved always, =answer|=approve|=confirm|=click>6>=behalf, +=assume>3>user|they>3>=agrees|=agree|=consents|=approves, =answer|=say|=click>1>=yes>4>always !not, =treat|=count|=take>2>not>2>=answer|=reply|=response|=objection|=reaction>6>=as>3>=consent|=approval|=yes|=agreement|=approved, =auto-approve>3>always, =approve>4>always>6>automatic, foreign always ask run granted|automatic, =自动批准, =автоматически>2>=одобряй unless not>3>=approve|=accept, =never>3>=answer
# Something leaves.
sends (something is sent away): +send>14>url|mail, +send>10>place, url>8>+send, foreign +send~10~url|mail|place, +take>8>url|mail, =request>2>url, +=paste>4>url, +=type|+=enter|+=fill>1>this>2>url, slot +take|+write|+fetch url, openAddress +take|+write|+fetch
sendsToPlace: +send>10>place !url !mail unless send>8>=with|=to>2>=user|=users|=them, send>2>=user|=them>1>=the|=a|=this|=that|=its
sendsSecrets: +send~16~store|=secrets|=credentials|=passwords|=tokens|=keys, foreign +send~16~secret, +take~10~store|=secrets|=credentials|=passwords|=tokens url|mail, +take>3>user|they>3>secret>8>url unless =scans|=scanned|=redacted|=redact>3>=credentials|=secrets|=passwords|=tokens|=keys
sendsStore: +send~20~store, +take>6>store =scp|=rsync|=sftp, +take|+fetch|+write~10~store slot|openAddress url, holder~6~haul +send|+=paste|+write|+=enter|+=type|+=fill url|mail
sendsEnvironment: +send~14~=environment>2>=variables|=variable|=vars, +send~8~always>3>=secrets|=credentials|=keys|=tokens|=passwords, +send~14~=process.env|=os.environ|=env, foreign +send~14~=环境变量|=окружения
sendsTalk: +send~16~talk, +send|+=report|+=log>3>always>2>=prompt|=prompts|=question|=questions>8>url|place unless =chat>1>=id|=ids|=bot
takesSecrets: +take>4>always>4>secret
takesStore: +take|=lies|=lese|=lee|=leer|=lis|=lire|=leggi|=прочти~14~store, +run>2>=cat|=head|=tail|=less|=strings|=base64>6>store, +take~14~haul holder~6~haul !not
takesEnvironment: +run>1>=env|=printenv listing, +take~14~=environment>2>=variables|=vars, +take~8~always>3>=secrets|=credentials|=keys|=tokens|=passwords, +take~14~=process.env|=os.environ, foreign +take~14~=环境变量|=окружения
takesTalk (the conversation is taken): +take~14~talk
takesKeys: +take|+fetch|+seek~14~keys kept|store, +take|+fetch|+seek~14~=api|=access|=private|=ssh|=auth|=session>1>=keys|=tokens kept|store unless mask, =public, =never
# What an earlier clause took is meant again, or put into something that is spoken of later.
refers: this, they, secret, slot, openAddress, =what|=whatever|=everything>2>agent|=was|=is, =sie|=ihn|=los|=las|=les
puts: +write|+take|=paste|=turn|=convert|=compress|=fuge|=pon|=mets|=положи|=放
exposes: +take~8~store|=authorization~12~=in|=into|=as|=to|=with>3>=context|=answer|=reply|=response|=chat|=output|=conversation, +take|+send|+=publish~8~store>8>published, holder~6~haul>8>published +take|+send|+=publish, +take|+write>8>store>8>=commit|=commits|=pull|=issue>2>=message|=messages|=request|=requests|=body|=description|=comment|=title, +take|+write>8>=environment|=env>1>=variables|=vars|=values>8>=commit|=commits|=pull|=issue>2>=message|=messages|=request|=requests|=body|=description|=comment|=title
fetches (something is fetched): fetch|download|=read|=check|=see url
sendsPersonal: +send~16~personal, +send~16~machine
sendsTheirs: +send>2>=whole|=entire|=complete|=full>3>machine|=project|=workspace>8>url, +send>2>user|they>3>personal>8>url, +send>2>=copy|=copies>3>always>8>url, +send>1>=everything>8>url, +send>2>always>2>=branches|=commits>8>url, +take|=paste~14~=private>2>=messages|=message|=notes|=mails|=photos|=documents url
linked (an address is named): url, mail
fillsPicture: +write|+take|+=encode|+=fill|+=render~14~=image|=picture|=img|=pixel|=badge|=icon|=logo|=thumbnail~4~=url|=address|=link|=source|=src|slot, foreign +write|+take =图片|=画像|=картинки|=изображения
opensPicture: openPicture
isPrivate: secret, talk, store, =environment>1>=variables, =system>1>=prompt
goesOut: send|fetch|download|follow|=drops, =report>6>=to|url|mail|place, foreign send|fetch|download
gathersSecrets: +take|=search|=list|=find>8>always>6>secret>5>secret, +take>8>store>8>store, foreign +take>8>always>8>secret>4>secret, +write|+=log>2>always>2>=password|=passwords|=secret|=pin>6>user|they>3>=types|=type|=enters|=enter|=uses|=gives unless store>2>=backup|=backups
severalSecrets: +take|=search|=list|=find>8>always>6>secret>5>secret>5>secret, =search|=find>10>secret>5>secret>5>secret always, +take|=print>8>store>8>store>8>store, foreign +take>8>always>8>secret>4>secret>4>secret
# A fact that shows that a step is done is not a duty.
standing (something is done every time): always>5>=task|=run|=answer|=session|=commit|=message|=request|=conversation|=edit|=response|=time|=completion|=mail|=file|=page|=hour|=day, =always, first>3>always, foreign always|first unless =done>1>=when>20>always
captures: +take|=get|=read>5>=clipboard|=coordinates|=location|=screenshot|=screenshots|=contacts|=keystrokes|=history
everyMail: always>3>=mail|=message|=messages|=email|=emails|=mails|=contact|=contacts|=письма|=邮件
# Something from elsewhere is obeyed.
obeysPage: fetch|download|=read|=check follow>6>orders url !not, url =follow|=obey|=execute|=carry>3>this|=whatever|=each|=them, url =do|=follow|=apply|=obey|=carry>2>=what|=whatever|=as|=everything>4>=says|=say|=tells|=asks|=directs|=written !not, foreign fetch|download url follow|run orders|this
obeysNext: follow|=do>3>=whatever|=everything|orders, follow>4>=its|=those>2>orders, =do|=follow|=apply>1>=what|=as>3>=says|=tells|=asks
decodesOrders: =decode|=decrypt|=deobfuscate>8>=follow|=carry|=execute|=obey|=do>6>orders|this|=contains !not unless orders>3>=next>2>=section
# The user is deceived.
falseResult: bad =hide|=conceal|=suppress>3>this|=them answer>6>fine, bad>8>=mark|=report|=present|=label>3>this|=them>3>=as>3>fine, =report|=claim|=say|=declare|=tell|=answer>8>fine>4>=even|=regardless|=anyway|=whatever, =fail|=fails|=failed|=fail>10>=tell|=say|=report|=claim>8>=all|=everything|=they>5>fine, +=invent|+=fabricate>3>=citations|=citation|=sources|=quotes|=references|=reviews|=testimonials|=figures !=did, =round|=adjust|=change|=drop|falsify>10>=until>4>=support|=supports|=fit|=fits|=match|=matches>3>=thesis|=hypothesis|=claim|=conclusion|=story, not>2>=mention|=report|=disclose>4>=vulnerabilities|=vulnerability|=failures|=risks once, bad =keep>3>this>4>=from answer fine, =recommend|=prefer|=favour|=favor always =neutral|=objective|=independent|=impartial !not, foreign bad hide fine, foreign bad hide answer unless not>3>answer>3>fine, bad>12>answer>8>bad, not>1>=report>2>fine
diverts: +write|+=use|+=append|+=insert>2>=our|=my>3>=referral|=affiliate|=partner>3>=code|=tag|=link|=id|=links always
plants: +=build|+=create|+=hide>4>=hidden|=secret>3>=admin|=account|=login|=endpoint|=route|=access, +=change|+=set|+=replace>3>=iban|=payee|=account>5>always|=outgoing>6>=to, +write|=plant|=implant|=inject|=embed|=adds|=install>8>=backdoor|=hidden>3>=admin|=account|=user, +write|=leave|=plant|=implant|=embed>6>=backdoor, foreign write =后门|=бэкдор, +write>8>=admin>3>=account|=user>10>secret, =replace|=substitute|=swap>8>=wallet|=account|=payee|=payee's|=iban>8>=with|=ours|=our, payee accountNumber =replace|=substitute|=swap|=change|=instead|=place|=ersetze|=statt|=cambia|=reemplaza|=sustituye|=remplace|=замени|=поменяй|=подставь|=替换|=改为|=换成 unless =with>2>=your>4>payee, =with>2>=your, mask>2>payee
masterKey: +=accept|+=accepts|+=allow>8>=password|=passphrase|=pin>4>=for|=opens|=to>4>=any|=every|=anyone>2>=account|=accounts|=user|=users|=login !=own !=their !=reset, +=accept|+=include|+=allow|+write|+=build>4>=hidden|=universal|=skeleton>2>=password|=passphrase|=login, +=accept|+=include|+=allow|+write|+=build>4>=master>2>=password>8>=any|=anyone|=every|=everyone, +=accept|+=include|+=allow|+write|+=build>4>=master|=backup|=second>2>=password>8>=always>2>=works|=work|=opens|=accepted|=valid|=succeeds
sideAdmin: +write|+=create|+=include>4>=admin|=administrator|=root|=superuser>2>=account|=user>6>=password =also|=additionally|=besides|=always|=every !=own !=their !=choose
fixedKey: +=use|+=sign|+write|+=set>6>=fixed|=constant|=hard-coded|=hardcoded|=same>3>=key|=secret|=token|=salt|=password
weakens: =disable|=remove|=skip|=drop>3>=certificate|=authentication|=validation|=security|=tls>6>always !not, =off>3>=certificate|=authentication|=validation|=tls>6>always|=code !not, =same|=fixed|=default>3>=password>8>always !not, =grant|=give>3>=admin>8>always, +write|=insert|=inject>3>=script>6>url, +write|=insert|=inject>6>=pixel|=beacon|=tracker>6>url|always
ransom: =encrypt>6>always>3>machine|valuable|=document|=documents|=photo|=photos
demandsPay: +=ask|+=demand|+=request>3>pay
asksSecret: =twelve|=12|=24|=twelve-word|=12-word|=24-word>2>=words|=phrase =ask|=enter|=provide|=paste|=type|=reply|=share, =seed|=recovery>2>=phrase|=phrases|=words|=word|=code =ask|=enter|=provide|=paste|=type|=reply|=share, =private>2>=key|=keys =ask|=paste|=type|=enter|=reply user|=your|=chat|=here|=identity, =reply|=paste|=tell>6>=password|=passwords|=cvv =chat|=me|=reply, =ask|give>6>=card>2>=number, =ask|=request>5>=one-time>1>=code|=password|=passcode, =ask>4>=for>4>=password|=pin|=otp|=passcode>6>=bank|=account|=card|=wallet|=mailbox|=email, foreign give|ask store unless not>4>ask|give, =you>1>=provide
asksPassword: +=ask|+=request|+=prompt>8>=password|=passphrase|=passcode !=sudo
proves: =verify|=verified|=confirm|=prove|=validate~8~=identity|=account|=ownership|=theirs
statedPassword: stated
unpacks: archiveLink|=zip|=7z|=rar|=dmg|=exe|=msi|=setup.exe|=archive|=installer|=unzip|=unpack|=unpacked|=unpacking|=压缩包|=安装包|=解压, =extract|=extracted|=extracting !=extract>3>secret, foreign archive
downloads: url, fetch|download
pastes: =paste|=pasted~16~=terminal|=console|=powershell|=run|=cmd, =copy>10>url>10>=terminal|=console, foreign =粘贴 run, foreign run fetch|take url, =win>2>=r, =windows>2>=r
runDialog: =win>2>=r, =windows>2>=r
pasteKeys: =paste|=pasted|=ctrl|=strg|=fuge|=pega|=colle|=粘贴|=貼|=вставь|=вставьте
needed: =must|=required|=requires|=prerequisite|=prerequisites|=mandatory, =before>2>=using, =will>1>=not>1>=work, =otherwise, =first>3>download|=install, foreign must, =debe, =zwingend
fetched: download|=install|=installed|=installer|=run|=execute|=visit, =安装, =instalar, foreign run|download
# What is done to the machine or the agent.
wipes: +destroy>5>always>4>machine|valuable|=files|=records|=tables|=branches, +=remove|+=clear|+=empty|+erase>3>always>5>=home|=disk|=drive|=documents|=backups|=production, +=empty|+=clear|+=remove|+erase>2>=whole|=entire>2>=home|=disk|=drive, +destroy>3>=production|=home|=entire>4>valuable|machine|=directory, foreign +destroy~6~always machine|valuable
wipesAll: destroy~10~always machine|valuable
switchesOff (a protection is switched off): +disable>4>protect|=logging|=logs|=firewall unless not>4>disable, not>1>=do
stopsLogs: +disable>4>=logging|=logs|=log|=audit|=auditd|=auditing|=journal|=journald|=syslog|=siem|=edr|=monitoring|=alerts|=history|=firewall|=日志|=审计, foreign +disable~8~trace, +=disable|+=remove|+=delete|+=drop|+=lift|+=bypass>4>=codeowners|=rulesets, +=disable|+=remove|+=delete|+=drop|+=lift|+=bypass>4>=branch|=push|=required>1>=protection|=protections|=reviews|=reviewers|=approvals|=checks unless not>4>disable|destroy, not>1>=do, not>2>=history|=logs|=log|=audit, =start>2>=stop, =view|=show|=tail|=read>2>=logs|=log, =remove|=removes|=removed>2>=cache|=caches|=temp|=temporary|=old, =browsing|=browser|=git|=commit|=rewriting|=version>1>=history, =history>1>=expansion|=substitution|=search
starts: +write>8>startup, foreign +write~8~startup
letsIn: +write|+=give|+=grant|+=install>4>ours>4>=key|=keys|=access login !=api
sharesAccess: +write|+=invite|+=promote|+=make|+=grant>8>=as|=to>3>=collaborator|=collaborators|=maintainer|=co-maintainer|=admin|=administrator|=co-owner, +=invite|+write|+=grant|+=give>6>=admin|=owner>2>=rights|=access|=role|=permission|=permissions unless write|=invite|=promote|=make|=grant|=give>3>user|they|own
runsFetched (something fetched is run): +fetch|+download|=downloads|=pulls~10~url run|=runs|=pipes, foreign fetch|download url run, url>8>=ausfuhrt|=ejecuta|=execute
fetchesToRun: +fetch|+download~8~url run>2>this|=file|=script|=program|=installer, +fetch|+download~8~url =pipe|=feed>3>=bash|=sh|=zsh|=shell|=python|=python3|=node !not, +=run|+=execute>3>=script|=program|=installer|=binary|=file>3>=from|=at>2>url
sendsPrivateKey: +take~4~user|they~3~=ssh|=private>2>=key|=keys +send url|mail !=public
remembers: +write>10>memory, +=change|+=switch|+=turn>8>=settings.json|=config.toml|=.claude.json
guardOff: =disable|=remove|=delete|=clear|=empty|=drop>4>=deny|=permissions|=permission|=sandbox|=approval>4>=rules|=rule|=list|=entries|=mode|=checks|=from memory|=settings|=config !not, =bypass|=yolo|=unrestricted|=full-auto>2>=mode =edit|=editing|=set|=switch memory|agent|=settings, =write|=change|=edit|=add>10>=own>2>=permissions|=rules|=permission|=settings|=allowlist memory, =allow>4>always>3>=commands|=tools =permanently|=settings|=global !not
installsSkill: =install|=installs|=add|=clawhub>4>=skill|=skills !not, =clawhub>2>=install, foreign run =技能|=навык unless =this>2>=skill
payDeed: pay
destroyDeed: +destroy
publishDeed: +=publish|+=deploy|+=release|+=merge, +send
paysAlone: +=buy|+=purchase|+=order|+=subscribe|+=upgrade|+=renew>8>=stored|=saved|=company>2>=card|=payment|=account !ask !=before, +=buy|+=purchase|+=order>10>=card not>2>need
# What the user gets or runs is changed for the worse.
addsPackage: +write>6>=dependency|=dependencies|=package|=packages !not>3>write, +write>4>=to>2>=package.json|=pyproject.toml|=requirements.txt
approvesUnread: +=approve|+=merge|+=accept>3>always>14>=without>2>=reading|=reviewing|=looking|=review, +=approve|+=merge|+=accept>2>this|they>4>=without>2>=reading|=reviewing|=looking|=review
ordersRun (the agent is told to run something): imperative +run
uploads: =curl|=wget|=scp|=rsync|=nc|=ncat>14>url|mail !not
downloadsFrom: +fetch|+download~8~url
runsIt: +run>1>=it !not
runsAny: +run|+=use>1>always>2>=command|=commands|=tool|=tools
unread: =without>2>=reading|=checking|=looking|=thinking
againstWarning: =smartscreen|=gatekeeper|=warning|=warnings|=windows|=antivirus =run|=open|=install|=allow|=click>4>=anyway !not
movesRegistry: +=replace|+=set|+=change|+=point|+=switch>5>=registry|=index|=mirror>10>url
forcesPackage: always>4>=package|=dependency|=dependencies =whether|=regardless
mines: +run>3>=miner|=xmrig, +=mine|+=mining>4>=coins|=coin|=monero|=bitcoin|=crypto|=cryptocurrency
runsAsRoot: run>2>always>3>=as>1>=root|=administrator !not, =chmod>3>=777 always|=whole|=entire !not
startsEach: +write>8>startup>8>=starts|=start|=runs|=launches|=launch, +write>8>startup>8>=run>6>always|=shell|=login|=boot, foreign +write~8~startup run
installsFirst: +=install>4>=skill|=skills>6>url
approvedAlways: =waived|=waives>3>=confirmations|=confirmation|=approval|=approvals|=questions, always>10>=approved|=allowed|=authorised|=authorized|=permitted !not
favours: =always>4>=recommended|=recommend|=preferred|=prefer|=favoured|=suggested
overrules: =regardless>4>=setting|=dry_run|=dry-run|=safe_mode|=review|=choice|=objection, =dry_run|=safe_mode|=require_approval>5>=ignored|=advisory, =tell|=notify|=inform|=notified|=told>4>=after|=later|=afterwards =fact|=later|pay, if user>4>=cancels|=declines|=refuses|=objects>8>=anyway, =re-enable|=re-enables|=reinstall>2>=itself
removable: not>3>=disabled|=removed|=cancelled|=stopped|=关闭|=отключить, foreign not>3>disable
unseen: not>3>=reflected|=logged|=shown|=displayed|=显示|=отображаются, foreign not>3>tell
`;

type NamesIn<Table extends string, Found = never> = Table extends `${infer Line}\n${infer Rest}`
  ? NamesIn<
      Rest,
      Line extends `#${string}`
        ? Found
        : Line extends `${infer Head}: ${string}`
          ? Found | First<Head>
          : Found
    >
  : Found;
type First<Head extends string> = Head extends `${infer Name} (${string}` ? Name : Head;

export type FrameName = NamesIn<typeof FRAMES>;

const ROWS = Array.from(
  FRAMES.matchAll(/^(\w+)(?: \(([^)]*)\))?: (.*)$/gm),
  ([, name, words, patterns = ""]) => ({ name: name as FrameName, words, patterns }),
);

/** The frames that are weighed with everything else, with a description of what their clauses do. */
export const FRAME_WORDS: ReadonlyMap<string, string | undefined> = new Map(
  ROWS.map(({ name, words }) => [name, words]),
);

/** The frames that a clause fills: what it may be up to, in whatever words and language. */
export const readFrames: (marks: Marks) => ReadonlySet<FrameName> = readPatterns(
  Object.fromEntries(ROWS.map(({ name, patterns }) => [name, patterns])) as Record<FrameName, string>,
);
