import type { LANGUAGES } from '../../checkout/index.ts'
import { type Plural, count } from '../../../web/voice.ts'
import type { Every } from './periods.ts'

type Language = (typeof LANGUAGES)[number]

/** Texts for subscribers: on the offer's page, on their own page, and in mails. */
interface SubscriptionTexts {
  email: string
  emailHelp: string
  wrongEmail: string
  month: string
  year: string
  days: Plural
  dueSubject: string
  dueText: string
  endText: string
  lapsedSubject: string
  lapsedText: string
  paidUntil: string
  renew: string
  end: string
  endAsk: string
  endYes: string
  ended: string
  lapsed: string
  active: string
  gone: string
}

export const SUBSCRIPTION_TEXTS: Record<Language, SubscriptionTexts> = {
  en: {
    email: 'Your email address',
    emailHelp:
      'We email you a payment link before your period ends. Nothing is charged automatically, and you can cancel from any email.',
    wrongEmail: 'Enter an email address.',
    month: 'every month',
    year: 'every year',
    days: { one: 'every day', other: 'every {n} days' },
    dueSubject: 'Time to renew: {title}',
    dueText:
      'Your subscription to “{title}” is paid until {until}. Nothing is charged automatically. To renew, pay here:',
    endText: 'To cancel, open this page and confirm. We will not email you again:',
    lapsedSubject: 'Ended: {title}',
    lapsedText: 'Your subscription to “{title}” ended on {until} and was not renewed. You can renew at any time:',
    paidUntil: 'Paid until',
    renew: 'Pay for the next period',
    end: 'Cancel subscription',
    endAsk: 'Cancel this subscription? It stays valid until the end of the paid period.',
    endYes: 'Yes, cancel it',
    ended: 'This subscription is cancelled. We will not email you again.',
    lapsed: 'Not active. The paid period has ended.',
    active: 'Active',
    gone: 'The seller no longer offers this.',
  },
  es: {
    email: 'Tu correo electrónico',
    emailHelp:
      'Te escribimos antes de que termine el tiempo pagado, con un enlace para volver a pagar. No se cobra nada automáticamente, y cada correo tiene un enlace para terminar.',
    wrongEmail: 'Introduce un correo electrónico.',
    month: 'cada mes',
    year: 'cada año',
    days: { one: 'cada día', other: 'cada {n} días' },
    dueSubject: 'Es hora de renovar: {title}',
    dueText:
      'Lo que has pagado por «{title}» dura hasta el {until}. No se cobra nada automáticamente. Para seguir, paga aquí:',
    endText: 'Para terminar, abre esta página y confirma. No volveremos a escribirte:',
    lapsedSubject: 'Terminado: {title}',
    lapsedText:
      'Lo que habías pagado por «{title}» terminó el {until} y no se volvió a pagar. Puedes seguir cuando quieras:',
    paidUntil: 'Pagado hasta',
    renew: 'Pagar el próximo período',
    end: 'Terminar la suscripción',
    endAsk: '¿Terminar de verdad? Lo pagado sigue siendo tuyo hasta su fin.',
    endYes: 'Sí, terminar',
    ended: 'Esta suscripción ha terminado. No volveremos a escribirte.',
    lapsed: 'No activa: el tiempo pagado ha terminado.',
    active: 'Activa',
    gone: 'El vendedor ya no ofrece esto.',
  },
  fr: {
    email: 'Votre adresse e-mail',
    emailHelp:
      'Nous vous écrivons avant la fin de la période payée, avec un lien pour payer à nouveau. Rien n’est prélevé automatiquement, et chaque e-mail contient un lien pour y mettre fin.',
    wrongEmail: 'Veuillez saisir une adresse e-mail.',
    month: 'chaque mois',
    year: 'chaque année',
    days: { one: 'tous les jours', other: 'tous les {n} jours' },
    dueSubject: 'À renouveler : {title}',
    dueText:
      'Ce que vous avez payé pour « {title} » dure jusqu’au {until}. Rien n’est prélevé automatiquement. Pour continuer, payez ici :',
    endText: 'Pour y mettre fin, ouvrez cette page et confirmez. Nous ne vous écrirons plus :',
    lapsedSubject: 'Terminé : {title}',
    lapsedText:
      'Ce que vous aviez payé pour « {title} » a pris fin le {until} et n’a pas été repayé. Vous pouvez reprendre à tout moment :',
    paidUntil: 'Payé jusqu’au',
    renew: 'Payer la prochaine période',
    end: 'Mettre fin à l’abonnement',
    endAsk: 'Vraiment y mettre fin ? Ce que vous avez payé reste à vous jusqu’à son terme.',
    endYes: 'Oui, y mettre fin',
    ended: 'Cet abonnement est terminé. Nous ne vous écrirons plus.',
    lapsed: 'Inactif : la période payée est terminée.',
    active: 'Actif',
    gone: 'Le vendeur ne propose plus ceci.',
  },
  de: {
    email: 'Ihre E-Mail-Adresse',
    emailHelp:
      'Wir schreiben Ihnen, bevor die bezahlte Zeit endet, mit einem Link zum erneuten Bezahlen. Nichts wird von selbst abgebucht, und jede E-Mail hat einen Link zum Beenden.',
    wrongEmail: 'Bitte geben Sie eine E-Mail-Adresse ein.',
    month: 'jeden Monat',
    year: 'jedes Jahr',
    days: { one: 'jeden Tag', other: 'alle {n} Tage' },
    dueSubject: 'Zeit zum Verlängern: {title}',
    dueText:
      'Was Sie für „{title}“ bezahlt haben, reicht bis {until}. Nichts wird von selbst abgebucht. Um fortzufahren, bezahlen Sie hier:',
    endText: 'Zum Beenden öffnen Sie diese Seite und bestätigen. Wir schreiben dann nicht mehr:',
    lapsedSubject: 'Beendet: {title}',
    lapsedText:
      'Was Sie für „{title}“ bezahlt hatten, endete am {until} und wurde nicht erneut bezahlt. Sie können jederzeit fortfahren:',
    paidUntil: 'Bezahlt bis',
    renew: 'Nächsten Zeitraum bezahlen',
    end: 'Abonnement beenden',
    endAsk: 'Wirklich beenden? Was Sie bezahlt haben, gilt weiter bis zu seinem Ende.',
    endYes: 'Ja, beenden',
    ended: 'Dieses Abonnement ist beendet. Wir schreiben nicht mehr.',
    lapsed: 'Nicht aktiv: Die bezahlte Zeit ist vorbei.',
    active: 'Aktiv',
    gone: 'Der Verkäufer bietet das nicht mehr an.',
  },
  pt: {
    email: 'O seu e-mail',
    emailHelp:
      'Escrevemos antes de terminar o tempo pago, com um link para pagar de novo. Nada é cobrado automaticamente, e cada e-mail tem um link para terminar.',
    wrongEmail: 'Introduza um endereço de e-mail.',
    month: 'todos os meses',
    year: 'todos os anos',
    days: { one: 'todos os dias', other: 'a cada {n} dias' },
    dueSubject: 'Hora de renovar: {title}',
    dueText: 'O que pagou por “{title}” dura até {until}. Nada é cobrado automaticamente. Para continuar, pague aqui:',
    endText: 'Para terminar, abra esta página e confirme. Não voltaremos a escrever:',
    lapsedSubject: 'Terminado: {title}',
    lapsedText:
      'O que tinha pago por “{title}” terminou em {until} e não foi pago de novo. Pode continuar a qualquer momento:',
    paidUntil: 'Pago até',
    renew: 'Pagar o próximo período',
    end: 'Terminar a subscrição',
    endAsk: 'Terminar mesmo? O que pagou continua a ser seu até ao fim.',
    endYes: 'Sim, terminar',
    ended: 'Esta subscrição terminou. Não voltaremos a escrever.',
    lapsed: 'Inativa: o tempo pago terminou.',
    active: 'Ativa',
    gone: 'O vendedor já não oferece isto.',
  },
  ja: {
    email: 'メールアドレス',
    emailHelp:
      'お支払い済みの期間が終わる前に、次回のお支払いリンクをお送りします。自動で引き落とされることはなく、どのメールにも終了用のリンクがあります。',
    wrongEmail: 'メールアドレスを入力してください。',
    month: '毎月',
    year: '毎年',
    days: { other: '{n} 日ごと' },
    dueSubject: '更新の時期です: {title}',
    dueText:
      '「{title}」のお支払い済み期間は {until} までです。自動で引き落とされることはありません。続けるにはこちらからお支払いください:',
    endText: '終了するには、このページを開いて確認してください。以後メールはお送りしません:',
    lapsedSubject: '終了しました: {title}',
    lapsedText: '「{title}」のお支払い済み期間は {until} に終了し、更新されませんでした。いつでも再開できます:',
    paidUntil: 'お支払い済み期間',
    renew: '次の期間を支払う',
    end: '購読を終了する',
    endAsk: '本当に終了しますか？お支払い済みの期間は最後までご利用いただけます。',
    endYes: 'はい、終了します',
    ended: 'この購読は終了しました。以後メールはお送りしません。',
    lapsed: '無効: お支払い済みの期間は終了しました。',
    active: '有効',
    gone: 'この販売は終了しています。',
  },
  zh: {
    email: '您的电子邮箱',
    emailHelp: '在已付款的期限结束前，我们会写信给您并附上再次付款的链接。不会自动扣款，每封邮件都有终止的链接。',
    wrongEmail: '请输入电子邮箱地址。',
    month: '每月',
    year: '每年',
    days: { other: '每 {n} 天' },
    dueSubject: '该续订了：{title}',
    dueText: '您为“{title}”支付的期限到 {until}。不会自动扣款。如需继续，请在此付款：',
    endText: '如需终止，请打开此页面并确认。我们不会再写信：',
    lapsedSubject: '已结束：{title}',
    lapsedText: '您为“{title}”支付的期限已于 {until} 结束，且未再付款。您可以随时继续：',
    paidUntil: '已付至',
    renew: '支付下一期',
    end: '终止订阅',
    endAsk: '确定终止吗？已支付的期限在结束前仍然有效。',
    endYes: '是，终止',
    ended: '此订阅已终止。我们不会再写信。',
    lapsed: '无效：已付款的期限已结束。',
    active: '有效',
    gone: '卖家不再提供此项。',
  },
  ar: {
    email: 'بريدك الإلكتروني',
    emailHelp:
      'نراسلك قبل انتهاء المدة التي دفعتها، مع رابط للدفع مجددًا. لا يُخصم شيء تلقائيًا، وفي كل رسالة رابط لإنهاء الاشتراك.',
    wrongEmail: 'أدخل بريدًا إلكترونيًا.',
    month: 'كل شهر',
    year: 'كل سنة',
    days: { one: 'كل يوم', two: 'كل يومين', few: 'كل {n} أيام', many: 'كل {n} يومًا', other: 'كل {n} يوم' },
    dueSubject: 'حان وقت التجديد: {title}',
    dueText: 'ما دفعته مقابل «{title}» يستمر حتى {until}. لا يُخصم شيء تلقائيًا. للاستمرار، ادفع هنا:',
    endText: 'لإنهائه افتح هذه الصفحة وأكد. لن نراسلك مجددًا:',
    lapsedSubject: 'انتهى: {title}',
    lapsedText: 'انتهى ما دفعته مقابل «{title}» في {until} ولم يُدفع مجددًا. يمكنك الاستمرار متى شئت:',
    paidUntil: 'مدفوع حتى',
    renew: 'الدفع للفترة التالية',
    end: 'إنهاء الاشتراك',
    endAsk: 'إنهاء الاشتراك فعلًا؟ يبقى لك ما دفعته حتى نهايته.',
    endYes: 'نعم، أنهِه',
    ended: 'انتهى هذا الاشتراك. لن نراسلك مجددًا.',
    lapsed: 'غير نشط: انتهت المدة التي دفعتها.',
    active: 'نشط',
    gone: 'لم يعد البائع يقدم هذا.',
  },
}

export function everyText(language: Language, every: Every): string {
  const texts = SUBSCRIPTION_TEXTS[language]
  if (every === 'month' || every === 'year') return texts[every]
  return count(language, texts.days, Number(every))
}
