import { catalogue } from '../../web/voice.ts'

/** Texts of a name's public page, in addition to those of the payment page. */
export const NAME_TEXTS = catalogue({
  en: {
    pay: 'Pay {name}',
    notVerified: 'Names are chosen by their owners and not verified. Pay only if you know this name.',
    amount: 'Amount in nano (optional)',
    setAmount: 'Show with this amount',
    wrongAmount: 'Enter an amount, such as 1.5.',
    notFound: 'Name not found',
    notFoundHelp: 'Check the spelling. Expired names have no page; ask the owner how to pay.',
  },
  es: {
    pay: 'Pagar a {name}',
    notVerified: 'Cada titular elige su nombre y nadie comprueba quién es. Paga solo si conoces este nombre.',
    amount: 'Importe en nano (opcional)',
    setAmount: 'Mostrar con este importe',
    wrongAmount: 'Introduce un número, por ejemplo 1,5.',
    notFound: 'No existe ese nombre',
    notFoundHelp:
      'Comprueba cómo se escribe. Un nombre que ya no está alquilado no tiene página; pregunta a su titular cómo pagar.',
  },
  fr: {
    pay: 'Payer {name}',
    notVerified:
      'Chaque titulaire choisit son nom, et personne ne vérifie son identité. Ne payez que si vous connaissez ce nom.',
    amount: 'Montant en nano (facultatif)',
    setAmount: 'Afficher avec ce montant',
    wrongAmount: 'Saisissez un nombre, par exemple 1,5.',
    notFound: 'Ce nom n’existe pas',
    notFoundHelp:
      'Vérifiez l’orthographe. Un nom qui n’est plus loué n’a pas de page ; demandez à son titulaire comment payer.',
  },
  de: {
    pay: '{name} bezahlen',
    notVerified:
      'Namen sind frei gewählt, und niemand prüft, wer dahintersteht. Zahlen Sie nur, wenn Sie diesen Namen kennen.',
    amount: 'Betrag in Nano (freiwillig)',
    setAmount: 'Mit diesem Betrag zeigen',
    wrongAmount: 'Bitte geben Sie eine Zahl ein, etwa 1,5.',
    notFound: 'Diesen Namen gibt es nicht',
    notFoundHelp:
      'Bitte prüfen Sie die Schreibweise. Ein Name, der nicht mehr gemietet ist, hat keine Seite; fragen Sie, wohin Sie zahlen sollen.',
  },
  pt: {
    pay: 'Pagar a {name}',
    notVerified: 'Cada titular escolhe o seu nome e ninguém verifica quem é. Pague apenas se conhecer este nome.',
    amount: 'Valor em nano (opcional)',
    setAmount: 'Mostrar com este valor',
    wrongAmount: 'Informe um número, por exemplo 1,5.',
    notFound: 'Este nome não existe',
    notFoundHelp:
      'Verifique a grafia. Um nome que não está mais alugado não tem página; pergunte ao titular como pagar.',
  },
  ja: {
    pay: '{name} に支払う',
    notVerified: '名前は所有者が自由に決めたもので、本人確認はされていません。知っている名前にだけお支払いください。',
    amount: '金額（nano、任意）',
    setAmount: 'この金額で表示',
    wrongAmount: '1.5 のような数を入力してください。',
    notFound: 'この名前はありません',
    notFoundHelp:
      'つづりをご確認ください。契約が終わった名前にはページがありません。支払い方法は相手にお尋ねください。',
  },
  zh: {
    pay: '付款给 {name}',
    notVerified: '名称由所有者自行选择，没有人核实其身份。请只向您认识的名称付款。',
    amount: '金额（nano，可选）',
    setAmount: '按此金额显示',
    wrongAmount: '请输入数字，例如 1.5。',
    notFound: '没有这个名称',
    notFoundHelp: '请检查拼写。已不再租用的名称没有页面；请向对方询问如何付款。',
  },
  ar: {
    pay: 'الدفع إلى {name}',
    notVerified: 'يختار المالكون أسماءهم ولا يتحقق أحد من هويتهم. ادفع فقط إن كنت تعرف هذا الاسم.',
    amount: 'المبلغ بالنانو (اختياري)',
    setAmount: 'العرض بهذا المبلغ',
    wrongAmount: 'أدخل رقمًا، مثل 1.5.',
    notFound: 'لا يوجد هذا الاسم',
    notFoundHelp: 'تحقق من كتابته. الاسم الذي انتهى استئجاره لا صفحة له؛ اسأل صاحبه كيف تدفع.',
  },
})
