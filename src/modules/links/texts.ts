import type { Language, Plural } from '../../web/voice.ts'

/** Texts of an offer's page, in addition to those of the payment page. */
export interface OfferTexts {
  quantity: string
  suggestion: string
  ownAmount: string
  left: Plural
  toPayment: string
  sold_out: string
  reserved: string
  paused: string
  ended: string
  closedHelp: string
  tooMany: string
  wrongQuantity: string
  wrongPlan: string
}

export const OFFER_TEXTS: Record<Language, OfferTexts> = {
  en: {
    quantity: 'Quantity',
    suggestion: 'Choose an amount',
    ownAmount: 'Another amount',
    left: { other: '{n} left' },
    toPayment: 'Continue to payment',
    sold_out: 'Sold out',
    reserved: 'All units are reserved right now. Some may become available in a few minutes.',
    paused: 'Currently unavailable',
    ended: 'This offer has ended',
    closedHelp: 'Contact the seller for more information.',
    tooMany: 'You have unpaid orders for this offer. Pay one of them, or try again later.',
    wrongQuantity: 'Choose a quantity from {min} to {max}.',
    wrongPlan: 'Choose an option.',
  },
  es: {
    quantity: 'Cantidad',
    suggestion: 'Elige un importe',
    ownAmount: 'Otro importe',
    left: { other: 'Quedan {n}' },
    toPayment: 'Continuar al pago',
    sold_out: 'Agotado',
    reserved: 'Todos están reservados en este momento. Quizá algunos vuelvan en unos minutos.',
    paused: 'No disponible por ahora',
    ended: 'Esta oferta ha terminado',
    closedHelp: 'Pregunta al vendedor si volverá.',
    tooMany: 'Tienes pedidos de esta oferta pendientes de pago. Paga uno de ellos o inténtalo más tarde.',
    wrongQuantity: 'Elige una cantidad de {min} a {max}.',
    wrongPlan: 'Elige una opción.',
  },
  fr: {
    quantity: 'Quantité',
    suggestion: 'Choisissez un montant',
    ownAmount: 'Autre montant',
    left: { other: 'Il en reste {n}' },
    toPayment: 'Continuer vers le paiement',
    sold_out: 'Épuisé',
    reserved: 'Tout est réservé pour le moment. Il pourrait en revenir dans quelques minutes.',
    paused: 'Indisponible pour le moment',
    ended: 'Cette offre est terminée',
    closedHelp: 'Demandez au vendeur si elle reviendra.',
    tooMany: 'Des commandes de cette offre attendent votre paiement. Payez-en une ou réessayez plus tard.',
    wrongQuantity: 'Choisissez une quantité de {min} à {max}.',
    wrongPlan: 'Choisissez une option.',
  },
  de: {
    quantity: 'Menge',
    suggestion: 'Betrag wählen',
    ownAmount: 'Anderer Betrag',
    left: { other: 'Noch {n} verfügbar' },
    toPayment: 'Weiter zur Zahlung',
    sold_out: 'Ausverkauft',
    reserved: 'Im Moment sind alle reserviert. In ein paar Minuten werden vielleicht wieder welche frei.',
    paused: 'Zurzeit nicht verfügbar',
    ended: 'Dieses Angebot ist beendet',
    closedHelp: 'Bitte fragen Sie den Verkäufer, ob es wiederkommt.',
    tooMany:
      'Bestellungen dieses Angebots warten noch auf Ihre Zahlung. Bezahlen Sie eine davon oder versuchen Sie es später.',
    wrongQuantity: 'Bitte wählen Sie eine Menge von {min} bis {max}.',
    wrongPlan: 'Bitte wählen Sie etwas aus.',
  },
  pt: {
    quantity: 'Quantidade',
    suggestion: 'Escolha um valor',
    ownAmount: 'Outro valor',
    left: { other: 'Restam {n}' },
    toPayment: 'Continuar para o pagamento',
    sold_out: 'Esgotado',
    reserved: 'Todos estão reservados no momento. Alguns podem voltar em poucos minutos.',
    paused: 'Indisponível no momento',
    ended: 'Esta oferta terminou',
    closedHelp: 'Pergunte ao vendedor se ela voltará.',
    tooMany: 'Há pedidos desta oferta aguardando seu pagamento. Pague um deles ou tente mais tarde.',
    wrongQuantity: 'Escolha uma quantidade de {min} a {max}.',
    wrongPlan: 'Escolha uma opção.',
  },
  ja: {
    quantity: '数量',
    suggestion: '金額を選択',
    ownAmount: 'その他の金額',
    left: { other: '残り {n}' },
    toPayment: 'お支払いへ進む',
    sold_out: '売り切れ',
    reserved: '現在すべて確保されています。数分後に空きが出ることがあります。',
    paused: '現在ご利用いただけません',
    ended: 'この販売は終了しました',
    closedHelp: '再開については販売者にお問い合わせください。',
    tooMany: 'お支払い待ちの注文があります。いずれかを支払うか、後でもう一度お試しください。',
    wrongQuantity: '{min} から {max} までの数量を選んでください。',
    wrongPlan: '選択してください。',
  },
  zh: {
    quantity: '数量',
    suggestion: '选择金额',
    ownAmount: '其他金额',
    left: { other: '剩余 {n}' },
    toPayment: '继续付款',
    sold_out: '已售罄',
    reserved: '目前已全部被预留，几分钟后可能会有释放。',
    paused: '暂不可用',
    ended: '此优惠已结束',
    closedHelp: '请询问卖家是否会恢复。',
    tooMany: '您有待付款的订单。请先支付其中一个，或稍后再试。',
    wrongQuantity: '请选择 {min} 到 {max} 之间的数量。',
    wrongPlan: '请选择一项。',
  },
  ar: {
    quantity: 'الكمية',
    suggestion: 'اختر مبلغًا',
    ownAmount: 'مبلغ آخر',
    left: {
      zero: 'لم يبقَ شيء',
      one: 'بقيت قطعة واحدة',
      two: 'بقيت قطعتان',
      few: 'بقيت {n} قطع',
      many: 'بقيت {n} قطعة',
      other: 'بقيت {n} قطعة',
    },
    toPayment: 'المتابعة إلى الدفع',
    sold_out: 'نفدت الكمية',
    reserved: 'كل القطع محجوزة الآن. قد يتوفر بعضها خلال دقائق.',
    paused: 'غير متاح حاليًا',
    ended: 'انتهى هذا العرض',
    closedHelp: 'اسأل البائع إن كان سيعود.',
    tooMany: 'لديك طلبات من هذا العرض بانتظار الدفع. ادفع أحدها أو حاول لاحقًا.',
    wrongQuantity: 'اختر كمية من {min} إلى {max}.',
    wrongPlan: 'اختر واحدًا.',
  },
}
