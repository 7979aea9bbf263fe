import type { Language } from '../../../web/voice.ts'

/** Texts of an invoice, in addition to those it shares with the payment page. */
export interface InvoiceTexts {
  invoice: string
  /** The title before it is paid. */
  proForma: string
  number: string
  date: string
  seller: string
  buyer: string
  taxId: string
  item: string
  quantity: string
  sum: string
  subtotal: string
  total: string
  paid: string
  notPaid: string
  refunded: string
}

export const INVOICE_TEXTS: Record<Language, InvoiceTexts> = {
  en: {
    invoice: 'Invoice',
    proForma: 'Pro forma invoice',
    number: 'Number',
    date: 'Date',
    seller: 'Seller',
    buyer: 'Buyer',
    taxId: 'Tax number',
    item: 'Item',
    quantity: 'Quantity',
    sum: 'Amount',
    subtotal: 'Subtotal',
    total: 'Total',
    paid: 'Paid',
    notPaid: 'Unpaid',
    refunded: 'Refunded',
  },
  es: {
    invoice: 'Factura',
    proForma: 'Factura proforma',
    number: 'Número',
    date: 'Fecha',
    seller: 'Vendedor',
    buyer: 'Comprador',
    taxId: 'Número fiscal',
    item: 'Concepto',
    quantity: 'Cantidad',
    sum: 'Importe',
    subtotal: 'Subtotal',
    total: 'Total',
    paid: 'Pagado',
    notPaid: 'No pagado',
    refunded: 'Devuelto',
  },
  fr: {
    invoice: 'Facture',
    proForma: 'Facture pro forma',
    number: 'Numéro',
    date: 'Date',
    seller: 'Vendeur',
    buyer: 'Acheteur',
    taxId: 'Numéro fiscal',
    item: 'Désignation',
    quantity: 'Quantité',
    sum: 'Montant',
    subtotal: 'Sous-total',
    total: 'Total',
    paid: 'Payé',
    notPaid: 'Non payé',
    refunded: 'Remboursé',
  },
  de: {
    invoice: 'Rechnung',
    proForma: 'Proforma-Rechnung',
    number: 'Nummer',
    date: 'Datum',
    seller: 'Verkäufer',
    buyer: 'Käufer',
    taxId: 'Steuernummer',
    item: 'Posten',
    quantity: 'Menge',
    sum: 'Summe',
    subtotal: 'Zwischensumme',
    total: 'Gesamt',
    paid: 'Bezahlt',
    notPaid: 'Nicht bezahlt',
    refunded: 'Erstattet',
  },
  pt: {
    invoice: 'Fatura',
    proForma: 'Fatura proforma',
    number: 'Número',
    date: 'Data',
    seller: 'Vendedor',
    buyer: 'Comprador',
    taxId: 'Número fiscal',
    item: 'Artigo',
    quantity: 'Quantidade',
    sum: 'Valor',
    subtotal: 'Subtotal',
    total: 'Total',
    paid: 'Pago',
    notPaid: 'Não pago',
    refunded: 'Devolvido',
  },
  ja: {
    invoice: '請求書',
    proForma: '見積請求書',
    number: '番号',
    date: '日付',
    seller: '販売者',
    buyer: '購入者',
    taxId: '税務番号',
    item: '品目',
    quantity: '数量',
    sum: '金額',
    subtotal: '小計',
    total: '合計',
    paid: '支払い済み',
    notPaid: '未払い',
    refunded: '返金済み',
  },
  zh: {
    invoice: '发票',
    proForma: '形式发票',
    number: '编号',
    date: '日期',
    seller: '卖方',
    buyer: '买方',
    taxId: '税号',
    item: '项目',
    quantity: '数量',
    sum: '金额',
    subtotal: '小计',
    total: '总计',
    paid: '已支付',
    notPaid: '未支付',
    refunded: '已退款',
  },
  ar: {
    invoice: 'فاتورة',
    proForma: 'فاتورة أولية',
    number: 'الرقم',
    date: 'التاريخ',
    seller: 'البائع',
    buyer: 'المشتري',
    taxId: 'الرقم الضريبي',
    item: 'البند',
    quantity: 'الكمية',
    sum: 'المبلغ',
    subtotal: 'المجموع الفرعي',
    total: 'الإجمالي',
    paid: 'مدفوعة',
    notPaid: 'غير مدفوعة',
    refunded: 'مستردة',
  },
}
