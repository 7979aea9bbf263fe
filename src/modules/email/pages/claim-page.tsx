import type { ComponentChildren } from 'preact'
import type { Raw } from '../../../kernel/money.ts'
import { showDigits, showNano, showTime } from '../../../web/formats.ts'
import { Languages } from '../../../web/merchant.tsx'
import type { PayerWallet } from '../../../kernel/payer-wallets.ts'
import { Address, CopyRow } from '../../../web/qr-code.tsx'
import { PayerWallets } from '../../../web/payer-wallets.tsx'
import { Document } from '../../../web/layout.tsx'
import { LANGUAGES, LANGUAGE_NAMES, count, fill, languagesOf } from '../../../web/voice.ts'
import type { ClaimVoice } from '../texts/index.ts'

/** A share as the page shows it. */
interface ShownShare {
  amount: Raw
  /** The name that the sender has chosen. */
  sender: string | null
  message: string | null
  expiresAt: number
  /** Whether it is a merchant's refund. */
  isRefund: boolean
  /** Approximate value in the reader's currency. */
  worth: string | undefined
}

interface FrameProps {
  title: string
  voice: ClaimVoice
  devnet: boolean
  error?: string | undefined
  script?: 'claim.js' | 'pay.js'
  children: ComponentChildren
}

const Frame = ({ title, voice, devnet, error, script, children }: FrameProps) => (
  <Document
    title={title}
    lang={voice.language}
    styles={['claim.css']}
    scripts={script ? [script] : []}
    head={<meta name="robots" content="noindex, nofollow" />}
    bodyClass="claim"
  >
    {devnet && (
      <aside class="banner" aria-label={voice.texts.developmentLedger}>
        {voice.texts.developmentLedger}
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
    <footer>{voice.texts.footer}</footer>
  </Document>
)

interface CodePageProps {
  declines: boolean
  voice: ClaimVoice
  devnet: boolean
  error?: string
}

/** Asks for the code of a mail. With scripts, the link fills it in and continues; opening the page claims nothing. */
export const CodePage = ({ declines, voice, devnet, error }: CodePageProps) => {
  const { texts } = voice
  const path = declines ? '/claim/decline' : '/claim'
  return (
    <Frame title={declines ? texts.decline : texts.claim} voice={voice} devnet={devnet} error={error} script="claim.js">
      <p>{declines ? texts.declineLead : texts.claimLead}</p>
      <form method="post" action={path} data-code-form="">
        <label for="code">{texts.code}</label>
        <input
          id="code"
          name="code"
          required
          maxLength={300}
          dir="ltr"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="code-hint"
          aria-invalid={error === undefined ? undefined : 'true'}
        />
        <p id="code-hint" class="claim-hint">
          {texts.codeHint}
        </p>
        <input type="hidden" name="lang" value={voice.language} />
        <button type="submit">{texts.next}</button>
      </form>
      <Languages {...languagesOf(voice, (lang) => `${path}?lang=${lang}`)} />
    </Frame>
  )
}

const Amount = ({ amount, worth, voice }: { amount: Raw; worth?: string | undefined; voice: ClaimVoice }) => (
  <p class="claim-amount">
    <bdi>
      <strong>{showDigits(voice.locale, amount)}</strong> nano
    </bdi>
    {worth !== undefined && <span class="claim-worth"> {fill(voice.texts.aboutWorth, { worth })}</span>}
  </p>
)

const Facts = ({ share, voice }: { share: ShownShare; voice: ClaimVoice }) => {
  const { amount, sender, message, expiresAt, isRefund, worth } = share
  const { texts, locale } = voice
  return (
    <>
      <Amount amount={amount} worth={worth} voice={voice} />
      <dl class="claim-facts">
        {(!isRefund || sender !== null) && (
          <>
            <dt>{texts.from}</dt>
            <dd>
              <bdi>{sender === null ? texts.noName : `“${sender}”`}</bdi>{' '}
              <span class="claim-mark">{texts.notVerified}</span>
            </dd>
          </>
        )}
        {message !== null && (
          <>
            <dt>{isRefund ? texts.about : texts.message}</dt>
            <dd class="claim-message" dir="auto">
              {message}
            </dd>
          </>
        )}
        <dt>{texts.until}</dt>
        <dd>{showTime(locale, expiresAt)}</dd>
      </dl>
    </>
  )
}

interface SharePageProps {
  share: ShownShare
  code: string
  /** Named to a recipient who has none. */
  wallets: readonly PayerWallet[]
  /** The address that was typed before. */
  address: string
  voice: ClaimVoice
  devnet: boolean
  error?: string | undefined
}

/** The page of an open share. */
export const SharePage = ({ share, code, wallets, address, voice, devnet, error }: SharePageProps) => {
  const { texts } = voice
  return (
    <Frame title={share.isRefund ? texts.refund : texts.claim} voice={voice} devnet={devnet} error={error}>
      {share.isRefund && <p>{texts.refundLead}</p>}
      <Facts share={share} voice={voice} />
      <details class="claim-first">
        <summary>{texts.noWallet}</summary>
        <ol>
          {texts.steps.map((step, at) => (
            <li key={step}>
              {step}
              {at === 0 && wallets.length > 0 && <PayerWallets wallets={wallets} />}
            </li>
          ))}
        </ol>
      </details>
      <form method="post" action="/claim">
        <Hidden code={code} voice={voice} />
        <label for="address">{texts.address}</label>
        <input
          id="address"
          name="address"
          required
          maxLength={100}
          value={address}
          placeholder="nano_…"
          dir="ltr"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="address-hint"
          aria-invalid={error === undefined ? undefined : 'true'}
        />
        <p id="address-hint" class="claim-hint">
          {texts.addressHint}
        </p>
        <button type="submit">{texts.send}</button>
      </form>
      {!share.isRefund && (
        <form method="post" action="/claim/decline" class="claim-decline">
          <Hidden code={code} voice={voice} />
          <p class="claim-hint">{texts.declineAsk}</p>
          <button type="submit" class="claim-quiet">
            {texts.declineButton}
          </button>
        </form>
      )}
      <OtherLanguages code={code} voice={voice} />
    </Frame>
  )
}

const Hidden = ({ code, voice }: { code: string; voice: ClaimVoice }) => (
  <>
    <input type="hidden" name="code" value={code} />
    <input type="hidden" name="lang" value={voice.language} />
  </>
)

/** Switches the language by a form, because the code must not appear in a URL. */
const OtherLanguages = ({ code, voice }: { code: string; voice: ClaimVoice }) => (
  <details class="claim-languages">
    <summary>{voice.texts.languages}</summary>
    <form method="post" action="/claim">
      <input type="hidden" name="code" value={code} />
      {LANGUAGES.filter((language) => language !== voice.language).map((language) => (
        <button key={language} class="claim-quiet" name="lang" value={language} lang={language}>
          {LANGUAGE_NAMES[language]}
        </button>
      ))}
    </form>
  </details>
)

interface DeclinePageProps {
  share: ShownShare
  code: string
  voice: ClaimVoice
  devnet: boolean
}

/** Asks for confirmation, because declining cannot be undone. */
export const DeclinePage = ({ share, code, voice, devnet }: DeclinePageProps) => {
  const { texts } = voice
  return (
    <Frame title={texts.declineThis} voice={voice} devnet={devnet}>
      <Facts share={share} voice={voice} />
      <p>{texts.declineHelp}</p>
      <form method="post" action="/claim/decline">
        <Hidden code={code} voice={voice} />
        <input type="hidden" name="sure" value="true" />
        <button type="submit">{texts.declineSure}</button>
      </form>
      <form method="post" action="/claim">
        <Hidden code={code} voice={voice} />
        <button type="submit" class="claim-quiet">
          {texts.back}
        </button>
      </form>
    </Frame>
  )
}

interface PaidPageProps {
  amount: Raw
  address: string
  /** Undefined until the block is broadcast. */
  block: { hash: string; link: string } | undefined
  code: string
  voice: ClaimVoice
  devnet: boolean
}

/** The page of a share that was claimed with this address. */
export const PaidPage = ({ amount, address, block, code, voice, devnet }: PaidPageProps) => {
  const { texts } = voice
  return (
    <Frame title={block ? texts.onItsWay : texts.kept} voice={voice} devnet={devnet}>
      <Amount amount={amount} voice={voice} />
      <p>
        {texts.to}: <code>{address}</code>
      </p>
      {block ? (
        <p role="status">
          {texts.inBlock}{' '}
          <a href={block.link} rel="noopener noreferrer">
            <code>{block.hash}</code>
          </a>
        </p>
      ) : (
        <form method="post" action="/claim">
          <p role="status">{texts.keptHelp}</p>
          <Hidden code={code} voice={voice} />
          <input type="hidden" name="address" value={address} />
          <button type="submit">{texts.lookAgain}</button>
        </form>
      )}
    </Frame>
  )
}

interface OverPageProps {
  title: string
  text: string
  voice: ClaimVoice
  devnet: boolean
}

/** The page of a share for which nothing can be done any more. */
export const OverPage = ({ title, text, voice, devnet }: OverPageProps) => (
  <Frame title={title} voice={voice} devnet={devnet}>
    <p role="status">{text}</p>
  </Frame>
)

interface FundingPageProps {
  id: string
  total: Raw
  address: string
  recipients: number
  status: 'waiting' | 'funded' | 'completed' | 'expired'
  link: string
  qrcode: string
  voice: ClaimVoice
  devnet: boolean
}

/** The page on which a sender pays. */
export const FundingPage = (props: FundingPageProps) => {
  const { id, total, address, recipients, status, link, qrcode, voice, devnet } = props
  const { texts, locale } = voice
  return (
    <Frame title={texts.funding} voice={voice} devnet={devnet} script="pay.js">
      <Amount amount={total} voice={voice} />
      <p role="status">{texts[status]}</p>
      <p class="claim-hint">{count(locale, texts.recipients, recipients)}</p>
      {status === 'waiting' && (
        <>
          <p>
            <img class="claim-qr" src={qrcode} alt={fill(texts.qrCode, { amount: showNano(locale, total), address })} />
          </p>
          <dl>
            <CopyRow label={texts.to} value={address} words={texts}>
              <Address address={address} />
            </CopyRow>
          </dl>
          <p>
            <a class="claim-button" href={link}>
              {texts.openWallet}
            </a>
          </p>
        </>
      )}
      <Languages {...languagesOf(voice, (lang) => `/email/${id}?lang=${lang}`)} />
    </Frame>
  )
}
