import { Document } from '../../../web/layout.tsx'
import { MerchantFoot, MerchantHead, ShopTime, type ShownMerchant } from '../../../web/merchant.tsx'
import { type Invoice, type Sums, formatUnits } from '../invoices/invoice.ts'
import { INVOICE_TEXTS } from '../invoices/texts.ts'
import { showMoney, showNano } from '../../../web/formats.ts'
import type { Voice } from '../texts/index.ts'
import { Fact } from './pay-parts.tsx'

interface InvoicePageProps {
  id: string
  invoice: Invoice
  sums: Sums
  /** Null before payment, unless its merchant has set one. */
  number: string | null
  currency: string
  createdAt: number
  /** Undefined until it is paid in full. */
  paid: { at: number; raw: bigint; refundedRaw: bigint; hash: string | null; hashUrl: string } | undefined
  merchant: ShownMerchant | undefined
  /** The address that receives the payment. */
  address: string
  devnet: boolean
  voice: Voice
}

/** The invoice on one printed page, A4 or Letter: seller, buyer, lines, totals, and the block that paid it. */
export const InvoicePage = (props: InvoicePageProps) => {
  const { id, invoice, number, createdAt, paid, merchant, address, devnet, voice } = props
  const { texts, language, locale } = voice
  const words = INVOICE_TEXTS[language]
  const kind = paid ? words.invoice : words.proForma
  const at = paid?.at ?? createdAt
  return (
    <Document
      title={[kind, number].filter((part) => part !== null).join(' ')}
      lang={language}
      styles={['pay.css', 'invoice.css']}
      scripts={['pay.js']}
      bodyClass="pay receipt invoice"
      head={merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <section class="payment">
            {merchant && <MerchantHead {...merchant} />}
            <h1>{kind}</h1>
            <dl class="facts">
              {number !== null && (
                <Fact label={words.number}>
                  <span dir="auto">{number}</span>
                </Fact>
              )}
              <Fact label={words.date}>
                <ShopTime {...{ at, locale, merchant }} />
              </Fact>
              <Fact label={words.seller}>
                {merchant && <p dir="auto">{merchant.name}</p>}
                {invoice.seller !== null && <Written text={invoice.seller} />}
                {!merchant && invoice.seller === null && <code>{address}</code>}
              </Fact>
              {invoice.buyer && (
                <Fact label={words.buyer}>
                  {invoice.buyer.name !== null && <p dir="auto">{invoice.buyer.name}</p>}
                  {invoice.buyer.address !== null && <Written text={invoice.buyer.address} />}
                  {invoice.buyer.taxId !== null && (
                    <p>
                      {words.taxId} <bdi>{invoice.buyer.taxId}</bdi>
                    </p>
                  )}
                </Fact>
              )}
            </dl>
            <Lines {...props} />
            <dl class="facts">
              {paid ? (
                <Payment {...{ paid, voice }} />
              ) : (
                <Fact label={words.paid}>
                  <strong>{words.notPaid}</strong>
                </Fact>
              )}
              <Fact label={texts.id}>
                <code>{id}</code>
              </Fact>
            </dl>
            {merchant && <MerchantFoot merchant={merchant} words={texts} />}
            <div class="ways screen">
              <button type="button" class="button" data-print hidden>
                {texts.print}
              </button>
              <a class="button quiet" href={`/pay/${id}?lang=${language}`}>
                {texts.back}
              </a>
            </div>
          </section>
        </article>
      </main>
    </Document>
  )
}

const Payment = ({ paid, voice }: { paid: NonNullable<InvoicePageProps['paid']>; voice: Voice }) => {
  const { texts, language, locale } = voice
  const words = INVOICE_TEXTS[language]
  return (
    <>
      <Fact label={words.paid}>
        <strong>{showNano(locale, paid.raw)}</strong>
      </Fact>
      {paid.refundedRaw > 0n && <Fact label={words.refunded}>{showNano(locale, paid.refundedRaw)}</Fact>}
      {paid.hash !== null && (
        <Fact label={texts.block}>
          <a href={paid.hashUrl} rel="noopener noreferrer">
            <code>{paid.hash}</code>
          </a>
        </Fact>
      )}
    </>
  )
}

/** A table may be wider than a phone; then only the table scrolls. */
const Lines = ({ invoice, sums, currency, voice }: InvoicePageProps) => {
  const { language, locale, texts } = voice
  const words = INVOICE_TEXTS[language]
  const money = (units: bigint) => showUnits(locale, currency, formatUnits(currency, units))
  const isTaxed = invoice.tax.length > 0
  return (
    <div class="lines" role="region" aria-label={words.item} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.item}</th>
            <th scope="col">{words.quantity}</th>
            <th scope="col">{texts.price}</th>
            <th scope="col">{words.sum}</th>
          </tr>
        </thead>
        <tbody>
          {invoice.lines.map(({ title, quantity, price }, at) => (
            <tr key={at}>
              <td dir="auto">{title}</td>
              <td>{new Intl.NumberFormat(locale, { maximumFractionDigits: 3 }).format(quantity as `${number}`)}</td>
              <td>{showUnits(locale, currency, price)}</td>
              <td>{money(sums.lines[at]!)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {isTaxed && <Total label={words.subtotal} sum={money(sums.net)} />}
          {invoice.tax.map(({ title }, at) => (
            <Total key={at} label={title} sum={money(sums.tax[at]!)} />
          ))}
          <Total label={words.total} sum={money(sums.total)} isLast />
        </tfoot>
      </table>
    </div>
  )
}

const Total = ({ label, sum, isLast = false }: { label: string; sum: string; isLast?: boolean }) => (
  <tr class={isLast ? 'total' : undefined}>
    <th scope="row" colSpan={3} dir="auto">
      {label}
    </th>
    <td>{sum}</td>
  </tr>
)

/** The amount with every digit, in the number format of the reader's language. */
function showUnits(locale: string, currency: string, text: string): string {
  if (currency !== 'NANO') return showMoney(locale, text, currency)
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 30 }).format(text as `${number}`)} nano`
}

/** Keeps the line breaks of the text. */
const Written = ({ text }: { text: string }) => (
  <p class="written" dir="auto">
    {text}
  </p>
)
