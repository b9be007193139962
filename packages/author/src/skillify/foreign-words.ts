import { STOP_WORDS } from "@skillet/kit/words";

/**
 * What is said of everyday tasks in other languages, a line each: in English, and then in German, French, Spanish and
 * others. Endings are left off on both sides.
 */
const CONCEPTS = `
invoice bill: rechnung faktura ausgangsrechnung eingangsrechnung | facture facturation | factura facturación | fatura fattura factuur счёт счета 請求書 发票 청구서
receipt voucher: beleg quittung kassenbon | reçu justificatif | recibo ticket justificante | comprovante ricevuta scontrino bonnetje paragon чек 領収書 收据 영수증
customer client: kunde kundin mandant | client clientèle | cliente | cliente klant klient клиент 顧客 客户 고객
report: bericht auswertung meldung | rapport compte-rendu bilan | informe reporte | relatório rapporto resoconto rapport verslag raport отчёт отчет レポート 報告 报告 보고서
table spreadsheet: tabelle kalkulation | tableau tableur | tabla hoja planilla | tabela planilha tabella foglio arkusz таблица 表 表格 엑셀
list: liste aufstellung verzeichnis | liste listing | lista listado | lista elenco lijst список 一覧 リスト 列表 목록
file: datei | fichier | archivo fichero | arquivo ficheiro file bestand plik файл ファイル 文件 파일
folder directory: ordner verzeichnis | dossier répertoire | carpeta | pasta cartella map katalog folder папка フォルダ 文件夹 폴더
image picture photo: bild foto aufnahme | image photo | imagen foto | imagem immagine foto afbeelding zdjęcie zdjęcia obraz фото 画像 写真 图片 사진
video recording: video film aufzeichnung | vidéo enregistrement | vídeo grabación | vídeo gravação registrazione nagranie видео 動画 录像 视频 동영상
sound audio: ton audio | son | audio sonido | áudio geluid dźwięk звук 音声
document: dokument unterlage schriftstück | document | documento | documento document dokument документ 文書 書類 资料 資料 文档 문서
letter: brief anschreiben serienbrief | lettre courrier | carta | carta lettera brief list письмо 手紙
mail message: nachricht mail mitteilung | message courriel mail | mensaje correo | mensagem messaggio bericht wiadomość wiadomości сообщение メール 連絡 邮件 메일
meeting appointment: termin besprechung sitzung treffen | réunion rendez-vous | reunión cita | reunião riunione appuntamento vergadering afspraak spotkanie встреча 会議 打ち合わせ 会议 회의
minutes notes: protokoll mitschrift notiz | notes procès-verbal | acta notas | ata appunti notulen notatka 議事録
calendar schedule: kalender zeitplan plan | calendrier planning horaire | calendario horario agenda | agenda calendario rooster harmonogram расписание 予定 日程 스케줄
address contact: adresse anschrift kontakt | adresse contact coordonnées | dirección contacto | endereço contato indirizzo contatto adres kontakt адрес 住所 地址 주소
label: etikett aufkleber beschriftung | étiquette | etiqueta | etiqueta etichetta label etykieta ラベル
member association: mitglied verein | membre adhérent association | miembro socio asociación | membro associado membro socio lid vereniging członek 会員
payment pay: zahlung bezahlen zahlen überweisung | paiement payer règlement virement | pago pagar transferencia | pagamento pagar pagare bonifico betaling betalen płatność płacić оплата 支払 入金 付款 결제
price cost: preis kosten betrag summe | prix coût montant somme | precio coste costo importe suma | preço custo valor prezzo costo importo prijs kosten bedrag cena koszt kwota цена сумма 金額 価格 费用 가격
tax: steuer umsatzsteuer vorsteuer mehrwertsteuer finanzamt | taxe impôt tva | impuesto iva | imposto tassa iva belasting btw podatek налог 税 消費税
account booking: konto buchung buchen kontenrahmen kontierung verbuchen | compte comptabilité écriture | cuenta contabilidad asiento | conta contabilidade conto contabilità rekening boeking konto księgowość księgowanie счёт 勘定 会計 账户 계정
bank statement: bank kontoauszug auszug | banque relevé | banco extracto | banco extrato banca estratto bankafschrift wyciąg банк 銀行 银行
budget expenses: ausgabe budget spesen auslage | dépense budget frais | gasto presupuesto gastos | despesa orçamento spesa bilancio uitgave wydatek budżet 経費 予算
order: bestellung auftrag bestellen | commande commander | pedido encargo | pedido encomenda ordine bestelling zamówienie заказ 注文 订单 주문
contract: vertrag vereinbarung | contrat accord | contrato acuerdo | contrato contratto overeenkomst umowa договор 契約 合同 계약
offer quote: angebot kostenvoranschlag | devis offre | oferta presupuesto cotización | proposta orçamento preventivo offerte oferta 見積 报价
delivery shipping: lieferung versand liefern | livraison expédition livrer | envío entrega | entrega envio consegna spedizione levering verzending dostawa wysyłka доставка 納品 配送 配送
stock inventory: lager bestand inventar | stock inventaire | inventario existencias almacén | estoque inventário magazzino voorraad magazyn склад 在庫 库存
employee staff: mitarbeiter mitarbeiterin personal kollege kollegin angestellte | employé salarié personnel collègue | empleado trabajador compañero | funcionário empregado colega dipendente collega werknemer medewerker collega pracownik сотрудник 社員 担当 员工 직원
wages payroll: lohn gehalt lohnabrechnung | paie salaire bulletin | nómina salario sueldo | salário folha stipendio busta loon salaris pensja зарплата 給与 工资 급여
rent tenant: miete mieter vermieter wohnung nebenkosten | loyer locataire logement | alquiler inquilino vivienda | aluguel inquilino affitto inquilino huur huurder czynsz najemca 家賃
settlement billing: abrechnung endabrechnung jahresabrechnung | décompte | liquidación | apuração conguaglio afrekening rozliczenie 精算
reminder overdue unpaid: erinnerung mahnung überfällig offen | relance relancer rappel impayé | recordatorio aviso impago | lembrete cobrança promemoria sollecito herinnering aanmaning przypomnienie wezwanie напоминание リマインド 提醒
deadline due: frist fällig stichtag | échéance délai | plazo vencimiento | prazo vencimento scadenza termine termijn termin срок 期限 締切 截止
patient practice: patient praxis arzt | patient cabinet médecin | paciente consulta médico | paciente consultório paziente studio patiënt praktijk pacjent przychodnia 患者
school class pupil: schule klasse schüler unterricht lehrer zeugnis | école classe élève cours professeur | escuela clase alumno profesor colegio | escola turma aluno scuola alunno studente school leerling szkoła klasa uczeń школа 学校 授業 学生
exam grade: prüfung note klausur | examen note contrôle | examen nota | prova nota esame voto toets cijfer egzamin ocena 試験 成績
text translation translate: übersetzung übersetzen text | traduction traduire traduis texte | traducción traducir traduce texto | tradução traduzir traduzione tradurre vertaling vertalen tłumaczenie tłumaczyć перевод 翻訳 翻译 번역
language: sprache deutsch englisch französisch spanisch | langue français anglais allemand | idioma español inglés lengua | língua idioma português inglês lingua italiano inglese taal nederlands engels język polski angielski язык 言語 日本語 英語 语言
website page: webseite seite website startseite | site page accueil | sitio página web | site página sito pagina website pagina strona сайт 页面 ページ サイト 網站 网站 웹사이트
shop store: laden shop geschäft | boutique magasin | tienda | loja negozio winkel sklep магазин 店舗 商店
server computer: server rechner maschine | serveur machine ordinateur | servidor máquina ordenador | servidor computador computer server komputer serwer сервер サーバー サーバ 服务器 서버
database: datenbank | base | base | banco base database baza база データベース 数据库 데이터베이스
data: daten datensatz stammdaten | donnée données | datos dato | dados dado dati gegevens dane данные データ 数据 데이터
column field: spalte feld | colonne champ | columna campo | coluna campo colonna kolom veld kolumna pole столбец 列 項目 字段
row line record: zeile reihe eintrag | ligne enregistrement | fila línea registro | linha registro riga rij regel wiersz строка 行 レコード
number count: zahl nummer anzahl zählen | nombre numéro compter chiffre | número cantidad contar | número quantidade contar numero quantità aantal nummer liczba numer число 数 番号 件数 数量
date: datum stichtag | date | fecha | data data datum data дата 日付 日期 날짜
name rename: name umbenennen benennen bezeichnung | nom renommer renomme | nombre renombrar | nome renomear rinominare nome naam hernoemen nazwa przemianować имя 名前 名称 变更
day daily: tag täglich | jour quotidien journée | día diario | dia diário giorno giornaliero dag dagelijks dzień dziennie день 日 毎日 每天
week weekly: woche wöchentlich | semaine hebdomadaire | semana semanal | semana semanal settimana settimanale week wekelijks tydzień tygodniowy неделя 週 毎週 每周 주간
month monthly: monat monatlich | mois mensuel | mes mensual | mês mensal mese mensile maand maandelijks miesiąc miesięczny месяц 月 毎月 每月 월간
year annual: jahr jährlich jahres | an année annuel | año anual | ano anual anno annuale jaar jaarlijks rok roczny год 年 年度 毎年 每年
error bug: fehler fehlermeldung | erreur bogue plantage | error fallo | erro falha errore guasto fout storing błąd ошибка エラー バグ 不具合 错误 오류
problem broken: problem kaputt störung ausfall | problème panne cassé | problema roto avería | problema quebrado problema rotto probleem kapot problem awaria проблема 問題 障害 问题 문제
test: test testen prüfung | test tester essai | prueba probar | teste testar prova test testare test testy test тест テスト 试験 测试 테스트
check verify: prüfen prüfe überprüfen kontrollieren kontrolle | vérifier vérifie contrôler | comprobar comprueba verificar revisar revisa | verificar verifica conferir controllare controlla verificare controleren nakijken sprawdź sprawdzić проверить проверка 確認 チェック 校正 检查 확인
fix repair: reparieren beheben korrigieren korrektur | corriger corrige réparer | arreglar arregla corregir corrige | corrigir consertar correggere correggi repareren verbeteren napraw naprawić poprawić исправить 修正 直す 修复 수정
create make: erstellen erstelle anlegen erzeugen machen mach bauen | créer crée faire fais fabriquer | crear crea hacer haz | criar crie fazer faça creare crea fare maken maak utworzyć stwórz zrób создать сделать 作成 作る 創建 创建 만들
add: hinzufügen ergänzen einfügen | ajouter ajoute | añadir añade agregar agrega | adicionar acrescentar aggiungere aggiungi toevoegen voeg dodaj dodać добавить 追加 添加 추가
change update: ändern aktualisieren anpassen änderung | changer modifier mettre jour actualiser | cambiar actualizar modificar | mudar alterar atualizar modificare aggiornare aggiorna wijzigen bijwerken zmień zmienić zaktualizować изменить обновить 変更 更新 修改 변경
delete remove: löschen entfernen lösche | supprimer supprime enlever effacer | borrar borra eliminar quitar quita | apagar remover eliminare rimuovere cancellare verwijderen verwijder usuń usunąć удалить 削除 删除 삭제
search find: suchen finden suche finde | chercher cherche trouver trouve | buscar busca encontrar | procurar buscar encontrar cercare cerca trovare zoeken zoek vinden znajdź szukać найти поиск 検索 搜索 查找 검색
compare reconcile: vergleichen abgleichen abgleich vergleich | comparer croiser rapprocher rapprochement | comparar cotejar conciliar | comparar conciliar confrontare riconciliare vergelijken porównać porównaj сравнить 比較 照合 比较 비교
sort: sortieren ordnen sortiert | trier trie classer ranger | ordenar clasificar | ordenar classificar ordinare sorteren posortować sortuj сортировать 並べ替え 排序 정렬
count sum total: summe summieren zusammenrechnen ausrechnen berechnen | total calculer calcule additionner | sumar total calcular calcula | somar total calcular totale calcolare berekenen totaal obliczyć suma посчитать 合計 集計 計算 计算 합계
merge combine: zusammenführen verbinden vereinen | fusionner réunir regrouper | combinar unir juntar | juntar unir mesclar unire combinare samenvoegen połączyć scalić объединить 結合 統合 合并 병합
split: aufteilen trennen teilen | diviser séparer découper | dividir separar | dividir separar dividere splitsen podzielić разделить 分割 拆分
convert: umwandeln konvertieren | convertir convertis transformer | convertir convierte transformar | converter converte transformar convertire converti omzetten konwertować przekonwertować конвертировать 変換 转换 변환
export import: exportieren importieren export import einlesen | exporter importer | exportar importar | exportar importar esportare importare exporteren importeren eksport eksportować import экспорт импорт エクスポート 出力 取り込み 导出 导入 내보내기
send: senden schicken verschicken versenden | envoyer envoie transmettre | enviar envía mandar | enviar mandar inviare spedire versturen stuur sturen wysłać wyślij отправить 送信 送付 发送 보내
write: schreiben schreibe verfassen | écrire écris rédiger rédige | escribir escribe redactar | escrever redigir scrivere scrivi schrijven schrijf napisać napisz написать 書く 執筆 写
read: lesen lies | lire lis | leer lee | ler leggere lezen czytać przeczytać читать 読む 读取
show display: zeigen anzeigen zeige | montrer affiche afficher | mostrar muestra | mostrar exibir mostrare toon tonen pokaż pokazać показать 表示 显示 보여
print: drucken ausdrucken druck drucker | imprimer impression imprimante | imprimir impresora | imprimir impressora stampare stampa afdrukken printen drukować wydruk печать 印刷 打印 인쇄
save backup: speichern sichern sicherung datensicherung | sauvegarder sauvegarde enregistrer | guardar copia respaldo | salvar guardar cópia salvare copia opslaan zapisać kopia сохранить 保存 バックアップ 备份 백업
upload download: hochladen herunterladen | télécharger téléverser mettre ligne | subir descargar | enviar baixar carregar caricare scaricare uploaden downloaden wgrać pobrać загрузить скачать アップロード ダウンロード 上传 下载 업로드
deploy release publish: bereitstellen veröffentlichen ausrollen veröffentlichung freigabe | déployer déploiement publier livraison livrer | desplegar publicar lanzar despliegue | implantar publicar distribuire pubblicare rilascio uitrollen publiceren wdrożyć wdrożenie wydanie opublikować развернуть релиз 公開 リリース デプロイ 发布 部署 배포
install setup: installieren einrichten einrichtung | installer configurer installation | instalar configurar instalación | instalar configurar installare configurare installeren instellen zainstalować instalacja установить 設定 導入 インストール 安装 설치
start run restart: starten neustarten ausführen laufen | lancer démarrer relancer exécuter redémarrer | iniciar ejecutar arrancar reiniciar | iniciar executar rodar reiniciar avviare eseguire riavviare starten draaien uitvoeren herstarten uruchomić restart запустить 起動 実行 再起動 启动 运行 실행
login access: anmeldung zugang zugriff berechtigung | connexion accès droit | acceso permiso sesión | acesso permissão accesso permesso toegang dostęp uprawnienie доступ 権限 アクセス ログイン 权限 로그인
user: benutzer nutzer anwender | utilisateur usager | usuario | usuário utilizador utente gebruiker użytkownik пользователь ユーザー ユーザ 用户 사용자
template form: vorlage formular muster | modèle gabarit formulaire | plantilla formulario modelo | modelo formulário modello modulo sjabloon formulier szablon formularz шаблон форма テンプレート 様式 模板 양식
chart diagram: diagramm grafik schaubild | graphique diagramme courbe | gráfico diagrama | gráfico grafico grafiek wykres график グラフ 図 图表 그래프
summary: zusammenfassung zusammenfassen überblick übersicht | résumé résumer synthèse | resumen resumir | resumo resumir riassunto riepilogo samenvatting podsumowanie streszczenie сводка 要約 まとめ 概要 摘要 요약
question answer reply: frage antwort antworten beantworten | question réponse répondre | pregunta respuesta responder | pergunta resposta responder domanda risposta rispondere vraag antwoord pytanie odpowiedź ответ вопрос 質問 回答 返信 回复 답변
request ticket: anfrage anliegen ticket | demande ticket requête | solicitud petición | solicitação pedido chamado richiesta verzoek aanvraag zgłoszenie запрос заявка 依頼 要望 请求 요청
certificate: zertifikat bescheinigung | certificat attestation | certificado | certificado certificato certificaat certyfikat сертификат 証明書 证书 인증서
project task: projekt aufgabe vorhaben | projet tâche | proyecto tarea | projeto tarefa progetto compito project taak projekt zadanie проект задача 案件 プロジェクト タスク 项目 任务 프로젝트
version: version fassung ausgabe auflage | version édition | versión edición | versão edição versione edizione versie uitgave wersja wydanie версия 版 第 バージョン 版本 버전
code program script: programm skript code quellcode | programme script code | programa script código | programa script código programma script codice programma code program skrypt kod программа код скрипт コード プログラム スクリプト 代码 程序 코드
function feature: funktion | fonction fonctionnalité | función | função recurso funzione functie funkcja функция 機能 功能 기능
duplicate: duplikat doppelt dublette doppelte | doublon double | duplicado repetido | duplicado repetido duplicato doppione dubbel duplikat powtórzony дубликат 重複 重复 중복
clean: aufräumen bereinigen säubern | nettoyer nettoie nettoyage | limpiar limpia | limpar pulire ripulire opschonen wyczyścić oczyścić очистить 整理 清理 정리
anonymise personal: anonymisieren schwärzen personenbezogen | anonymiser masquer | anonimizar ocultar | anonimizar ocultar anonimizzare anonimiseren anonimizować zanonimizować анонимизировать 匿名 伏字
size big small: größe groß klein | taille grand petit | tamaño grande pequeño | tamanho grande pequeno dimensione grande piccolo grootte groot klein rozmiar duży mały размер サイズ 大小
map route place: karte ort strecke route | carte lieu trajet itinéraire | mapa lugar ruta | mapa lugar rota mappa luogo percorso kaart plaats route mapa miejsce trasa карта 地図 场所
book chapter manuscript: buch kapitel manuskript handbuch | livre chapitre manuscrit manuel | libro capítulo manuscrito manual | livro capítulo manual libro capitolo manuale boek hoofdstuk handleiding książka rozdział книга 章 原稿 マニュアル 説明書 取扱説明書 手册 설명서
study paper research: studie artikel forschung aufsatz arbeit | étude article recherche mémoire | estudio artículo investigación tesis | estudo artigo pesquisa tese studio articolo ricerca tesi studie artikel onderzoek badanie artykuł praca исследование статья 論文 研究 调查 연구
survey questionnaire: umfrage fragebogen | enquête questionnaire sondage | encuesta cuestionario | pesquisa questionário sondaggio questionario enquête vragenlijst ankieta опрос アンケート 问卷 설문
measurement sensor: messung messwert sensor gerät | mesure capteur appareil | medida medición sensor dispositivo | medição sensor dispositivo misura sensore meting apparaat pomiar czujnik urządzenie измерение датчик 計測 測定 センサー 设备
network connection: netz netzwerk verbindung leitung | réseau connexion liaison | red conexión | rede conexão rete connessione netwerk verbinding sieć połączenie сеть ネットワーク 接続 网络 네트워크
warehouse parts product: artikel produkt ware teil | article produit marchandise pièce | artículo producto mercancía pieza | produto mercadoria peça articolo prodotto merce onderdeel product produkt towar część товар 製品 商品 部品 产品 제품
donation: spende spender | don donateur | donación donante | doação doador donazione gift donatie darowizna darczyńca пожертвование 寄付
application applicant: bewerbung bewerber antrag | candidature candidat demande | solicitud candidato | candidatura candidato domanda candidato sollicitatie kandidaat aplikacja kandydat wniosek заявление 応募 申請 申请 지원
quarter: quartal vierteljahr | trimestre trimestriel | trimestre trimestral | trimestre trimestral kwartaal kwartał квартал 四半期 季度 분기
year-end closing: abschluss jahresabschluss | clôture | cierre | fechamento chiusura afsluiting zamknięcie 決算
`;

/** Small words of other languages that are not English ones, too: what a text is written in. */
const SMALL_WORDS = set(
  "und nicht ist das der den dem ich wir uns mit für auf eine einen einem bitte auch noch aber wenn bei zum zur sind hat haben wird als vom dann wie les des est pas pour avec dans une nous vous sur que qui je le du aux cette los las para por una está el del como pero más il che non della sono gli nel questo não os dós você em uma het een niet van voor ik wij zijn dat och att det inte är som jag ikke og er på nie się jest że jak dla и не в на что с для как это мы bir bu için",
);
/** Other words that any text has. */
const COMMON = set(`
ab aber abend ach all alle allem allen aller alles als also am andere anderen anders angst anfang auch auf aus außer außerdem bald bereich bereits besser beste besten bevor bin bis bisher bist bitte brauche brauchen braucht da dabei dafür dagegen daher damals damit danach danke dann daran darauf daraus darf dass davon dazu dein deine denn deshalb deswegen die dies diese diesem diesen dieser dieses direkt doch dort dran drei drin du durch dürfen eben egal ehe eher eigentlich ein eine einem einen einer eines einfach einige einmal eins einzeln einzelne ende endlich er erst erste ersten es etwa etwas euch euer eure falls falsch fast fehlen fehlt fertig frei freitag früh für ganz gar geben gegen geht gehen gehört genau genauso genug gerade gern gerne gestern gibt gib gleich grund grüße gut gute guten habe haben halb halbe hallo hast hat hatte hätte hatten heißt her heute hier hin hinter hoch holen hol ihm ihn ihnen ihr ihre im immer in indem innerhalb ins insgesamt intern ist ja jahrelang je jede jedem jeden jeder jedes jedoch jemand jetzt kam kann kannst kein keine keinen keiner kenne kommen kommt komplett können könnte könntest kurz lang lange lass lassen lässt läuft lauf leer leere leider letzte letzten letzter lieber liegt liegen links los mal man manche manchmal mehr mein meine meinem meinen meiner meist mich mir mit mittwoch möchte moin möglich montag morgen morgens müssen muss musst müsste nach nachdem nachher nächste nächsten nah name natürlich neben nee nein neu neue neuen neuer neues nichts nie niemals noch nochmal nun nur ob oben oder oft ohne ordentlich passen passiert passt perfekt per pro raus rechts rein richtig rum runter sag sagen sagt samstag schau schauen schlecht schnell schon schön sehen sehr sein seine seinem seinen seiner seit seitdem selbst servus sicher sie siehe so sofort sogar soll sollen sollte sollten sonntag sonst später sonstige stand statt stehen steht stelle stellen stimmt super tut tun über überall um und ungefähr unser unsere unserem unseren unserer unten unter usw viel viele vielen vielleicht vier vom von vor vorher vorne während wann war wäre waren warten warum was weg wegen weil weiß weit weiter weitere welche welcher welches wenig wenige weniger wer werden wichtig wieder wieso will willst wir wird wirklich wo woche wohl wollen worden wurde würde wurden würden zeit ziehen ziehe zu zuerst zum zur zurück zusammen zuvor zwar zwei zweite zwischen dienstag donnerstag januar februar märz mai juni juli oktober dezember nachts abends jährlich euro cent prozent schluss punkt punkte stück mappe anhang anlage umlaut umlaute komma dezimalkomma zeichen anführungszeichen ziffer kopf kopfzeile fuß fußzeile rand schrift farbe format stapel satz wort wörter titel vorname nachname spalten regel regeln art typ wert werte einheit schritt schritte fall fälle gruppe gruppen anfrage eingang ausgang ergebnis ergebnisse treffer quelle quellen verlauf stunde stunden minute minuten uhr zeitraum monatsende jahresende entwurf vorschlag änderungen benachrichtigung anruf telefon papier umschlag post porto vereinsbeitrag beitrag beiträge gebühr gebühren rabatt skonto netto brutto saldo umlage heizung wasser strom verbrauch zähler zählerstand fläche abgleichen aktualisieren ändern anlegen ansehen antwort anwendung archivieren ausgabe ausrechnen auswerten backup bauen benutzer berechnen bereitstellen bericht buchen code datei dateien daten datum deutsch doppelte eingeben englisch erstellen exportieren fehler finden formular frage hochladen importieren jahr kopie kopieren korrigieren kosten kunde kunden liste löschen machen mach mail mails mitarbeiter monat monatlich nachricht ordner projekt prüfe prüfen quartal rechnung rechnungen schicken schreib schreiben seite sende senden sicherung sortieren spalte speichern start starten steuer summe summen tabelle tabellen tag termin test testen teste text überweisung umbenennen umwandeln verbuchen vergleichen version verschicken vorlage vorsteuer webseite zahlen zeige zeigen zeile zeilen zusammenfassen beleg belege trefferliste vorhanden einspielen ausfüllen sammeln verteilen nachschauen an bei frau herr herrn kundin chef chefin kollege kollegin team firma pour à chez de d avec par selon madame monsieur client cliente collègue projet équipe société para con por según señor señora don doña jefe jefa proyecto equipo empresa di dal dalla signor signora capo progetto azienda com pelo pela senhor senhora chefe projeto dla od do z ze u przez pan pani pana klient klienta szef projekcie firmy voor van met aan bij meneer mevrouw klant baas bedrijf och för från till kund projektet
afin ai ailleurs ainsi alors après as assez attend attendre aucun aucune aujourd'hui auparavant auquel aussi autant autour autre autres avait avant avoir avons avez bas beaucoup besoin bien bientôt bon bonne bonjour bonsoir bref ça car cas ce ceci cela celle celles celui ces cet cette ceux chacun chaque ci cinq comme comment complet complète contre correct côté d'abord dans début dedans dehors déjà demain demande dépend depuis dernier dernière derniers dernières derrière des deux devant devrait dimanche dire dis dit dix doit dois doivent donc donner donne dont durant elle elles en encore enfin ensuite entre envers essaie est et était étaient étape étapes été être eu eux exact façon faut faudrait fin finir fois font garder garde gauche gens gros haut hors ici il ils jamais jeudi jusqu jusque l'autre la là laisse laisser laquelle le lequel les leur leurs lui lundi ma main maintenant mais manque marche mardi matin me même mêmes merci mercredi mes mettre mieux milieu mine moi moins mon ne ni niveau non nos notre nôtre nouveau nouvelle nouveaux nuit on ont or ou où oui outre parce parfait parfois partie pas passe passer pendant peu peur peut peuvent peux plus plusieurs plutôt point pourquoi pourrait pourrais pouvez pouvoir premier première près presque prêt propre puis puisque qu quand quatre que quel quelles quelqu'un quelque quelques quels qui quoi quoique rapide regarde regarder rentrée reste rester rien sa sais salut samedi sans se sec sept ses seul seule seulement si sinon soir soit son sont souci sous souvent sû suis suite suivant suivante sur svp ta tant tard te tel telle tes tôt toi ton toujours tous tout toute toutes très trois trop tu un une va vais vas vendredi vers veux veut viens vient vite voici voilà voir vois vont vos votre vous vrai vraiment y yeux zéro janvier février mars avril juin juillet août septembre octobre novembre décembre heure heures euros pourcent virgule accent accents guillemets titre prénom enveloppe pochette pochettes trésorier trésorière saison pupitre groupe groupes matériel cahier bouton couleur police taille marge manquant manquante exemple résultat résultats source sources ajout retour envoi brouillon objet pièce jointe copie dossier marché ajoute ajouter analyse application archive base calcule calculer change clients colonne colonnes compare comparer convertir corrige corriger crée créer date déploie déployer document données envoie envoyer erreur erreurs exporte exporter facture factures faire fais fichier fichiers français génère générer image images installe installer jour lance lancer ligne lignes mensuel message mets mois mot nettoie nettoyer ouvre page prépare préparer rapport remplace renomme résumé résumer réunion semaine serveur site supprime supprimer tableau tableaux tests texte traduire traduis trie trier trouve utilisateur utilisateurs vérifie vérifier vidéo rappel croiser essai courriels imprimé télécharge téléchargé naissance remarque référence conjoint
a abajo acá además ahí ahora al algo alguien algún alguna algunas alguno algunos allá allí antes aparte apenas aquel aquella aquí arriba así aun aún aunque ayer bajo bastante bueno buena buenas buenos cada casi caso cerca cinco claro como cómo conmigo contra cosa cosas cual cuál cuales cualquier cuando cuándo cuanto cuánto cuatro cuenta dar debajo debe deben debería dejar deja del demás demasiado dentro desde después detrás dice día días diez dijo domingo donde dónde dos durante e ella ellas ellos encima entonces era eran eres esa esas ese eso esos esta está estaba están estar estas este esto estos estoy existe falta faltan forma fue fuera fueron gracias ha había hace hacen hacia han hasta hay he hemos hola hora horas hoy igual incluso jueves junto las listo lo luego lunes lugar manera mañana martes mas más medio mejor menos mi mientras mis mismo misma mismos miércoles mucho mucha muchas muchos muy nada nadie necesito necesita necesitamos ningún ninguna ninguno no noche nosotros nuestra nuestro nueva nuevas nuevo nuevos nunca o ojo os otra otras otro otros parece parte pero perfecto poco poca pocos podemos poder podría podrías poner pon pone porfa porque primer primera primero pronto puede puedes pueden pues punto qué queda quedan quien quién quiero quiere sábado saca sacar salir sea segundo seis ser será sí sido siempre siguiente sin sino sobre sólo solo solamente soy su sus también tampoco tan tanto tarde tenemos tener tengo tercero ti tiempo tiene tienen toda todas todavía todo todos trae tres tus una uno unos usa usar vamos varios veces ver vez viernes vuelve ya yo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre coma acento título abre actualiza actualizar agrega analiza analizar añade archivo archivos arregla borra busca calcula cambia clientes código columna columnas compara comprueba convierte copia correo crea crear datos despliega documento elimina enviar envía error errores español exporta factura facturas fecha fila filas genera generar haz imagen informe instala lista mensual mensaje nombre página prepara preparar prueba pruebas quita resumen revisa revisar semana servidor sitio sube tabla tablas texto traduce usuario usuarios verifica versión rehacer reparte rellena encuentra ordena agrupa renueva vigente pendiente borrador adjunto hoja importe
acho agora ainda além alguma algum algumas alguns ali ao aos aqui aquele aquilo às assim até atrás atrasa bem boa bom cima coisa daqui das dela dele demais depois dessa desse desta deste dia dias diz duas ela elas ele eles em embaixo enquanto então essa esse estão estou faz feita feito fica ficar foi for fora foram hoje isso isto já lá lhe logo melhor mesma mesmo meu meus mil minha muita muitas muito muitos na nas nem nenhum nessa nesse nesta neste ninguém nós nossa nosso nova novo num numa obrigado obrigada oi olá ontem onde outra outras outro outros pelas pelos perto pode podem pois pra precisa preciso primeiro próximo qual qualquer quando quanto quem quer quero são segunda seja sem sempre seu seus sim só sua suas também tão tem têm tenho ter terça três tudo último última uma uns vai vão vê vezes você vocês valeu janeiro fevereiro março maio junho julho setembro outubro novembro dezembro adiciona analisa arquivo atualiza coluna converte cria dados envia erro fatura gera imagem mensal mês pasta planilha relatório resumo tabela usuário planos empresariais renovação renovar assinatura assinaturas equipe tolerância disparado impossível padrão rascunho anexo
abbiamo abbiano adesso agli alcuni alla allora altra altre altri altro anche ancora anno appena ben bene buongiorno c'è che chi ciao ciascuno circa come contro così dagli dai dalle davvero degli dei dell della delle devo deve dopo dove dovrebbe due è ecco ed erano essere fa fai fatto fino fra fuori già giusto gli grazie hai hanno ho i ieri indietro infatti insieme invece io l lei li loro lunedì martedì meglio meno mercoledì mezzo mia mie miei mio molta molte molti molto negli nei nel nella nelle nessun nessuno niente noi nostra nostro nuovo oggi ogni ognuno oppure ora ore perché perfetto però poi possiamo posso potresti prego presto prima primo proprio può puoi qua quale quali qualche qualcosa quanti quasi quattro quella quelli quello questa queste questi questo sabato sei senza sì sia siamo sola sono sopra sotto stata stato stessa stesso subito sue sui sul sulla suo suoi tra tre troppo tua tuo tutta tutte tutti tutto vanno venerdì verso via voglio voi volta volte vorrei vostro aggiorna aggiungi analizza cartella clienti colonna confronta controlla converti correggi dati errore esporta fattura fatture file giorno immagine invia mensile mese nuova pagina prova rapporto riga righe riunione settimana tabella testo traduci utente bozza allegato scadenza elenco
achter af alleen altijd beter binnen boven daar dan dag dank dat deze doe doen door dus echt eens eerst eerste elk elke gaan gaat geen goed graag haar had heb hebben heeft hem het hij hoe hun ik is jij jouw kan klaar komen komt kun kunnen kunt laat laatste maar maken meer meest mij mijn moet moeten mogen naar niet niets nieuw nieuwe nog nooit nu of om omdat ondanks onder ons onze ook op over precies samen soms staan staat steeds tegen terug toch toen tot tussen uit vandaag veel volgende vrijdag waar waarom wanneer want wat weer wel welke werkt wie wil willen wordt zaterdag zeer zelf zich zij zijn zo zonder zou bestand bestanden controleer controleren factuur fout gebruiker lijst maak maand map rij stuur tabel tekst toon verwijder week bijlage concept opnieuw overzicht
aby albo ale ani bardzo bez bo był była było być by chce chcę cię co czy dobra dobry dobrze dzięki dziękuję gdy gdzie gotowe ich inne inny innych jak jaki jako jakoś jednak jego jej jest jeszcze jeśli jeżeli już każdy każda każdego kiedy kilka kto która które którego który których mają mam mamy masz między mnie mogę może można musi muszę my nad nam nasz nasza nasze nic niech niż nowa nowe nowy ona one oni oraz po pod potem potrzebuję powinno proszę przed przy raz robi się są sam siebie skąd sobie tak także tam tego tej ten teraz też to trzeba twój ty tych tylko tym w wam we według więc wiele wszystko wszystkie wtedy wy za zawsze zanim żadne że żeby poniedziałek wtorek środa czwartek piątek sobota niedziela
av allt andra att bara behöver blir bra då dem den denna det detta dig din där efter eller ett fel finns fler före få gång genom går gör göra har hej hela helt henne hon hur här icke idag igen ingen inget inte jag ju kanske kom kommer kunna lite med mellan men mer mig min måste mycket ny nya när någon något ofta oss på sedan sen sig ska skulle som så tack två under upp ut utan vad var vara varje vart vem vi vid vill våra vår är än även alltid aldrig der deg ditt dere enn etter flere før gjør gjøre hva hvem hver hvis hvor hvordan ikke jeg litt mange meg mens mitt må ned noe noen når opp også sammen selv seg siden skal slik takk til uten ved vil våre
а без более больше бы был была были было быть в вам вас весь во вот все всё всегда вы где да даже два для до его ее её если есть еще ещё же за здесь и из или им их к как какой когда кто ли мне можно мой мы на надо нам нас наш не него нее нет ни но ну нужно о об он она они от очень по под пожалуйста после потом почему при просто раз с сам сделай себя сейчас со спасибо так там те теперь то тоже только три ты у уже хочу чем через что чтобы эта эти это этого этой этот я привет
です ます ました ません でした でしょう ください して した する される され させて しない しました します しています している お願い お願いします ありがとう ありがとうございました ありがとうございます お疲れ様です お世話 こと もの ため ので のに から まで より だけ など また まだ もう すべて 全て 全部 それ これ あれ その この あの どの ここ そこ どこ どれ 何 必ず 絶対 今 今日 明日 昨日 前 後 次 最初 最後 先 場合 時 時間 分 秒 回 件 個 人 円 中 上 下 内 外 他 別 同じ 全体 一部 以上 以下 以内 未満 対象 方法 手順 内容 結果 理由 状態 必要 可能 不要 重要 至急 急ぎ 大丈夫 問題 使 使用 使って 利用 作って 作り 見て 見る 出して 出す 入れて 入れる 変えて 変えないで 変えない 戻して 戻す 直して 直し 消して 送って 送り 書いて 教えて 通して 通す 揃えて 統一 処理 対応 完了 終了 開始 準備 管理 共有 登録 入力 選択 抽出 分類 印刷所 入稿 表紙 改訂 履歴 体裁 社内 社外 文体 長音 警告 警告文 法務 段落 文字 文 一字一句 校正 電源 マーク ページ ページ数 倍数 中綴じ 冊子 用紙 画面 操作 設置 接続 番 版数 第 月次 週次 日次 年次 毎回 毎朝 夜間 今月 先月 来月 今週 先週 来週 今年 去年 昨年 営業 経理 人事 総務 部署 部門 会社 お客様 様 取引 取引先 売上 仕入 見積書 納品書 契約書 帳票 明細 残高 振込 税率 単価 数量 合計 小計 品名 品番 型番 色 文書 質問 例 形式 書式 一覧表 フォント デザイン レイアウト ボタン メニュー リンク メモ コメント ログ ブランチ コミット マージ プル リクエスト レビュー ビルド テスト エディタ クエリ テーブル カラム インデックス マイグレーション キャッシュ セッション パラメータ オプション コマンド シェル コンテナ クラスタ クラウド ストレージ モニタリング アラート ダッシュボード アンケート スライド グラフ カレンダー スケジュール プリンター スキャン コピー ドキュメント テキスト イメージ アイコン ロゴ バナー 名簿 並べ 並べて 除いて 抜いて 列 整形 追記 置換 古い 新しい 多い 少ない 大きい 小さい 高い 低い 早い 遅い 全員 一つ 二つ 三つ 確定 保留 承認 却下 社名 氏名 電話 郵便 日本 海外 国内 は が を に の と で も へ や か ね よ し て た
请 我 你 我们 你们 的 了 和 是 在 不 有 把 给 要 用 再 也 都 就 还 这 那 这个 那个 一个 一下 什么 怎么 为什么 可以 需要 必须 所有 每个 只 后 以后 之前 然后 现在 今天 明天 昨天 谢谢 好 好的 帮 帮我 做 写 看 看看 跑 改 加 删 查 到 从 里 对 错 新 旧 最新 目录 名字 标题 结果 原因 格式 脚本 命令 接口 分支 提交 合并 日志 缓存 配置 环境 生成 整理 统计 汇总 处理 完成 失败 成功 通过
주세요 해주세요 해 줘 해줘 그리고 그런데 하지만 이 그 저 것 수 있 없 안 다시 모두 항상 절대 지금 오늘 내일 어제 먼저 다음 이번 지난 매주 매월 매일 감사합니다 좋아요 네 아니요
`);

function set(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/** Of conjugation and declension. Of short words they are part, so that a weekday does not cover a given name. */
const ENDINGS =
  /(?<=^.{5,})(?:[eiao]ndo|[aeiou]mos|[aei]tes?|[aei]nt|[aie]r(?:e|on)?|[aeio]t[aeio]|[aei]d[ao]s?|i?ons|ez|ée?s?|em|en|er|es|et|st|te[nrs]?|e|n|s|t|[aioóãęąyůiаоуиеыяюьé]|ого|ами|ach|ów|om|ami)$/u;
const stemOf = (word: string): string => word.replace(ENDINGS, "");

/** By stem: what it is in English. */
const TO_ENGLISH = new Map<string, string>();
for (const line of CONCEPTS.trim().split("\n")) {
  const [english = "", foreign = ""] = line.split(": ");
  for (const word of foreign.split(/[ |]+/))
    if (!TO_ENGLISH.has(stemOf(word))) TO_ENGLISH.set(stemOf(word), english);
}
const KNOWN: ReadonlySet<string> = new Set([...SMALL_WORDS, ...COMMON, ...[...COMMON].map(stemOf)]);

const isListed = (lower: string): boolean =>
  KNOWN.has(lower) || KNOWN.has(stemOf(lower)) || TO_ENGLISH.has(stemOf(lower));

/** Whether a word is known to be an ordinary one of another language; German ones may be put together of two. */
export function isOrdinaryForeign(lower: string): boolean {
  if (isListed(lower)) return true;
  if (/^\p{Ll}{5,}(?:ung|heit|keit|schaft|tion|ität)(?:en|s)?$/u.test(lower)) return true;
  for (let at = 4; at <= lower.length - 4; at += 1) {
    const [head, tail] = [lower.slice(0, at), lower.slice(at)];
    if (TO_ENGLISH.has(stemOf(tail)) && [head, head.replace(/(?:e?s|e?n)$/, "")].some(isListed)) return true;
  }
  return false;
}

/** Whether a text is in another language than English, as its small words say; undefined where they say nothing. */
export function isForeign(text: string): boolean | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const other = words.filter((word) => SMALL_WORDS.has(word)).length;
  const english = words.filter((word) => STOP_WORDS.has(word) && !SMALL_WORDS.has(word)).length;
  return other === english ? undefined : other > english;
}

const MAX_PIECE = 12;
/** Ends of verbs and adjectives; a name is longer, or is taken out by its form of address. */
const WORD_ENDING = /^(?:\p{Script=Hiragana}{1,2}|\p{Script=Hangul})$/u;

interface Piece {
  readonly text: string;
  readonly isKnown: boolean;
}

const SCRIPTS = [/^\p{Script=Hiragana}/u, /^[\p{Script=Katakana}ー]/u, /^\p{Script=Han}/u];
const scriptOf = (text: string): number => SCRIPTS.findIndex((script) => script.test(text));

/** The words of a script that has no spaces between them, as far as they are known. */
function piecesOf(run: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let unknown = "";
  for (let at = 0; at <= run.length; ) {
    const lengths = Array.from({ length: Math.min(MAX_PIECE, run.length - at) }, (_, index) => index + 1);
    const length = lengths.findLast((one) => isListed(run.slice(at, at + one))) ?? 0;
    const isEnd = at >= run.length;
    const isMore = length === 0 && !isEnd && scriptOf(unknown) === scriptOf(run.charAt(at));
    if (unknown !== "" && !isMore) {
      pieces.push({ text: unknown, isKnown: WORD_ENDING.test(unknown) });
      unknown = "";
    }
    if (length > 0) pieces.push({ text: run.slice(at, at + length), isKnown: true });
    else unknown += run.charAt(at);
    at += Math.max(1, length);
  }
  // One sign beside an unknown one is perhaps half of a name.
  const isGap = (piece: Piece | undefined): boolean => piece?.isKnown === false;
  return pieces.map(({ text, isKnown }, at) => ({
    text,
    isKnown: isKnown && !(/^\p{Script=Han}$/u.test(text) && (isGap(pieces[at - 1]) || isGap(pieces[at + 1]))),
  }));
}

const RUN = /[\p{Lo}\p{Lm}]+/gu;

/** A text with `[…]` for what is not known of words in scripts without capitals. */
export const withoutUnknown = (text: string): string =>
  text.replaceAll(RUN, (run) =>
    piecesOf(run)
      .map(({ text: piece, isKnown }) => (isKnown ? piece : " […] "))
      .join(""),
  );

/** The English for what a text in another language is about. */
export function inEnglish(text: string): readonly string[] {
  const spaced = text.replaceAll(
    RUN,
    (run) =>
      ` ${piecesOf(run)
        .map((piece) => piece.text)
        .join(" ")} `,
  );
  const words = spaced.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [...new Set(words.flatMap((word) => TO_ENGLISH.get(stemOf(word))?.split(" ") ?? []))];
}
