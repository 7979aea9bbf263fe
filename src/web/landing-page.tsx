import type { ComponentChildren } from 'preact'
import type { JsonObject } from '../kernel/shape.ts'
import { Code, CopyVoice, type DocsSite } from './docs-shell.tsx'
import { Layout } from './layout.tsx'
import { curl } from './reference-snippets.ts'

/** The example call on the landing page: a checkout on the development ledger, otherwise the harmless `block_count`. */
function firstCall(devnet: boolean): JsonObject {
  if (!devnet) return { action: 'block_count' }
  return {
    action: 'checkout',
    address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
    amount: '1.5',
    title: 'Coffee',
  }
}

const Icon = ({ d }: { d: string }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={d} />
  </svg>
)

const Ticks = ({ lines }: { lines: readonly string[] }) => (
  <ul class="ticks">
    {lines.map((line) => (
      <li key={line}>
        <Icon d="m4 10.5 4 4 8-9" />
        <span>{line}</span>
      </li>
    ))}
  </ul>
)

const Way = ({
  id,
  title,
  lead,
  children,
}: {
  id: string
  title: string
  lead: string
  children: ComponentChildren
}) => (
  <article class="way" id={id} aria-labelledby={`${id}-title`}>
    <div>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="soft">{lead}</p>
    </div>
    {children}
  </article>
)

const WHY = [
  [
    'M11 2.5 4.5 11.5H10l-1 6 6.5-9H10z',
    'Final in a second',
    'No card networks, no chargebacks, nothing pending overnight.',
  ],
  [
    'M10 2.5 16 5v5c0 4-3 6.5-6 7.5-3-1-6-3.5-6-7.5V5z',
    'Straight to you',
    'Money goes to your own address if you wish. The gateway never needs to hold it.',
  ],
  [
    'M4 16C4 8 8 4 16.5 3.5 17 12 13 15.5 6 14.5M4 17c1.5-4 4-6.5 8-8.5',
    'Nothing follows your buyer',
    'No third party and no tracking. A payment page weighs less than a photo.',
  ],
] as const

/** Two ways in, for people who sell and for people who build. */
export const LandingPage = ({ site }: { site: DocsSite }) => {
  const { baseUrl, devnet, modules } = site
  const actions = modules.reduce((sum, module) => sum + module.actions.length, 0)
  return (
    <Layout
      title="nano-gateway: paid in a second, all of it yours"
      devnet={devnet}
      styles={['docs.css', 'landing.css']}
      scripts={['docs.js']}
      bodyClass="landing"
    >
      <section class="hero">
        <h1>Paid in a second. All of it yours.</h1>
        <p>
          Take money at the counter, by link or from your program, in nano: a digital currency without fees. You set
          prices in your own currency.
        </p>
      </section>
      <section class="ways-in" aria-label="Two ways in">
        <Way id="sell" title="I sell" lead="A shop, a café, a club, a cause. No code.">
          {devnet ? <TryIt /> : <Steps />}
          <Ticks
            lines={[
              'Payment links, tills, invoices, memberships',
              'Receipts for your buyers, refunds in two clicks',
              'No wallet yet? One is made for you, and its words are yours',
            ]}
          />
          <p class="acts">
            <a class="button" href="/dashboard">
              Open my shop
            </a>
            <a href="#cost">What it costs</a>
          </p>
        </Way>
        <Way id="build" title="I build" lead="One JSON endpoint. It works without an account.">
          <Code text={curl(baseUrl, firstCall(devnet))} id="first-call" />
          <CopyVoice />
          <p class="soft">
            {devnet ? (
              <>
                Paste it into a terminal, then open the URL in <code>browser</code>: it is the page your customer sees.
              </>
            ) : (
              'Paste it into a terminal: it returns the number of blocks on the ledger.'
            )}
          </p>
          <Ticks lines={['Signed webhooks, wallets, names, pay per request', 'A ledger to practise on, in the box']} />
          <p class="acts">
            <a class="button" href="/docs/first-payment">
              Your first payment
            </a>
            <a href="/docs">{`Try all ${actions} actions`}</a>
          </p>
        </Way>
      </section>
      <section id="cost" aria-labelledby="cost-title">
        <h2 id="cost-title">What it costs</h2>
        <table class="cost">
          <thead>
            <tr>
              <th scope="col">A sale of</th>
              <th scope="col">€3.00</th>
              <th scope="col">€30.00</th>
              <th scope="col">€300.00</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">You get, in nano</th>
              <td>€3.00</td>
              <td>€30.00</td>
              <td>€300.00</td>
            </tr>
          </tbody>
        </table>
        <p class="soft">
          The network has no fees and this software is free: run it yourself, or use somebody’s. The price of nano
          moves; your price is turned into nano at the moment of sale.{' '}
          <a href="/docs/comparison">Compared with others</a>
        </p>
      </section>
      <section class="why" aria-label="Why">
        {WHY.map(([d, title, text]) => (
          <div key={title}>
            <Icon d={d} />
            <h3>{title}</h3>
            <p>{text}</p>
          </div>
        ))}
      </section>
      <p class="soft">
        New to nano? <a href="/docs/concepts">Concepts in five minutes</a> · <a href="/docs/going-live">Run your own</a>{' '}
        · <a href="/openapi.json">OpenAPI</a>
      </p>
    </Layout>
  )
}

/** A real payment in test nano, on the page that a customer would see. */
const TryIt = () => (
  <form class="try-it" method="post" action="/developer/coffee">
    <p>
      <span class="soft">Try it: one coffee</span>
      <strong>1 nano</strong>
    </p>
    <button class="button quiet">Pay with play money</button>
  </form>
)

const Steps = () => (
  <ol class="try-it">
    <li>Sign in with your email address.</li>
    <li>Say where your money goes, or have a wallet made.</li>
    <li>Share a link, or hold up the code.</li>
  </ol>
)
