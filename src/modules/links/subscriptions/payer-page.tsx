import { Document } from '../../../web/layout.tsx'
import { MerchantFoot, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import type { Voice } from '../../checkout/index.ts'
import type { Subscription } from './store.ts'
import { SUBSCRIPTION_TEXTS, everyText } from './texts.ts'

interface PayerPageProps {
  subscription: Subscription
  title: string
  /** The path that its forms submit to. */
  path: string
  /** Whether the offer can be paid now. */
  isOffered: boolean
  /** The price of the next period; undefined where it is no longer offered. */
  price: string | undefined
  merchant: ShownMerchant | undefined
  devnet: boolean
  voice: Voice
}

/** The payer's page of a subscription: paid until when, renew, end. It works without scripts. */
export const PayerPage = (props: PayerPageProps) => {
  const { subscription, title, path, isOffered, price, merchant, devnet, voice } = props
  const { language, locale } = voice
  const texts = SUBSCRIPTION_TEXTS[language]
  const { status, every, paidUntil, plan } = subscription
  const isOver = status === 'ended'
  const state = isOver ? texts.ended : status === 'lapsed' ? texts.lapsed : texts.active
  return (
    <Document
      title={title}
      lang={language}
      styles={['pay.css']}
      bodyClass="pay offer"
      head={merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
    >
      {devnet && <header class="test">{voice.texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <header class="order">
            {merchant && <MerchantHead {...merchant} />}
            <h1 dir="auto">{title}</h1>
            {plan !== null && (
              <p class="description" dir="auto">
                {plan}
              </p>
            )}
            {price !== undefined && (
              <p class="price">
                <bdi>{price}</bdi>
              </p>
            )}
            <p class="worth">{everyText(language, every)}</p>
          </header>
          <section class="payment">
            <div class="notice">
              <h2>{state}</h2>
              {paidUntil !== null && (
                <p>
                  {texts.paidUntil}{' '}
                  <strong>
                    {new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(paidUntil)}
                  </strong>
                </p>
              )}
              {!isOffered && <p>{texts.gone}</p>}
            </div>
            {isOffered && !isOver && (
              <form class="amount" method="post" action={`${path}/renew`}>
                <input type="hidden" name="lang" value={language} />
                <button class="button">{texts.renew}</button>
              </form>
            )}
            {!isOver && (
              <details class="ending">
                <summary>{texts.end}</summary>
                <form class="amount" method="post" action={`${path}/end`}>
                  <p>{texts.endAsk}</p>
                  <input type="hidden" name="lang" value={language} />
                  <button class="button quiet">{texts.endYes}</button>
                </form>
              </details>
            )}
          </section>
        </article>
        {merchant && <MerchantFoot merchant={merchant} words={voice.texts} />}
      </main>
    </Document>
  )
}
