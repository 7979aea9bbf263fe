import { Document } from '../../../web/layout.tsx'
import type { Voice } from '../../checkout/index.ts'
import { TILL_TEXTS, type TillTexts } from '../texts.ts'

interface TillPageProps {
  id: string
  devnet: boolean
  voice: Voice
}

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const
/** Texts that the script inserts; all others are in the page already. */
const SAID = [
  'wrongPin',
  'pinPaused',
  'pinShut',
  'charge',
  'oneMoment',
  'retrying',
  'offline',
  'noSales',
  'stateOpen',
  'stateOver',
  'stateRefunded',
  'statePartlyRefunded',
  'changed',
  'failed',
  'paused',
  'noTip',
] as const satisfies readonly (keyof TillTexts)[]
const SAID_OF_PAYMENTS = [
  'waiting',
  'seen',
  'complete',
  'expired',
  'cancelled',
  'late',
  'unavailable',
  'qrCode',
] as const

/**
 * The frame of a till's page, the same for everyone and without private data, so that a browser may cache it. Its script fetches everything else
 * with the token after the # of its URL.
 */
export const TillPage = ({ id, devnet, voice }: TillPageProps) => {
  const texts = TILL_TEXTS[voice.language]
  const said = Object.fromEntries([
    ...SAID.map((name) => [name, texts[name]]),
    ...SAID_OF_PAYMENTS.map((name) => [name, voice.texts[name]]),
  ]) as Record<string, string>
  return (
    <Document
      title={texts.title}
      lang={voice.language}
      styles={['pos.css']}
      scripts={['pos.js']}
      // With the class `pay`, because the style sheet with the shop's colour has rules for that class only.
      bodyClass="pay pos"
      head={
        <>
          <link rel="manifest" href={`/pos/${id}/app.webmanifest`} />
          <meta name="theme-color" content="#1a5fc7" />
        </>
      }
    >
      <header class="top">
        {devnet && <p class="test">{voice.texts.developmentLedger}</p>}
        <noscript>
          <p class="needs">{texts.needsScripts}</p>
        </noscript>
        <div class="bar" data-bar hidden>
          <img class="logo" data-logo alt="" width="36" height="36" hidden />
          <div class="names">
            <h1 data-title dir="auto">
              {texts.title}
            </h1>
            <p data-shop dir="auto" />
          </div>
          <button type="button" class="button quiet" data-do="day">
            {texts.today}
          </button>
          <button type="button" class="button quiet" data-do="lock" data-lock hidden>
            {texts.lock}
          </button>
        </div>
        <p class="offline" data-offline hidden>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M3 3l18 18M5 12a10 10 0 0 1 4-2.4M2 8.5a15 15 0 0 1 4.5-2.8M11 5a15 15 0 0 1 11 3.5M15.5 10.2A10 10 0 0 1 19 12M8.5 15.5a5 5 0 0 1 6 0M12 19.5v.1" />
          </svg>
          {texts.offline}
        </p>
      </header>
      <main id="till" data-id={id} data-locale={voice.locale} data-texts={JSON.stringify(said)}>
        <Tabs texts={texts} />
        <Sale texts={texts} />
        <Tip texts={texts} />
        <Payment texts={texts} voice={voice} />
        <Day texts={texts} />
      </main>
      <p id="live" class="unseen" role="status" />
    </Document>
  )
}

interface Part {
  texts: TillTexts
}

/** Shown until a cashier has entered. */
const Tabs = ({ texts }: Part) => (
  <>
    <section class="screen door" data-screen="link" hidden>
      <h1>{texts.noLink}</h1>
      <p>{texts.noLinkHelp}</p>
      <form id="link-form">
        <label for="link">{texts.link}</label>
        <input id="link" type="text" autocomplete="off" spellcheck={false} required />
        <button class="button">{texts.open}</button>
      </form>
    </section>
    <section class="screen door" data-screen="gone" hidden>
      <h1>{texts.gone}</h1>
      <p>{texts.goneHelp}</p>
    </section>
    <section class="screen door" data-screen="problem" hidden>
      <h1 data-problem />
      <button type="button" class="button quiet" data-do="again">
        {texts.open}
      </button>
    </section>
    <section class="screen door" data-screen="pin" hidden>
      <h1>{texts.title}</h1>
      <form id="pin-form">
        <label for="pin">{texts.pin}</label>
        <input
          id="pin"
          type="password"
          inputMode="numeric"
          autocomplete="off"
          pattern="[0-9]{4,8}"
          minLength={4}
          maxLength={8}
          required
          aria-describedby="pin-wrong"
        />
        <p id="pin-wrong" class="wrong" role="alert" />
        <button class="button">{texts.signIn}</button>
      </form>
    </section>
  </>
)

const Sale = ({ texts }: Part) => (
  <section class="screen sale" data-screen="sale" hidden>
    <p class="notice" data-notice role="alert" hidden />
    <div class="work">
      <div class="goods" role="group" aria-label={texts.items} data-items hidden />
      <div class="typing">
        <p class="order" data-order dir="auto" />
        <output class="total" data-total aria-live="off" />
        <div class="keypad" role="group" aria-label={texts.keypad}>
          {DIGITS.map((digit) => (
            <button key={digit} type="button" data-key={digit}>
              {digit}
            </button>
          ))}
          <button type="button" data-key="." data-point>
            .
          </button>
          <button type="button" data-key="0">
            0
          </button>
          <button type="button" data-key="back" aria-label={texts.deleteDigit}>
            ⌫
          </button>
        </div>
        <div class="ends">
          <button type="button" class="button quiet" data-do="clear">
            {texts.clear}
          </button>
          <button type="button" class="button" data-do="charge" disabled />
        </div>
      </div>
    </div>
  </section>
)

const Tip = ({ texts }: Part) => (
  <section class="screen tip" data-screen="tip" hidden>
    <h2>{texts.addTip}</h2>
    <p class="total" data-tip-total />
    <div class="choices" data-tips />
    <button type="button" class="link" data-do="keypad">
      {texts.toKeypad}
    </button>
  </section>
)

/** A sale from its first moment to its end; once paid, it fills the screen. */
const Payment = ({ texts, voice }: Part & { voice: Voice }) => (
  <section class="screen payment" data-screen="pay" data-state="making" hidden>
    <svg class="tick" viewBox="0 0 56 56" aria-hidden="true">
      <circle cx="28" cy="28" r="26" />
      <path d="M17 29l8 8 15-17" />
    </svg>
    <h2 data-state-text tabIndex={-1} />
    <p class="total" data-pay-total />
    <p class="nano" data-pay-nano />
    <div class="code" data-qr />
    <p class="scan">{voice.texts.scan}</p>
    <p class="left" data-left />
    <button type="button" class="button" data-do="new">
      {texts.newSale}
    </button>
    <p class="after">
      <a data-receipt target="_blank" rel="noopener">
        {voice.texts.receipt}
      </a>
      <a data-refund target="_blank" rel="noopener">
        {texts.refund}
      </a>
    </p>
    <button type="button" class="link" data-do="keypad">
      {texts.toKeypad}
    </button>
  </section>
)

const Day = ({ texts }: Part) => (
  <section class="screen day" data-screen="day" hidden>
    <div class="heading">
      <h2>
        {texts.today} <span class="date" data-date />
      </h2>
      <button type="button" class="button quiet" data-do="keypad">
        {texts.toKeypad}
      </button>
    </div>
    <dl class="sums">
      <div>
        <dt>{texts.sales}</dt>
        <dd data-count>0</dd>
      </div>
      <div>
        <dt>{texts.total}</dt>
        <dd data-sum />
      </div>
      <div>
        <dt>{texts.tips}</dt>
        <dd data-tip-sum />
      </div>
      <div>
        <dt>nano</dt>
        <dd data-nano-sum />
      </div>
    </dl>
    <ul class="sales" data-sales />
  </section>
)
