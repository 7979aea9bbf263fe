import type { Language } from '../../../web/voice.ts'

/** What buyers read about their receipt, on the page and in mails. */
interface BuyerTexts {
  /** The form on the page. */
  ask: string
  email: string
  help: string
  send: string
  goesTo: string
  wrong: string
  tooMany: string
  paidSubject: string
  paidText: string
  refundSubject: string
  refundText: string
  linkText: string
  collect: string
  why: string
}

export const BUYER_TEXTS: Record<Language, BuyerTexts> = {
  en: {
    ask: 'Receipt by email',
    email: 'Your email',
    help: 'Optional. Only the seller sees it.',
    send: 'Send my receipt here',
    goesTo: 'Your receipt goes to {email}.',
    wrong: 'Enter an email address, such as name@example.com.',
    tooMany: 'Too many addresses from here today. You can print the receipt after paying.',
    paidSubject: 'Your receipt',
    paidText: 'Thank you. Your payment of {amount} has arrived.',
    refundSubject: 'Your refund',
    refundText: '{amount} was sent back to you.',
    linkText:
      'You get {amount} back. Open the link to choose where it goes. Whoever has it can take the money, so do not forward this email.',
    collect: 'Collect your refund',
    why: 'You receive this because this address was entered for a payment. If it was not you, you can ignore it.',
  },
  es: {
    ask: 'Recibo por correo',
    email: 'Su correo electrónico',
    help: 'Opcional. Solo lo ve el vendedor.',
    send: 'Enviar aquí mi recibo',
    goesTo: 'Su recibo se enviará a {email}.',
    wrong: 'Escriba una dirección de correo, por ejemplo nombre@example.com.',
    tooMany: 'Hoy ya se han indicado demasiadas direcciones desde aquí. Podrá imprimir el recibo después de pagar.',
    paidSubject: 'Su recibo',
    paidText: 'Gracias. Hemos recibido su pago de {amount}.',
    refundSubject: 'Su reembolso',
    refundText: 'Se le han devuelto {amount}.',
    linkText:
      'Se le devuelven {amount}. Abra el enlace para elegir dónde recibirlos. Quien lo tenga puede cobrar el dinero: no reenvíe este correo.',
    collect: 'Recibir su reembolso',
    why: 'Recibe este mensaje porque esta dirección se indicó en un pago. Si no fue usted, puede ignorarlo.',
  },
  fr: {
    ask: 'Reçu par e-mail',
    email: 'Votre adresse e-mail',
    help: 'Facultatif. Seul le vendeur la voit.',
    send: 'Envoyer mon reçu ici',
    goesTo: 'Votre reçu sera envoyé à {email}.',
    wrong: 'Saisissez une adresse e-mail, par exemple nom@example.com.',
    tooMany: 'Trop d’adresses depuis ici aujourd’hui. Vous pourrez imprimer le reçu après le paiement.',
    paidSubject: 'Votre reçu',
    paidText: 'Merci. Votre paiement de {amount} est arrivé.',
    refundSubject: 'Votre remboursement',
    refundText: '{amount} vous ont été renvoyés.',
    linkText:
      'On vous rembourse {amount}. Ouvrez le lien pour choisir où les recevoir. Quiconque a ce lien peut prendre l’argent : ne transférez pas cet e-mail.',
    collect: 'Recevoir votre remboursement',
    why: 'Vous recevez ce message parce que cette adresse a été saisie pour un paiement. Si ce n’était pas vous, ignorez-le.',
  },
  de: {
    ask: 'Beleg per E-Mail',
    email: 'Ihre E-Mail-Adresse',
    help: 'Freiwillig. Nur der Verkäufer sieht sie.',
    send: 'Beleg hierher senden',
    goesTo: 'Ihr Beleg geht an {email}.',
    wrong: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
    tooMany: 'Von hier wurden heute zu viele Adressen angegeben. Sie können den Beleg nach dem Bezahlen drucken.',
    paidSubject: 'Ihr Beleg',
    paidText: 'Vielen Dank. Ihre Zahlung von {amount} ist angekommen.',
    refundSubject: 'Ihre Rückzahlung',
    refundText: '{amount} wurden an Sie zurückgesendet.',
    linkText:
      'Sie bekommen {amount} zurück. Öffnen Sie den Link und wählen Sie, wohin. Wer ihn hat, kann das Geld nehmen: Leiten Sie diese E-Mail nicht weiter.',
    collect: 'Rückzahlung abholen',
    why: 'Sie erhalten diese E-Mail, weil diese Adresse bei einer Zahlung angegeben wurde. Waren Sie das nicht, ignorieren Sie sie.',
  },
  pt: {
    ask: 'Recibo por e-mail',
    email: 'O seu e-mail',
    help: 'Opcional. Só o vendedor o vê.',
    send: 'Enviar o meu recibo para aqui',
    goesTo: 'O seu recibo será enviado para {email}.',
    wrong: 'Indique um endereço de e-mail, como nome@example.com.',
    tooMany: 'Demasiados endereços a partir daqui hoje. Pode imprimir o recibo depois de pagar.',
    paidSubject: 'O seu recibo',
    paidText: 'Obrigado. O seu pagamento de {amount} chegou.',
    refundSubject: 'O seu reembolso',
    refundText: '{amount} foram-lhe devolvidos.',
    linkText:
      'Vai receber {amount} de volta. Abra a ligação para escolher para onde. Quem a tiver pode ficar com o dinheiro: não reencaminhe este e-mail.',
    collect: 'Receber o reembolso',
    why: 'Recebe esta mensagem porque este endereço foi indicado num pagamento. Se não foi você, pode ignorá-la.',
  },
  ja: {
    ask: '領収書をメールで受け取る',
    email: 'メールアドレス',
    help: '任意です。販売者だけに表示されます。',
    send: 'ここに領収書を送る',
    goesTo: '領収書は {email} に送られます。',
    wrong: 'name@example.com のようなメールアドレスを入力してください。',
    tooMany: '本日ここから入力されたアドレスが多すぎます。支払い後に領収書を印刷できます。',
    paidSubject: '領収書',
    paidText: 'ありがとうございます。{amount} のお支払いを受け取りました。',
    refundSubject: '返金のお知らせ',
    refundText: '{amount} を返金しました。',
    linkText:
      '{amount} が返金されます。リンクを開いて受け取り先を選んでください。リンクを持つ人は誰でも受け取れるため、このメールを転送しないでください。',
    collect: '返金を受け取る',
    why: 'このアドレスが支払いの際に入力されたため、お送りしています。お心当たりがない場合は無視してください。',
  },
  zh: {
    ask: '通过电子邮件接收收据',
    email: '您的电子邮件',
    help: '可选。只有卖家能看到。',
    send: '将收据发送到这里',
    goesTo: '收据将发送至 {email}。',
    wrong: '请输入电子邮件地址，例如 name@example.com。',
    tooMany: '今天从这里填写的地址过多。付款后您可以打印收据。',
    paidSubject: '您的收据',
    paidText: '谢谢。您支付的 {amount} 已到账。',
    refundSubject: '您的退款',
    refundText: '{amount} 已退还给您。',
    linkText: '您将收到 {amount} 的退款。请打开链接选择收款地址。任何拥有此链接的人都能取走款项，请勿转发此邮件。',
    collect: '领取退款',
    why: '您收到此邮件，是因为付款时填写了此地址。如果不是您本人，请忽略。',
  },
  ar: {
    ask: 'الإيصال بالبريد الإلكتروني',
    email: 'بريدك الإلكتروني',
    help: 'اختياري. لا يراه إلا البائع.',
    send: 'أرسلوا إيصالي إلى هنا',
    goesTo: 'سيُرسل إيصالك إلى {email}.',
    wrong: 'أدخل عنوان بريد إلكتروني، مثل name@example.com.',
    tooMany: 'أُدخلت من هنا عناوين كثيرة اليوم. يمكنك طباعة الإيصال بعد الدفع.',
    paidSubject: 'إيصالك',
    paidText: 'شكرًا لك. وصلت دفعتك بقيمة {amount}.',
    refundSubject: 'المبلغ المسترد',
    refundText: 'أُعيد إليك مبلغ {amount}.',
    linkText:
      'ستستعيد {amount}. افتح الرابط لتختار أين تستلمه. من يملك الرابط يستطيع أخذ المال، فلا تُعد توجيه هذه الرسالة.',
    collect: 'استلام المبلغ المسترد',
    why: 'وصلتك هذه الرسالة لأن هذا العنوان أُدخل عند الدفع. إن لم تكن أنت فتجاهلها.',
  },
}
