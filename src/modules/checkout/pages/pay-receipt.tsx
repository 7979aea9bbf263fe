import { showMoney, showNano } from '../../../web/formats.ts'
import { Document } from '../../../web/layout.tsx'
import { MerchantFoot, MerchantHead, ShopTime, type ShownMerchant } from '../../../web/merchant.tsx'
import { Fact, Price } from './pay-parts.tsx'
import type { ShownCheckout } from './pay-state.ts'
import { Excess } from './pay-states.tsx'
import type { Voice } from '../texts/index.ts'

interface ReceiptProps {
  checkout: ShownCheckout
  /** The sends that paid it, oldest first. */
  payments: readonly { blockHash: string; amountRaw: bigint; rate: string | null }[]
  /** Who was paid, where the merchant has made its name public. */
  merchant: ShownMerchant | undefined
  /** Link to a block in an explorer. */
  blockUrl(hash: string): string
  /** Link to the proof of a block; undefined where there is none. */
  proofUrl(hash: string): string | undefined
  devnet: boolean
  voice: Voice
}

/** The receipt on one printed page: what was paid, when, for what, and by which blocks. */
export const ReceiptPage = ({ checkout, payments, merchant, blockUrl, proofUrl, devnet, voice }: ReceiptProps) => {
  const { texts, language, locale } = voice
  const { id, title, description, currency, price, plans, paidRaw, refundedRaw, paidAt, address, payer } = checkout
  const bought = checkout.plan === null ? undefined : plans[checkout.plan]
  const shownPrice = bought?.value ?? price
  const rate = payments.at(-1)?.rate ?? null
  return (
    <Document
      title={`${texts.receipt} · ${title ?? texts.payment}`}
      lang={language}
      styles={['pay.css']}
      scripts={['pay.js']}
      bodyClass="pay receipt"
      head={merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <section class="payment">
            {merchant && <MerchantHead {...merchant} />}
            <p class="kind">{texts.receipt}</p>
            <h1 dir="auto">{title ?? texts.payment}</h1>
            {description !== null && (
              <p class="description" dir="auto">
                {description}
              </p>
            )}
            <Price raw={paidRaw} voice={voice} />
            <Excess checkout={checkout} voice={voice} />
            <dl class="facts">
              {bought && (
                <Fact label={texts.plan}>
                  <span dir="auto">{bought.title}</span>
                </Fact>
              )}
              {currency !== 'NANO' && shownPrice !== null && (
                <Fact label={texts.price}>{showMoney(locale, shownPrice, currency)}</Fact>
              )}
              {currency !== 'NANO' && rate !== null && (
                <Fact label={texts.rate}>{`1 nano = ${showMoney(locale, rate, currency)}`}</Fact>
              )}
              {paidAt !== null && (
                <Fact label={texts.paidOn}>
                  <ShopTime at={paidAt} {...{ locale, merchant }} />
                </Fact>
              )}
              {refundedRaw > 0n && <Fact label={texts.refundedSum}>{showNano(locale, refundedRaw)}</Fact>}
              <Fact label={texts.id}>
                <code>{id}</code>
              </Fact>
              <Fact label={texts.address}>
                <code>{address}</code>
              </Fact>
              {payer !== null && (
                <Fact label={texts.paidBy}>
                  <code>{payer}</code>
                </Fact>
              )}
              {payments.length > 0 && <Blocks {...{ payments, blockUrl, proofUrl, voice }} />}
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

const Blocks = ({
  payments,
  blockUrl,
  proofUrl,
  voice: { texts, locale },
}: Pick<ReceiptProps, 'payments' | 'blockUrl' | 'proofUrl' | 'voice'>) => (
  <Fact label={payments.length > 1 ? texts.blocks : texts.block}>
    {payments.map(({ blockHash, amountRaw }) => {
      const proof = proofUrl(blockHash)
      return (
        <p key={blockHash}>
          {payments.length > 1 && `${showNano(locale, amountRaw)} `}
          <a href={blockUrl(blockHash)} rel="noopener noreferrer">
            <code>{blockHash}</code>
          </a>
          {proof !== undefined && (
            <>
              {' '}
              <a href={proof}>{texts.proof}</a>
            </>
          )}
        </p>
      )
    })}
  </Fact>
)
