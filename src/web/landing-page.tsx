import type { JsonObject } from '../kernel/shape.ts'
import { Code, CopyVoice } from './docs-code.tsx'
import type { DocsSite } from './docs-shell.tsx'
import { Layout } from './layout.tsx'
import { curl } from './reference-snippets.ts'

/** The call that a newcomer pastes first: a payment where nothing costs anything, a question where it does. */
function firstCall(devnet: boolean): JsonObject {
  if (!devnet) return { action: 'block_count' }
  return {
    action: 'checkout',
    address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
    amount: '1.5',
    title: 'Coffee',
  }
}

interface Card {
  title: string
  text: string
  href: string
  link: string
}

const CARDS: readonly Card[] = [
  {
    title: 'Take payments',
    text: 'One call creates a payment page with a QR code. A signed webhook reports the payment to your shop.',
    href: '/docs/first-payment',
    link: 'Your first payment',
  },
  {
    title: 'Keep wallets',
    text: 'Cloud wallets for orders, players or machines. When one expires, its balance goes where you choose.',
    href: '/docs/wallets',
    link: 'Cloud wallets',
  },
  {
    title: 'Read the ledger',
    text: 'Balances, history and blocks of any account, from several nodes, even when one fails.',
    href: '/docs/actions/account_balance',
    link: 'account_balance',
  },
  {
    title: 'Publish blocks',
    text: 'For your own wallets: proof of work on processors and graphics cards, and publishing that never sends twice.',
    href: '/docs/work',
    link: 'Proof of work',
  },
  {
    title: 'Charge per request',
    text: 'Set a price per request, paid in nano by programs without an account.',
    href: '/docs/pay-per-request',
    link: 'Pay per request',
  },
  {
    title: 'Run your own',
    text: 'One command on a laptop, with a built-in development ledger. Free software.',
    href: '/docs/going-live',
    link: 'Going live',
  },
]

/** What this is, for a visitor who has never heard of Nano, and one call to begin with. */
export const LandingPage = ({ site }: { site: DocsSite }) => {
  const { baseUrl, devnet, modules } = site
  const actions = modules.reduce((sum, module) => sum + module.actions.length, 0)
  return (
    <Layout
      title="nano-gateway: payments in nano, from one JSON endpoint"
      devnet={devnet}
      styles={['docs.css']}
      scripts={['docs.js']}
    >
      <div class="landing">
        <h1>Payments in nano, from one JSON endpoint</h1>
        <p class="lead">
          Nano is money made for the internet: a payment takes about a second, costs nothing to send, and needs no bank.
          This gateway connects your program to the network: send a JSON object, get a JSON answer.
        </p>
        <h2 id="try">Paste this into a terminal</h2>
        <Code text={curl(baseUrl, firstCall(devnet))} id="first-call" />
        <CopyVoice />
        {devnet ? (
          <p>
            This requests 1.5 nano. Open the URL in <code>browser</code>: it is the page your customer sees.{' '}
            <a href="/docs/first-payment">The guide</a> continues with a payment and the webhook your shop receives.
          </p>
        ) : (
          <p>
            This returns the number of blocks on the ledger. <a href="/docs/first-payment">The guide</a> continues with
            a payment.
          </p>
        )}
        <p class="landing-links">
          <a class="button" href="/docs">
            {`Try all ${actions} actions`}
          </a>
          <a href="/openapi.json">OpenAPI</a>
          <a href="/dashboard">Dashboard</a>
        </p>
        <h2>What it does</h2>
        <ul class="cards">
          {CARDS.map(({ title, text, href, link }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
              <a href={href}>{link}</a>
            </li>
          ))}
        </ul>
        <h2>Key terms</h2>
        <dl class="words">
          <dt>Address</dt>
          <dd>
            Where money is sent, like an account number. It starts with <code>nano_</code>; a username such as{' '}
            <code>@alice</code> can be used instead.
          </dd>
          <dt>Block</dt>
          <dd>One entry on the ledger, signed by its owner: a send, or the receipt of one. Its hash is the proof.</dd>
          <dt>Confirmed</dt>
          <dd>The network has agreed on a block and it is final. This takes about a second.</dd>
          <dt>Raw</dt>
          <dd>
            The smallest unit. One nano is 10<sup>30</sup> raw, so amounts are exact and never rounded.
          </dd>
          <dt>Work</dt>
          <dd>A small computation in each block instead of a fee. The gateway does it for you.</dd>
        </dl>
      </div>
    </Layout>
  )
}
