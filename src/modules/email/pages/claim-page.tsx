import type { ComponentChildren } from 'preact'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import { Document } from '../../../web/layout.tsx'

/** What the page shows of a share. */
interface ShownShare {
  amount: Raw
  /** What the sender calls themselves. */
  sender: string | null
  message: string | null
  expiresAt: number
}

const toDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

interface FrameProps {
  title: string
  devnet: boolean
  /** Why the last try did not work. */
  error?: string | undefined
  /** Fills the code in from the address of the page. */
  script?: boolean
  children: ComponentChildren
}

const Frame = ({ title, devnet, error, script, children }: FrameProps) => (
  <Document
    title={title}
    styles={['claim.css']}
    scripts={script ? ['claim.js'] : []}
    head={<meta name="robots" content="noindex, nofollow" />}
    bodyClass="claim"
  >
    {devnet && (
      <aside class="banner" aria-label="Notice">
        Embedded development ledger: the nano here is worth nothing.
      </aside>
    )}
    <main>
      <h1>{title}</h1>
      {error !== undefined && (
        <p class="claim-error" role="alert">
          {error}
        </p>
      )}
      {children}
    </main>
    <footer>nano-gateway. Claiming is free; nobody needs a password, a seed or a payment from you.</footer>
  </Document>
)

/** Asks for the code of a mail. With scripts the link fills it in and goes on by itself; looking claims nothing. */
export const CodePage = ({ declines, devnet, error }: { declines: boolean; devnet: boolean; error?: string }) => (
  <Frame title={declines ? 'Decline a payment' : 'Claim your nano'} devnet={devnet} error={error} script>
    <p>{declines ? 'The money goes back to its sender.' : 'Somebody has sent you nano by mail.'}</p>
    <form method="post" action={declines ? '/claim/decline' : '/claim'} data-code-form="">
      <label for="code">Code from the mail</label>
      <input
        id="code"
        name="code"
        required
        maxLength={300}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby="code-hint"
        aria-invalid={error === undefined ? undefined : 'true'}
      />
      <p id="code-hint" class="claim-hint">
        43 letters and digits. You can also paste the whole link.
      </p>
      <button type="submit">Continue</button>
    </form>
  </Frame>
)

const Facts = ({ share: { amount, sender, message, expiresAt } }: { share: ShownShare }) => (
  <>
    <p class="claim-amount">
      <strong>{formatNano(amount)}</strong> nano
    </p>
    <dl class="claim-facts">
      <dt>From</dt>
      <dd>
        {sender === null ? 'no name given' : `“${sender}”`} <span class="claim-mark">not verified</span>
      </dd>
      {message !== null && (
        <>
          <dt>Message, not verified</dt>
          <dd class="claim-message">{message}</dd>
        </>
      )}
      <dt>Claim until</dt>
      <dd>{toDay.format(expiresAt)} UTC</dd>
    </dl>
  </>
)

interface SharePageProps {
  share: ShownShare
  code: string
  /** What was typed before. */
  address: string
  devnet: boolean
  error?: string | undefined
}

/** A share that waits for its recipient. */
export const SharePage = ({ share, code, address, devnet, error }: SharePageProps) => (
  <Frame title="Claim your nano" devnet={devnet} error={error}>
    <Facts share={share} />
    <form method="post" action="/claim">
      <input type="hidden" name="code" value={code} />
      <label for="address">Your Nano address or @username</label>
      <input
        id="address"
        name="address"
        required
        maxLength={100}
        value={address}
        placeholder="nano_…"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby="address-hint"
        aria-invalid={error === undefined ? undefined : 'true'}
      />
      <p id="address-hint" class="claim-hint">
        Check it twice: what was sent cannot be called back. Any Nano wallet shows you an address.
      </p>
      <button type="submit">Send it to this address</button>
    </form>
    <form method="post" action="/claim/decline" class="claim-decline">
      <input type="hidden" name="code" value={code} />
      <p class="claim-hint">You do not know the sender, or do not want this?</p>
      <button type="submit" class="claim-quiet">
        Decline…
      </button>
    </form>
  </Frame>
)

/** Declining is asked for once more: it cannot be undone. */
export const DeclinePage = ({ share, code, devnet }: { share: ShownShare; code: string; devnet: boolean }) => (
  <Frame title="Decline this payment" devnet={devnet}>
    <Facts share={share} />
    <p>
      The money goes back to its sender, and this service writes to your address no more. This cannot be undone from
      here.
    </p>
    <form method="post" action="/claim/decline">
      <input type="hidden" name="code" value={code} />
      <input type="hidden" name="sure" value="true" />
      <button type="submit">Decline and stop such mails</button>
    </form>
    <form method="post" action="/claim">
      <input type="hidden" name="code" value={code} />
      <button type="submit" class="claim-quiet">
        Back
      </button>
    </form>
  </Frame>
)

interface PaidPageProps {
  amount: Raw
  address: string
  /** Undefined while the block has not left. */
  block: { hash: string; link: string } | undefined
  code: string
  devnet: boolean
}

/** A share that was claimed with this address. */
export const PaidPage = ({ amount, address, block, code, devnet }: PaidPageProps) => (
  <Frame title={block ? 'It is on its way to you' : 'Your claim is kept'} devnet={devnet}>
    <p class="claim-amount">
      <strong>{formatNano(amount)}</strong> nano
    </p>
    <p>
      To: <code>{address}</code>
    </p>
    {block ? (
      <p role="status">
        Sent in block{' '}
        <a href={block.link} rel="noopener noreferrer">
          <code>{block.hash}</code>
        </a>
      </p>
    ) : (
      <form method="post" action="/claim">
        <p role="status">It will be sent as soon as the ledger lets it. You can close this page.</p>
        <input type="hidden" name="code" value={code} />
        <input type="hidden" name="address" value={address} />
        <button type="submit">Look again</button>
      </form>
    )}
  </Frame>
)

/** Nothing is to be done here any more. */
export const OverPage = ({ title, text, devnet }: { title: string; text: string; devnet: boolean }) => (
  <Frame title={title} devnet={devnet}>
    <p role="status">{text}</p>
  </Frame>
)

interface FundingPageProps {
  id: string
  total: Raw
  address: string
  recipients: number
  status: string
  link: string
  qrcode: string
  devnet: boolean
}

const STATUS_TEXTS: Record<string, string> = {
  waiting: 'Waiting for your payment.',
  funded: 'Paid. The mails are on their way.',
  completed: 'Over: every share was claimed or went back.',
  expired: 'Expired. What still comes in goes back to the refund address.',
}

/** Where a sender pays. */
export const FundingPage = ({ total, address, recipients, status, link, qrcode, devnet }: FundingPageProps) => (
  <Frame title="E-mail payment" devnet={devnet}>
    <p class="claim-amount">
      <strong>{formatNano(total)}</strong> nano
    </p>
    <p role="status">{STATUS_TEXTS[status] ?? status}</p>
    <p class="claim-hint">{recipients === 1 ? 'For one recipient.' : `For ${recipients} recipients, fee included.`}</p>
    {status === 'waiting' && (
      <>
        <p>
          <img class="claim-qr" src={qrcode} alt={`QR code: pay ${formatNano(total)} nano to ${address}`} />
        </p>
        <p>
          To: <code>{address}</code>
        </p>
        <p>
          <a class="claim-button" href={link}>
            Open wallet
          </a>
        </p>
      </>
    )}
  </Frame>
)
