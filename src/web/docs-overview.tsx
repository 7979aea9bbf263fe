import type { JsonObject } from '../kernel/shape.ts'
import { TableScroll } from './docs-markdown.tsx'
import { Code, CopyVoice, DocsShell, type DocsSite, Prose, moduleTitle, searchText } from './docs-shell.tsx'
import { Layout } from './layout.tsx'
import { COMMON_ERRORS, type ErrorView } from './reference-fields.ts'
import { curl } from './reference-snippets.ts'

/** The most frequent tasks, each with its page. */
const TASKS: readonly [task: string, path: string, title: string][] = [
  ['Try it on a laptop', 'getting-started', 'Quick start'],
  ['Understand the words', 'concepts', 'Concepts in five minutes'],
  ['Take a payment and receive its webhook', 'first-payment', 'Your first payment'],
  ['Put a button into a shop', 'any-shop', 'Any shop'],
  ['Sell without code', 'merchants', 'Links, invoices, subscriptions, till'],
  ['Give money back', 'refunds', 'Refunds'],
  ['Pay people or machines', 'wallets', 'Wallets'],
  ['Call it from a program', 'calling', 'Calling the API'],
  ['Give an AI agent tools', 'agents', 'Tools for agents'],
  ['Test without a network', 'devnet', 'The development ledger'],
  ['Run it for real', 'going-live', 'Going live'],
  ['Find out what is wrong', 'troubleshooting', 'Troubleshooting'],
]
/** Not in the menu: measurements, and reasons for the design. */
const NOTES = ['performance', 'reliability', 'scaling', 'security', 'decisions']

/** Tasks first, then how the API is called, and all of its actions. */
export const DocsOverview = ({ site }: { site: DocsSite }) => {
  return (
    <DocsShell site={site} title="Documentation" here="/docs">
      <h1>Documentation</h1>
      <h2 id="tasks">What do you want to do?</h2>
      <TableScroll>
        <table>
          <tbody>
            {TASKS.map(([task, path, title]) => (
              <tr key={path}>
                <td>{task}</td>
                <td>
                  <a href={`/docs/${path}`}>{title}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      <h2 id="api">The API</h2>
      <p class="lead">
        POST a JSON object to <code>{site.baseUrl}</code>. Its member <code>action</code> names the action, the others
        are its fields. The answer is JSON.
      </p>
      <Code text={curl(site.baseUrl, { action: 'block_count' })} />
      <p class="docs-links">
        <a href="/openapi.json" download="nano-gateway-openapi.json">
          Download OpenAPI
        </a>
        <a href="/docs/contract">The contract</a>
        <a href="#conventions">Conventions</a>
        <a href="#errors">Errors</a>
      </p>
      <h2 id="actions">Actions</h2>
      {site.modules.map((module) => (
        <section key={module.name} data-group>
          <h3 id={module.name}>{moduleTitle(module)}</h3>
          <ul class="docs-actions">
            {module.actions.map((action) => (
              <li key={action.name} id={action.name} data-find={searchText(action)}>
                <a href={`/docs/actions/${action.name}`}>
                  <code>{action.name}</code>
                </a>
                {action.auth !== 'none' && <span class="tag">key</span>}
                <span class="docs-summary">
                  <Prose text={action.summary} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Conventions baseUrl={site.baseUrl} />
      <h2 id="notes">Engineering notes</h2>
      <p class="docs-links">
        {NOTES.map((path) => (
          <a key={path} href={`/docs/${path}`}>
            {`${path.charAt(0).toUpperCase()}${path.slice(1)}`}
          </a>
        ))}
      </p>
    </DocsShell>
  )
}

const Conventions = ({ baseUrl }: { baseUrl: string }) => (
  <>
    <h2 id="conventions">Conventions</h2>
    <ul>
      <li>
        An <code>error</code> member means failure, even with status 200: if the ledger itself refuses, it has the
        node’s exact text.
      </li>
      <li>
        Amounts are whole numbers of raw, as text; each has a counterpart in nano whose name ends in <code>_nano</code>.
        One nano is 10<sup>30</sup> raw.
      </li>
      <li>
        You can use <code>@username</code> wherever an account is expected.
      </li>
      <li>
        A flag is <code>true</code>, <code>"true"</code>, <code>1</code> or <code>"1"</code>. A field that an action of
        the service does not use is refused; the node’s actions name it in <code>X-Ignored-Fields</code>.
      </li>
      <li>
        Send a key in the header <code>Authorization: Bearer …</code>. Most reads need none.
      </li>
      <li>
        Actions that move money take an <code>Idempotency-Key</code>: the same key with the same body acts once.
      </li>
      <li>
        Confirmations arrive by websocket at <code>{`${baseUrl.replace(/^http/, 'ws')}/ws`}</code>.
      </li>
    </ul>
    <h2 id="errors">Errors that any action can return</h2>
    <ErrorTable errors={COMMON_ERRORS} />
  </>
)

export const ErrorTable = ({ errors }: { errors: readonly ErrorView[] }) => (
  <TableScroll>
    <table class="stack">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>When</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ status, code, when }) => (
          <tr key={`${code} ${when}`}>
            <td>{status}</td>
            <td>
              <code>{code}</code>
            </td>
            <td>
              <Prose text={when} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** The call that a newcomer tries first: a payment where nothing costs anything, otherwise a question. */
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

/** Introduces the service to a visitor who has never heard of Nano, with one call to begin with. */
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
