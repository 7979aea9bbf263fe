import { INVOICE_TEXTS } from '../invoices/texts.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { ShownMerchant } from '../../../web/merchant.tsx'
import type { PayerWallet } from '../../../kernel/payer-wallets.ts'
import { PayerWallets } from '../../../web/payer-wallets.tsx'
import type { QrOutline } from '../../../kernel/ports.ts'
import { type DeveloperPanelProps, Sign, Timer } from './pay-parts.tsx'
import { showNano } from '../../../web/formats.ts'
import { Address, CopyRow, QrCode } from '../../../web/qr-code.tsx'
import type { PayState, ShownCheckout } from './pay-state.ts'
import { type Voice, fill } from '../texts/index.ts'
import { ReceiptForm, type ReceiptProps } from './receipt-form.tsx'

export interface PayPageProps {
  checkout: ShownCheckout
  /** Who is being paid, where the merchant has made its name public. */
  merchant: ShownMerchant | undefined
  /** The plan shown; 0 without plans, undefined until the payer has chosen one. */
  plan: number | undefined
  /** Whether the service itself sells this. */
  isService: boolean
  /** What is still to be paid; undefined where the payer decides the amount. */
  dueRaw: bigint | undefined
  /** The number at the top of the page. */
  totalRaw: bigint | undefined
  link: string
  code: QrOutline
  /** Approximate value of the amount due in the reader's currency. */
  worth: string | undefined
  /** Until when the amount of a fiat price is valid. */
  quotedUntil: number | undefined
  /** A refund by the service: its reason, and its address once the block is known. */
  refund: { error: string; address: string | null; url: string | undefined } | undefined
  /** Links back to the merchant's shop after payment or cancellation, already validated. */
  successUrl: string | undefined
  /** Named to a payer who has no wallet. */
  wallets: readonly PayerWallet[]
  /** Where an expired order can be started again. */
  againAt: string | undefined
  cancelUrl: string | undefined
  devnet: boolean
  voice: Voice
  now: number
  /** The origin of the page that frames this one. */
  embed: string | undefined
  wrongAmount: boolean
  /** Link to the proof of the payment, once there is one. */
  proofUrl: string | undefined
  /** Whether the payer decides the amount. */
  openAmount: boolean
  /** Whether a payer who has chosen an amount wants to change it. */
  choosing: boolean
  /** Where the receipt goes: asked of the payer, or already known. */
  receipt: ReceiptProps
  /** Undefined with real nodes. */
  developer: Pick<DeveloperPanelProps, 'holds' | 'waiting'> | undefined
  /** Link to this page with other parameters. */
  hrefOf(changes: Readonly<Record<string, string>>): string
}

export interface Part extends PayPageProps {
  state: PayState
}

/** The name of the state, for the page and the tab title. */
export function headline({ checkout, plan, dueRaw, voice }: PayPageProps, state: PayState): string {
  const { texts, locale } = voice
  if (state === 'partial') return fill(texts.partial, { due: showNano(locale, dueRaw ?? 0n) })
  if (state === 'choose') return texts.chooseAmount
  if (state === 'waiting' && plan === undefined) return texts.choosePlan
  if (state === 'waiting' && checkout.plans.length > 1) return texts.waiting
  return texts[state]
}

/** The part of the page that changes: what to do now, or what has happened. */
export const Payment = (props: Part) => {
  const { state, voice } = props
  const { texts } = voice
  const heading = (
    <h2 id="state" tabIndex={-1}>
      {headline(props, state)}
    </h2>
  )
  switch (state) {
    case 'choose':
      return (
        <>
          {heading}
          <AmountForm {...props} />
        </>
      )
    case 'waiting':
      return props.plan === undefined ? heading : <PayNow {...props} />
    case 'partial':
      return <PayNow {...props} />
    case 'seen':
      return <Notice sign="busy" heading={heading} words={[texts.seenHelp]} />
    case 'complete':
      return <Complete {...props} />
    case 'closing':
      return <Notice sign="busy" heading={heading} words={[texts.closingHelp]} />
    case 'expired':
      return <Expired {...props} heading={heading} />
    case 'cancelled':
      return <Notice sign="bad" heading={heading} words={[texts.cancelledHelp, texts.ifPaid]} />
    case 'late':
      return <Notice sign="warn" heading={heading} words={[texts.lateHelp]} />
    case 'refunded':
      return <Refunded {...props} heading={heading} />
  }
}

/** An order of a link is started again by one button, except within another site, whose frame shows no other payment. */
const Expired = ({ checkout, againAt, embed, voice, heading }: Part & Pick<NoticeProps, 'heading'>) => {
  const { texts, language } = voice
  if (againAt === undefined || embed !== undefined)
    return <Notice sign="warn" heading={heading} words={[texts.expiredHelp, texts.ifPaid]} />
  return (
    <Notice sign="warn" heading={heading} words={[texts.againHelp]}>
      <form class="ways" method="post" action={againAt}>
        <input type="hidden" name="order" value={checkout.id} />
        <input type="hidden" name="lang" value={language} />
        <button class="button">{texts.again}</button>
      </form>
      <p>{texts.ifPaid}</p>
    </Notice>
  )
}

const Refunded = ({ refund, voice, heading }: Part & Pick<NoticeProps, 'heading'>) => (
  <Notice sign="warn" heading={heading} words={[voice.texts.refundedHelp]}>
    {refund && <p lang="en">{refund.error}</p>}
    {refund?.url !== undefined && (
      <p>
        <a href={refund.url} rel="noopener noreferrer">
          {voice.texts.block}
        </a>
      </p>
    )}
  </Notice>
)

export const Notice = ({ sign, heading, words, children }: NoticeProps) => (
  <div class="notice">
    <Sign kind={sign} />
    {heading}
    {words.map((text) => (
      <p key={text}>{text}</p>
    ))}
    {children}
  </div>
)

interface NoticeProps {
  sign: 'good' | 'busy' | 'warn' | 'bad'
  heading: preact.ComponentChildren
  words: readonly string[]
  children?: preact.ComponentChildren
}

const PayNow = (props: Part) => {
  const { checkout, dueRaw, link, code, quotedUntil, wallets, voice, state, now, openAmount, hrefOf } = props
  const { texts, locale } = voice
  const { address, mode, paidRaw, amountRaw } = checkout
  const amount = dueRaw === undefined ? texts.anyAmount : showNano(locale, dueRaw)
  return (
    <>
      <h2 id="state" tabIndex={-1} class="alive">
        {headline(props, state)}
      </h2>
      {state === 'partial' && amountRaw !== undefined && (
        <>
          <progress
            class="progress"
            value={Number(paidRaw)}
            max={Number(amountRaw)}
            aria-label={texts.paidSoFar.split(/[:：]/)[0]}
          />
          <p class="hint">
            {fill(texts.paidSoFar, { paid: showNano(locale, paidRaw), total: showNano(locale, amountRaw) })}
          </p>
        </>
      )}
      <figure class="scan">
        <QrCode code={code} label={fill(texts.qrCode, { amount, address })} />
        <figcaption>{texts.scan}</figcaption>
      </figure>
      <a class="button wallet" href={link}>
        {texts.openWallet}
      </a>
      {wallets.length > 0 && (
        <details class="no-wallet">
          <summary>{texts.noWallet}</summary>
          <p>{texts.noWalletHelp}</p>
          <PayerWallets wallets={wallets} />
        </details>
      )}
      <dl class="rows">
        {dueRaw !== undefined && (
          <CopyRow label={texts.amount} value={formatNano(dueRaw)} words={texts}>
            <code>{formatNano(dueRaw)}</code>
          </CopyRow>
        )}
        <CopyRow label={texts.address} value={address} words={texts}>
          <Address address={address} />
        </CopyRow>
      </dl>
      <p class="hint">
        {dueRaw === undefined
          ? texts.anyAmountHelp
          : mode === 'unique_amount'
            ? `${texts.exactly} ${texts.oddDigits}`
            : state === 'partial'
              ? texts.partialHelp
              : ''}
      </p>
      {quotedUntil !== undefined && quotedUntil < checkout.expiresAt ? (
        <Timer until={quotedUntil} now={now} text={texts.priceHolds} voice={voice} />
      ) : (
        <Timer until={checkout.expiresAt} now={now} text={texts.expiresIn} voice={voice} />
      )}
      {openAmount && (
        <p class="hint">
          <a href={hrefOf({ amount: 'other' })}>{texts.otherAmount}</a>
        </p>
      )}
      <ReceiptForm {...props} />
      <noscript>
        <p class="hint">
          {texts.updates} <a href={hrefOf({})}>{texts.checkNow}</a>
        </p>
      </noscript>
    </>
  )
}

const AmountForm = ({ checkout, voice, wrongAmount, embed }: Part) => {
  const { texts, language } = voice
  return (
    <form class="amount" method="post" action={`/pay/${checkout.id}/amount`}>
      <label for="amount">
        {checkout.currency === 'NANO' ? texts.amountInNano : fill(texts.amountIn, { currency: checkout.currency })}
      </label>
      <input
        id="amount"
        name="amount"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        required
        maxLength={40}
        aria-invalid={wrongAmount ? 'true' : undefined}
        aria-describedby={wrongAmount ? 'wrong amount-help' : 'amount-help'}
      />
      {wrongAmount && (
        <p id="wrong" class="wrong">
          {checkout.currency === 'NANO' ? texts.wrongAmount : texts.wrongPrice}
        </p>
      )}
      <p id="amount-help" class="hint">
        {texts.chooseAmountHelp}
      </p>
      <input type="hidden" name="lang" value={language} />
      {embed !== undefined && <input type="hidden" name="embed" value={embed} />}
      <button class="button">{texts.next}</button>
    </form>
  )
}

/** Asked, paid and the difference; shown only where they differ. */
export const Excess = ({ checkout, voice }: { checkout: ShownCheckout; voice: Voice }) => {
  const { texts, locale } = voice
  const { askedRaw, paidRaw, excessRaw } = checkout
  if (askedRaw === undefined || excessRaw === 0n) return null
  const rows = [
    [texts.price, askedRaw],
    [texts.complete, paidRaw],
    [texts.excess, excessRaw],
  ] as const
  return (
    <dl class="facts">
      {rows.map(([label, raw]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{showNano(locale, raw)}</dd>
        </div>
      ))}
    </dl>
  )
}

const Complete = (props: Part) => {
  const { checkout, successUrl, proofUrl, voice, embed } = props
  const { texts } = voice
  const beside = embed !== undefined && { target: '_blank', rel: 'noopener' }
  const words = [texts.completeHelp, ...(checkout.additional === 'overpaid' ? [texts.overpaid] : [])]
  const heading = (
    <h2 id="state" tabIndex={-1}>
      {texts.complete}
    </h2>
  )
  const receipt = `/pay/${checkout.id}/receipt?lang=${voice.language}`
  return (
    <Notice sign="good" heading={heading} words={words}>
      <Excess checkout={checkout} voice={voice} />
      <div class="ways">
        {successUrl !== undefined && embed === undefined && (
          <a class="button" href={successUrl} rel="noopener noreferrer" data-return={successUrl}>
            {fill(texts.returnTo, { host: new URL(successUrl).host })}
          </a>
        )}
        <a class="button quiet" href={receipt} {...beside}>
          {texts.receipt}
        </a>
        {checkout.invoice !== null && (
          <a class="button quiet" href={`/pay/${checkout.id}/invoice?lang=${voice.language}`} {...beside}>
            {INVOICE_TEXTS[voice.language].invoice}
          </a>
        )}
        {proofUrl !== undefined && (
          <a class="button quiet" href={proofUrl} {...beside}>
            {texts.proof}
          </a>
        )}
      </div>
      <ReceiptForm {...props} />
      <p class="returning" data-text={texts.returning} hidden>
        <span />
        <button type="button" class="link">
          {texts.stay}
        </button>
      </p>
    </Notice>
  )
}
