import { type Raw, formatNano } from '../../../kernel/money.ts'
import type { QrOutline } from '../../../kernel/ports.ts'
import { Languages, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import { Document } from '../../../web/layout.tsx'
import { Address, CopyRow, QrCode } from '../../../web/qr-code.tsx'
import { type Voice, fill, languagesOf, showNano } from '../../checkout/index.ts'
import { NAME_TEXTS } from '../texts.ts'

export interface ShownName {
  name: string
  address: string
  title: string | undefined
  website: string | undefined
  /** Other parts of the profile: location, accounts elsewhere. */
  details: readonly string[]
  merchant: Pick<ShownMerchant, 'name' | 'logo' | 'website' | 'sheet'> | undefined
}

interface NamePageProps {
  shown: ShownName
  link: string
  code: QrOutline
  /** The amount in the link; undefined where the payer enters it in their wallet. */
  amount: Raw | undefined
  /** What was typed but is not a valid amount. */
  typed: string | undefined
  /** Its canonical URL, where search engines may list it. */
  canonical: string | undefined
  /** Whether the reader has chosen the language on the page. */
  chosenLanguage: boolean
  voice: Voice
  devnet: boolean
}

/** Isolates a name, which reads from left to right even in a right-to-left sentence. */
const isolated = (name: string) => `\u2066@${name}\u2069`

/** The public page of a name. It works without scripts: an amount is a link to this page. */
export const NamePage = (props: NamePageProps) => {
  const { shown, canonical, amount, voice, devnet } = props
  const { name, merchant, title } = shown
  const { texts, language } = voice
  const query = amount === undefined ? '' : `&amount=${formatNano(amount)}`
  return (
    <Document
      title={fill(NAME_TEXTS[language].pay, { name: isolated(name) })}
      lang={language}
      styles={['pay.css']}
      scripts={['pay.js']}
      bodyClass="pay named"
      head={
        <>
          {merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
          {canonical === undefined ? (
            <meta name="robots" content="noindex, nofollow" />
          ) : (
            <link rel="canonical" href={canonical} />
          )}
        </>
      }
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <header class="order">
            {merchant && <MerchantHead {...merchant} />}
            <h1>
              <bdi>{`@${name}`}</bdi>
            </h1>
            {title !== undefined && (
              <p class="description" dir="auto">
                {title}
              </p>
            )}
            <Details shown={shown} />
            <p class="hint">{NAME_TEXTS[language].notVerified}</p>
          </header>
          <section class="payment" aria-labelledby="pay-name">
            <Pay {...props} />
          </section>
        </article>
      </main>
      <Languages {...languagesOf(voice, (lang) => `/@${name}?lang=${lang}${query}`)} />
      <p id="live" class="unseen" role="status" />
    </Document>
  )
}

/** Links of an owner show where they lead, and give them no credit from our site. */
const Details = ({ shown: { website, merchant, details } }: { shown: ShownName }) => {
  const links = [...new Set([website, merchant?.website ?? undefined].filter((one) => one !== undefined))]
  if (links.length + details.length === 0) return null
  return (
    <ul class="told">
      {links.map((href) => (
        <li key={href}>
          <a href={href} rel="noopener noreferrer nofollow ugc" dir="ltr">
            {new URL(href).host}
          </a>
        </li>
      ))}
      {details.map((one) => (
        <li key={one} dir="auto">
          {one}
        </li>
      ))}
    </ul>
  )
}

const Pay = ({ shown, link, code, amount, typed, chosenLanguage, voice }: NamePageProps) => {
  const { texts, language, locale } = voice
  const own = NAME_TEXTS[language]
  const asked = amount === undefined ? texts.anyAmount : showNano(locale, amount)
  const isWrong = typed !== undefined
  return (
    <>
      <h2 id="pay-name">{fill(own.pay, { name: isolated(shown.name) })}</h2>
      {!isWrong && (
        <>
          <figure class="scan">
            <QrCode code={code} label={fill(texts.qrCode, { amount: asked, address: shown.address })} />
            <figcaption>
              {texts.scan} · <bdi>{asked}</bdi>
            </figcaption>
          </figure>
          <a class="button wallet" href={link}>
            {texts.openWallet}
          </a>
          <dl class="rows">
            <CopyRow label={texts.address} value={shown.address} words={texts}>
              <Address address={shown.address} />
            </CopyRow>
          </dl>
        </>
      )}
      <form class="amount" method="get" action={`/@${shown.name}`}>
        <label for="amount">{own.amount}</label>
        <input
          id="amount"
          name="amount"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          maxLength={40}
          dir="ltr"
          value={typed ?? (amount === undefined ? '' : formatNano(amount))}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={isWrong ? 'wrong' : undefined}
          autofocus={isWrong}
        />
        {isWrong && (
          <p id="wrong" class="wrong" role="alert">
            {own.wrongAmount}
          </p>
        )}
        {chosenLanguage && <input type="hidden" name="lang" value={language} />}
        <button class="button quiet">{own.setAmount}</button>
      </form>
    </>
  )
}

/** Shown for a name that is not leased, now or any more. */
export const NoNamePage = (props: { voice: Voice; problem: 'notFound' | 'unavailable'; devnet: boolean }) => {
  const { voice, problem, devnet } = props
  const { texts, language } = voice
  const own = NAME_TEXTS[language]
  const [title, help] =
    problem === 'notFound' ? [own.notFound, own.notFoundHelp] : [texts.unavailable, texts.unavailableHelp]
  return (
    <Document
      title={title}
      lang={language}
      styles={['pay.css']}
      bodyClass="pay"
      head={<meta name="robots" content="noindex, nofollow" />}
    >
      {devnet && <header class="test">{texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <section class="payment">
            <div class="notice">
              <h1>{title}</h1>
              <p>{help}</p>
            </div>
          </section>
        </article>
      </main>
    </Document>
  )
}
