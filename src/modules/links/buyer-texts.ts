import type { Language } from '../../web/voice.ts'

/** Texts of the offer's page where it asks for the buyer of the invoice. */
interface BuyerTexts {
  legend: string
  optional: string
  help: string
  name: string
  address: string
  taxId: string
  wrong: string
}

export const BUYER_TEXTS: Record<Language, BuyerTexts> = {
  en: {
    legend: 'For the invoice',
    optional: 'optional',
    help: 'Printed on the invoice. The seller and anyone with your payment link can read it.',
    name: 'Name or company',
    address: 'Address',
    taxId: 'Tax number',
    wrong: 'Please fill in this field, within its length.',
  },
  es: {
    legend: 'Para la factura',
    optional: 'opcional',
    help: 'Figura en la factura, que pueden leer el vendedor y quien tenga el enlace de tu pago.',
    name: 'Nombre o empresa',
    address: 'Dirección',
    taxId: 'Número fiscal',
    wrong: 'Rellena este campo, sin superar la longitud permitida.',
  },
  fr: {
    legend: 'Pour la facture',
    optional: 'facultatif',
    help: 'Cela figure sur la facture, que le vendeur et toute personne ayant le lien de votre paiement peuvent lire.',
    name: 'Nom ou société',
    address: 'Adresse',
    taxId: 'Numéro fiscal',
    wrong: 'Veuillez remplir ce champ, sans dépasser la longueur permise.',
  },
  de: {
    legend: 'Für die Rechnung',
    optional: 'freiwillig',
    help: 'Das steht auf der Rechnung, die der Verkäufer und alle lesen können, die den Link Ihrer Zahlung haben.',
    name: 'Name oder Firma',
    address: 'Anschrift',
    taxId: 'Steuernummer',
    wrong: 'Bitte füllen Sie dieses Feld aus, und nicht länger als erlaubt.',
  },
  pt: {
    legend: 'Para a fatura',
    optional: 'opcional',
    help: 'Consta na fatura, que o vendedor e quem tiver o link do seu pagamento podem ler.',
    name: 'Nome ou empresa',
    address: 'Endereço',
    taxId: 'Número fiscal',
    wrong: 'Preencha este campo, sem ultrapassar o tamanho permitido.',
  },
  ja: {
    legend: '請求書の宛先',
    optional: '任意',
    help: '請求書に記載されます。販売者と、お支払いのリンクを知っている人が読むことができます。',
    name: 'お名前または会社名',
    address: '住所',
    taxId: '税番号',
    wrong: 'この欄を、許された長さの範囲で入力してください。',
  },
  zh: {
    legend: '发票信息',
    optional: '选填',
    help: '这些内容会写在发票上，卖家以及拥有您付款链接的人都可以看到。',
    name: '姓名或公司',
    address: '地址',
    taxId: '税号',
    wrong: '请填写此项，且不要超过允许的长度。',
  },
  ar: {
    legend: 'بيانات الفاتورة',
    optional: 'اختياري',
    help: 'تظهر هذه البيانات في الفاتورة، ويمكن للبائع ولكل من لديه رابط دفعتك قراءتها.',
    name: 'الاسم أو الشركة',
    address: 'العنوان',
    taxId: 'الرقم الضريبي',
    wrong: 'يرجى ملء هذا الحقل دون تجاوز الطول المسموح به.',
  },
}
