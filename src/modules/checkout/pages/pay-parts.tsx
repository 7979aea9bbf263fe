import type { ComponentChildren } from 'preact'
import { showDigits, showLeft, showMoney, showNano, showPercent } from '../../../web/formats.ts'
import { type Voice, fill } from '../texts/index.ts'
import type { ShownCheckout } from './pay-state.ts'

const LONG_AMOUNT = 13

/** The amount to pay, as large as fits. */
export const Price = ({ raw, voice }: { raw: bigint; voice: Voice }) => {
  const digits = showDigits(voice.locale, raw)
  return (
    <p class={digits.length > LONG_AMOUNT ? 'price long' : 'price'}>
      <bdi dir="ltr">
        {digits} <span class="unit">nano</span>
      </bdi>
    </p>
  )
}

/** A countdown with scripts; without them, the approximate time left. */
export const Timer = ({ until, now, text, voice }: { until: number; now: number; text: string; voice: Voice }) => (
  <p class="timer" role="timer" data-until={until} data-text={text}>
    {fill(text, { left: showLeft(voice.locale, until - now) })}
  </p>
)

/** Every plan is a link, so that choosing works without scripts. */
export const Plans = ({ checkout, chosen, voice, hrefOf }: PlansProps) => (
  <nav class="plans" aria-label={voice.texts.choosePlan}>
    <ul>
      {checkout.plans.map((plan, at) => (
        <li key={at}>
          <a href={hrefOf(at)} data-plan={at} aria-current={at === chosen ? 'true' : undefined}>
            <span class="plan-title" dir="auto">
              {plan.title}
            </span>
            {plan.discount !== false && plan.discount > 0 && (
              <span class="discount">
                {fill(voice.texts.discount, { percent: showPercent(voice.locale, plan.discount) })}
              </span>
            )}
            <bdi class="plan-price" dir="ltr">
              {checkout.currency === 'NANO'
                ? plan.amountRaw !== undefined && showNano(voice.locale, plan.amountRaw)
                : showMoney(voice.locale, plan.value, checkout.currency)}
            </bdi>
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

interface PlansProps {
  checkout: ShownCheckout
  /** Undefined until the payer has chosen. */
  chosen: number | undefined
  voice: Voice
  hrefOf(plan: number): string
}

/** The icon of a state; the text beside it explains it. */
export const Sign = ({ kind }: { kind: 'good' | 'busy' | 'warn' | 'bad' }) => (
  <svg class={`sign ${kind}`} viewBox="0 0 64 64" aria-hidden="true">
    <circle class="ring" cx="32" cy="32" r="28" />
    {kind === 'good' && <path class="mark" d="M20 33l8.5 8.5L45 24" />}
    {kind === 'busy' && <circle class="turn" cx="32" cy="32" r="28" />}
    {kind === 'busy' && <path class="mark" d="M32 18v14l9 6" />}
    {kind === 'warn' && <path class="mark" d="M32 18v17M32 44v1" />}
    {kind === 'bad' && <path class="mark" d="M23 23l18 18M41 23L23 41" />}
  </svg>
)

export interface DeveloperPanelProps {
  /** The checkout that the buttons act on. */
  id: string
  /** The chosen plan, where there are several. */
  plan: number | undefined
  /** The amount that this payer chose, in raw. */
  choice: string | undefined
  /** The path of this gateway to which the forms return. */
  back: string
  /** Whether the development ledger holds new blocks back unconfirmed; `waiting` is how many. */
  holds: boolean
  waiting: number
}

/** Buttons that act as payer, merchant and network. For developers only, so it is not translated. */
export const DeveloperPanel = ({ id, plan, choice, back, holds, waiting }: DeveloperPanelProps) => {
  const pay = `/developer/checkouts/${id}/pay`
  return (
    <details class="developer" lang="en" dir="ltr" open>
      <summary>Developer panel</summary>
      <p>
        Only on the development ledger. Blocks are{' '}
        {holds ? 'held: payments are seen but not confirmed' : 'confirmed immediately'}
        {waiting > 0 && `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}.
      </p>
      <div class="play-buttons">
        <PlayButton action={pay} back={back} fields={{ way: 'exactly', plan, choice }} label="Pay exactly" />
        <PlayButton action={pay} back={back} fields={{ way: 'partly', plan, choice }} label="Pay half" />
        <PlayButton action={pay} back={back} fields={{ way: 'late', plan, choice }} label="Pay late" />
        {holds ? (
          <PlayButton action="/developer/confirm" back={back} label="Confirm blocks" />
        ) : (
          <PlayButton action="/developer/hold" back={back} label="Hold blocks" />
        )}
        <PlayButton action={`/developer/checkouts/${id}/expire`} back={back} label="Expire now" />
        <PlayButton action={`/developer/checkouts/${id}/cancel`} back={back} label="Cancel" />
      </div>
    </details>
  )
}

const PlayButton = ({ action, back, fields = {}, label }: PlayButtonProps) => (
  <form method="post" action={action}>
    {Object.entries({ ...fields, return: back }).map(
      ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
    )}
    <button class="button quiet">{label}</button>
  </form>
)

interface PlayButtonProps {
  action: string
  back: string
  fields?: Readonly<Record<string, string | number | undefined>>
  label: string
}

/** An entry of a list of facts. */
export const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
