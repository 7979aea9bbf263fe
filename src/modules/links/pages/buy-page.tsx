import { Languages, MerchantFoot, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import { Document } from '../../../web/layout.tsx'
import { type Voice, fill, languagesOf, showMoney, showNano } from '../../checkout/index.ts'
import { parseNano } from '../../../kernel/money.ts'
import { count } from '../../../web/voice.ts'
import type { LinkStatus } from '../domain/status.ts'
import { OFFER_TEXTS } from '../texts.ts'
import { BuyerFields, type Typed } from './buyer-fields.tsx'
import type { Every } from '../subscriptions/periods.ts'
import { SUBSCRIPTION_TEXTS, everyText } from '../subscriptions/texts.ts'

export interface ShownOffer {
  slug: string
  status: LinkStatus
  /** The pieces left; undefined without a limit. */
  left: number | undefined
  /** Whether some of the sold-out pieces are only held, and may become available. */
  isReserved: boolean
  title: string | null
  description: string | null
  hasImage: boolean
  currency: string
  price: string | null
  plans: readonly { title: string; value: string; discount: number | false }[]
  quantity: { min: number; max: number }
  suggested: readonly string[]
  /** How often it is paid; null for a single payment. */
  every: Every | null
  /** Whether the page asks for the buyer of the invoice; null without an invoice. */
  invoice: 'optional' | 'required' | null
}

interface BuyPageProps {
  offer: ShownOffer
  merchant: ShownMerchant | undefined
  typed: Typed
  /** Makes a form that is submitted twice count once. */
  token: string
  devnet: boolean
  voice: Voice
}

/** An offer with its choices and the button to pay. It works without scripts. */
export const BuyPage = (props: BuyPageProps) => {
  const { offer, merchant, devnet, voice } = props
  const { texts, language } = voice
  const title = offer.title ?? texts.payment
  return (
    <Document
      title={merchant ? `${title} · ${merchant.name}` : title}
      lang={language}
      styles={['pay.css']}
      bodyClass="pay offer"
      head={merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <header class="order">
            {merchant && <MerchantHead {...merchant} />}
            {offer.hasImage && <img class="offer-picture" src={`/buy/${offer.slug}/image`} alt="" />}
            <h1 dir="auto">{title}</h1>
            {offer.description !== null && (
              <p class="description" dir="auto">
                {offer.description}
              </p>
            )}
            {offer.price !== null && (
              <p class="price">
                <bdi>{showPrice(voice, offer.price, offer.currency)}</bdi>
              </p>
            )}
            {offer.every !== null && <p class="worth">{everyText(language, offer.every)}</p>}
            {offer.left !== undefined && offer.left > 0 && (
              <p class="worth">{count(voice.locale, OFFER_TEXTS[language].left, offer.left)}</p>
            )}
          </header>
          <section class="payment">{offer.status === 'active' ? <Choice {...props} /> : <Closed {...props} />}</section>
        </article>
        {merchant && <MerchantFoot merchant={merchant} words={texts} />}
      </main>
      <Languages {...languagesOf(voice, (lang) => `/buy/${offer.slug}?lang=${lang}`)} />
    </Document>
  )
}

/** A price in the format of the reader's language; one with digits to fill is shown unchanged. */
export function showPrice({ locale }: Voice, price: string, currency: string): string {
  if (currency !== 'NANO') return showMoney(locale, price, currency)
  const raw = parseNano(price)
  return raw === undefined ? `${price} nano` : showNano(locale, raw)
}

const Closed = ({ offer, voice }: BuyPageProps) => {
  const texts = OFFER_TEXTS[voice.language]
  const { status, isReserved } = offer
  if (status === 'active') return null
  return (
    <div class="notice">
      <h2>{texts[status]}</h2>
      <p>{status === 'sold_out' && isReserved ? texts.reserved : texts.closedHelp}</p>
    </div>
  )
}

const Choice = ({ offer, typed, token, voice }: BuyPageProps) => {
  const texts = OFFER_TEXTS[voice.language]
  const { quantity, plans, price } = offer
  const isGift = price === null && plans.length === 0
  const most = offer.left === undefined ? quantity.max : Math.min(quantity.max, offer.left)
  return (
    <form class="amount" method="post" action={`/buy/${offer.slug}`}>
      {typed.wrong === 'share' && (
        <p class="wrong" role="alert">
          {texts.tooMany}
        </p>
      )}
      {plans.length > 0 && (
        <Options
          legend={voice.texts.choosePlan}
          name="plan"
          chosen={typed.plan}
          wrong={typed.wrong === 'plan' ? texts.wrongPlan : undefined}
          options={plans.map(({ title, value }, at) => [String(at), title, showPrice(voice, value, offer.currency)])}
        />
      )}
      {isGift && <Amount {...{ offer, typed, voice }} />}
      {quantity.max > 1 && (
        <>
          <label for="quantity">{texts.quantity}</label>
          <input
            id="quantity"
            name="quantity"
            type="number"
            inputMode="numeric"
            min={quantity.min}
            max={most}
            step={1}
            required
            value={typed.quantity ?? String(quantity.min)}
            aria-invalid={typed.wrong === 'quantity' ? 'true' : undefined}
            aria-describedby={typed.wrong === 'quantity' ? 'wrong-quantity' : undefined}
          />
          {typed.wrong === 'quantity' && (
            <p id="wrong-quantity" class="wrong">
              {fill(texts.wrongQuantity, { min: String(quantity.min), max: String(most) })}
            </p>
          )}
        </>
      )}
      {offer.every !== null && <Email typed={typed} voice={voice} />}
      {offer.invoice !== null && <BuyerFields typed={typed} voice={voice} wanted={offer.invoice} />}
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="lang" value={voice.language} />
      <button class="button">{texts.toPayment}</button>
    </form>
  )
}

/** The address for reminders, the only way to renew, because nothing is charged automatically. */
const Email = ({ typed, voice }: Pick<BuyPageProps, 'typed' | 'voice'>) => {
  const texts = SUBSCRIPTION_TEXTS[voice.language]
  const isWrong = typed.wrong === 'email'
  return (
    <>
      <label for="email">{texts.email}</label>
      <p id="email-help" class="help">
        {texts.emailHelp}
      </p>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        maxLength={254}
        required
        value={typed.email ?? ''}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'email-help wrong-email' : 'email-help'}
      />
      {isWrong && (
        <p id="wrong-email" class="wrong">
          {texts.wrongEmail}
        </p>
      )}
    </>
  )
}

const Amount = ({ offer, typed, voice }: Pick<BuyPageProps, 'offer' | 'typed' | 'voice'>) => {
  const offerTexts = OFFER_TEXTS[voice.language]
  const { texts } = voice
  const { currency, suggested } = offer
  const label = currency === 'NANO' ? texts.amountInNano : fill(texts.amountIn, { currency })
  const unit = currency === 'NANO' ? 'nano' : currency
  const isWrong = typed.wrong === 'amount'
  return (
    <>
      {suggested.length > 0 && (
        <Options
          legend={offerTexts.suggestion}
          name="amount"
          chosen={typed.amount ?? (isWrong ? undefined : suggested[0])}
          options={suggested.map((amount) => [amount, showPrice(voice, amount, currency), ''])}
        />
      )}
      <label for="own">{suggested.length > 0 ? `${offerTexts.ownAmount} (${unit})` : label}</label>
      <input
        id="own"
        name="own"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        maxLength={40}
        required={suggested.length === 0}
        value={typed.own ?? ''}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? 'wrong-own' : undefined}
      />
      {isWrong && (
        <p id="wrong-own" class="wrong">
          {currency === 'NANO' ? texts.wrongAmount : texts.wrongPrice}
        </p>
      )}
    </>
  )
}

interface OptionsProps {
  legend: string
  name: string
  chosen: string | undefined
  wrong?: string | undefined
  /** Value, name and price. */
  options: readonly (readonly [string, string, string])[]
}

const Options = ({ legend, name, chosen, wrong, options }: OptionsProps) => (
  <fieldset class="options" aria-describedby={wrong === undefined ? undefined : `wrong-${name}`}>
    <legend>{legend}</legend>
    {options.map(([value, title, price]) => (
      <label key={value} class="option">
        <input type="radio" name={name} value={value} checked={chosen === value} />
        <span class="plan-title" dir="auto">
          {title}
        </span>
        {price !== '' && <bdi class="plan-price">{price}</bdi>}
      </label>
    ))}
    {wrong !== undefined && (
      <p id={`wrong-${name}`} class="wrong">
        {wrong}
      </p>
    )}
  </fieldset>
)

/** Shown when the offer does not exist, or no checkout can be made at the moment. */
export const OfferProblem = ({
  problem,
  voice,
  devnet,
}: {
  problem: 'notFound' | 'unavailable'
  voice: Voice
  devnet: boolean
}) => {
  const { texts, language } = voice
  return (
    <Document title={texts[problem]} lang={language} styles={['pay.css']} bodyClass="pay">
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <section class="payment">
            <div class="notice">
              <h1>{texts[problem]}</h1>
              <p>{texts[problem === 'notFound' ? 'notFoundHelp' : 'unavailableHelp']}</p>
            </div>
          </section>
        </article>
      </main>
    </Document>
  )
}
