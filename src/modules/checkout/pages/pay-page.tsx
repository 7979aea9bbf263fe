import { DeveloperPanel, Plans, Price } from './pay-parts.tsx'
import { showMoney } from '../../../web/formats.ts'
import { Languages, MerchantFoot, MerchantHead } from '../../../web/merchant.tsx'
import { Document } from '../../../web/layout.tsx'
import { isOpen, stateOf } from './pay-state.ts'
import { Notice, type Part, type PayPageProps, Payment, headline } from './pay-states.tsx'
import { type Voice, fill, languagesOf } from '../texts/index.ts'

const REFRESH_SECONDS = 5
const LONG_DESCRIPTION = 160

/** The payment page in every state. Its scripts only fetch this page again and replace its parts. */
export const PayPage = (props: PayPageProps) => {
  const { checkout, merchant, voice, now, embed, devnet, developer, plan, hrefOf } = props
  const { texts, language } = voice
  const state = props.choosing ? 'choose' : stateOf(checkout, now)
  const title = checkout.title ?? texts.payment
  const back = hrefOf({})
  return (
    <Document
      title={`${headline(props, state)} · ${title}`}
      lang={language}
      styles={['pay.css']}
      scripts={['pay.js']}
      bodyClass={embed === undefined ? 'pay' : 'pay framed'}
      // A page with a form does not reload itself, which would discard what the payer types.
      head={
        <>
          {merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
          {isOpen(state) && state !== 'choose' && <Refresh />}
        </>
      }
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main
        id="pay"
        data-id={checkout.id}
        data-state={state}
        data-status={checkout.status}
        data-additional={checkout.additional}
        data-amount={checkout.amountRaw?.toString() ?? ''}
        data-paid={checkout.paidRaw.toString()}
        data-now={now}
        data-embed={embed}
        data-merchant={merchant?.name}
        data-five={texts.fiveMinutes}
        data-one={texts.oneMinute}
        data-up={texts.timeUp}
      >
        <article class={`card ${state}`}>
          <Order {...props} state={state} />
          <section class="payment" aria-labelledby="state">
            <Payment {...props} state={state} />
          </section>
        </article>
        {merchant && <MerchantFoot merchant={merchant} words={texts} beside={embed !== undefined} />}
        {embed === undefined && <Leave {...props} state={state} />}
        {developer && embed === undefined && (
          <DeveloperPanel
            {...developer}
            id={checkout.id}
            plan={checkout.plans.length > 0 ? plan : undefined}
            choice={props.openAmount ? checkout.amountRaw?.toString() : undefined}
            back={back}
          />
        )}
      </main>
      {embed === undefined && <Languages {...languagesOf(voice, (lang) => hrefOf({ lang }))} />}
      <p id="live" class="unseen" role="status" />
    </Document>
  )
}

const Refresh = () => (
  <noscript>
    <meta http-equiv="refresh" content={String(REFRESH_SECONDS)} />
  </noscript>
)

/** What is bought, and its price. */
const Order = ({ checkout, merchant, plan, isService, totalRaw, worth, voice, state, hrefOf }: Part) => {
  const { texts, locale } = voice
  const { title, description, image, id, currency, price, plans } = checkout
  const bought = checkout.plan === null ? undefined : plans[checkout.plan]
  const shownPrice = plans.length > 0 ? (bought ?? plans[plan ?? -1])?.value : price
  return (
    <header class="order">
      {merchant && <MerchantHead {...merchant} />}
      <div class="what">
        {image !== null && <img class="picture" src={`/pay/${id}/image`} alt="" width="64" height="64" />}
        <h1 dir="auto">{title ?? texts.payment}</h1>
      </div>
      {description !== null && <Description text={description} label={texts.details} isWhole={isService} />}
      {totalRaw !== undefined && totalRaw > 0n && plan !== undefined && <Price raw={totalRaw} voice={voice} />}
      {currency !== 'NANO' && shownPrice !== undefined && shownPrice !== null ? (
        <p class="worth">
          <bdi dir="ltr">{showMoney(locale, shownPrice, currency)}</bdi>
        </p>
      ) : (
        worth !== undefined &&
        plan !== undefined && (
          <p class="worth">
            ≈ <bdi dir="ltr">{worth}</bdi>
          </p>
        )
      )}
      {bought && state === 'complete' && (
        <p class="bought" dir="auto">
          {bought.title}
        </p>
      )}
      {plans.length > 1 && (state === 'waiting' || state === 'partial') && (
        <Plans checkout={checkout} chosen={plan} voice={voice} hrefOf={(at) => hrefOf({ plan: String(at) })} />
      )}
    </header>
  )
}

const Description = ({ text, label, isWhole }: { text: string; label: string; isWhole: boolean }) =>
  text.length > LONG_DESCRIPTION && !isWhole ? (
    <details class="description">
      <summary>{label}</summary>
      <p dir="auto">{text}</p>
    </details>
  ) : (
    <p class="description" dir="auto">
      {text}
    </p>
  )

/** The link for a payer who does not want to pay. It leaves the checkout as it is. */
const Leave = ({ cancelUrl, voice, state }: Part) =>
  cancelUrl === undefined || state === 'complete' || state === 'seen' ? null : (
    <p class="leave">
      <a href={cancelUrl} rel="noopener noreferrer">
        {fill(isOpen(state) ? voice.texts.cancelAndReturn : voice.texts.returnTo, { host: new URL(cancelUrl).host })}
      </a>
    </p>
  )

/** Shown when the checkout does not exist or has no price at the moment. */
export const PayProblem = ({
  problem,
  voice,
  devnet,
}: {
  problem: 'notFound' | 'unavailable'
  voice: Voice
  devnet: boolean
}) => {
  const { texts, language } = voice
  const heading = <h1>{texts[problem]}</h1>
  return (
    <Document title={texts[problem]} lang={language} styles={['pay.css']} bodyClass="pay">
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <section class="payment">
            <Notice
              sign="warn"
              heading={heading}
              words={[texts[problem === 'notFound' ? 'notFoundHelp' : 'unavailableHelp']]}
            >
              {problem === 'unavailable' && (
                <div class="ways">
                  <a class="button" href="">
                    {texts.checkNow}
                  </a>
                </div>
              )}
            </Notice>
          </section>
        </article>
      </main>
    </Document>
  )
}
