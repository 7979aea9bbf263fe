import type { ComponentChildren } from 'preact'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, TextField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Icon } from '../../../web/dashboard/icons.tsx'
import { PaymentList, type PaymentRow } from '../../../web/dashboard/payment-list.tsx'
import { PayoutForm } from '../../../web/dashboard/payout-form.tsx'
import { beginnings } from '../../../web/dashboard/shell.tsx'

const NOTHING: FormState = { values: {} }

/** A step of the setup: done, or with the form or link that completes it. */
const Step = (props: { at: number; title: string; isDone: boolean; lead: string; children?: ComponentChildren }) => (
  <li class={props.isDone ? 'done' : undefined}>
    <span class="tick" aria-hidden="true">
      {props.isDone ? <Icon name="tick" /> : props.at}
    </span>
    <div class="say">
      <h2>
        {props.title}
        {props.isDone && <span class="unseen">, done</span>}
      </h2>
      <p class="soft">{props.lead}</p>
      {props.children}
    </div>
  </li>
)

interface BeginPageProps {
  frame: FrameProps
  payout: string | null
}

/** Shown before the first payment: three steps of the setup, each done or with the link that completes it. */
export const BeginPage = ({ frame, payout }: BeginPageProps) => {
  const { name, currency, timeZone } = frame.shop
  const done = [payout !== null, name !== null, false].filter(Boolean).length
  return (
    <Frame {...frame} title="Welcome" lead="Three things and you can take money." follows={['checkout']}>
      <section class="card flush" aria-label="Getting started">
        <div class="progress">
          <div class="head">
            <strong>Getting started</strong>
            <span class="soft small">{`${done} of 3 done`}</span>
          </div>
          <progress max={3} value={done} aria-label="Getting started" />
        </div>
        <ol class="steps">
          <Step
            at={1}
            title="Where your money goes"
            isDone={payout !== null}
            lead={
              payout === null
                ? 'Every payment arrives here. You can change it at any time.'
                : `${payout.slice(0, 16)}…${payout.slice(-6)}`
            }
          >
            {payout === null ? (
              <PayoutForm frame={frame} filled={NOTHING} from="home" />
            ) : (
              <WayTo frame={frame} href="/dashboard/payout" class="button plain">
                Change
              </WayTo>
            )}
          </Step>
          <Step
            at={2}
            title="Your shop"
            isDone={name !== null}
            lead={
              name === null
                ? 'Its name, and the currency of your prices. Buyers see whom they pay.'
                : `${name} · prices in ${currency === 'NANO' ? 'nano' : currency} · ${timeZone} time`
            }
          >
            <WayTo frame={frame} href="/dashboard/profile" class="button plain">
              {name === null ? 'Say who you are' : 'Change'}
            </WayTo>
          </Step>
          <Step
            at={3}
            title="Take a payment"
            isDone={false}
            lead={
              frame.plays
                ? 'Give something a price and pay it yourself, with play money.'
                : 'Give something a price, and send the link to a customer.'
            }
          >
            {payout !== null && (
              <Form frame={frame} action="/dashboard/checkouts" label="Take a payment" class="sale">
                <TextField filled={NOTHING} name="title" label="What" placeholder="Coffee" required maxLength={120} />
                <TextField
                  filled={NOTHING}
                  name="amount"
                  label={currency === 'NANO' ? 'Price in nano' : `Price in ${currency}`}
                  inputMode="decimal"
                  placeholder="1"
                  required
                />
                <input type="hidden" name="currency" value={currency} />
                <input type="hidden" name="mode" value="unique_amount" />
                <button>Try a sale</button>
              </Form>
            )}
          </Step>
        </ol>
      </section>
      {beginnings(frame).length > 0 && (
        <section class="card">
          <h2>What do you want to sell first?</h2>
          <nav class="chips" aria-label="Begin with">
            {beginnings(frame).map(({ href, title, icon }) => (
              <a key={href} href={href}>
                <Icon name={icon} />
                {title}
              </a>
            ))}
          </nav>
          <p class="soft small">
            Connecting an online shop or writing code? <a href="/dashboard/keys">Keys and examples</a>
          </p>
        </section>
      )}
    </Frame>
  )
}

/** A task that waits for a person, and the page on which it is done. */
export interface Need {
  title: string
  text: string
  href: string
  way: string
}

interface HomePageProps {
  frame: FrameProps
  lead: string
  today: { value: string; text: string }
  /** Sums that are shown next to the sum of today, by name. */
  beside: readonly (readonly [string, string])[]
  rows: readonly PaymentRow[]
  needs: readonly Need[]
  /** The chart. */
  children: ComponentChildren
}

export const HomePage = ({ frame, lead, today, beside, rows, needs, children }: HomePageProps) => (
  <Frame {...frame} title="Today" lead={lead} follows={['reports', 'checkout', 'webhooks']}>
    {needs.length > 0 && (
      <p class="jump">
        <a href="#needs">{needs.length === 1 ? 'One thing needs you' : `${needs.length} things need you`}</a>
      </p>
    )}
    <div class="columns">
      <div>
        <section class="card today" aria-label="Today’s takings">
          <div>
            <p class="money">{today.value}</p>
            <p class="soft">{today.text}</p>
          </div>
          <dl>
            {beside.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd class="money">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section class="card flush">
          <div class="head">
            <h2>Latest payments</h2>
            <a href="/dashboard/checkouts" class="small">
              All payments
            </a>
          </div>
          <PaymentList label="The latest payments" rows={rows} />
        </section>
      </div>
      <div>
        <section class="card" id="needs">
          <div class="head">
            <h2>Needs you</h2>
            {needs.length > 0 && <span class="count">{needs.length}</span>}
          </div>
          {needs.length === 0 ? (
            <p class="soft">Nothing at the moment.</p>
          ) : (
            <ul class="todo">
              {needs.map(({ title, text, href, way }) => (
                <li key={href}>
                  <strong>{title}</strong>
                  <p class="soft small">{text}</p>
                  <a class="button plain" href={href}>
                    {way}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
        {children}
      </div>
    </div>
  </Frame>
)
