import { showTime } from './formats.ts'

/** What is shown about a merchant. Every text is the merchant's own: it is escaped, and links show where they lead. */
export interface ShownMerchant {
  name: string
  logo: string | null
  supportEmail: string | null
  supportUrl: string | null
  termsUrl: string | null
  website: string | null
  sheet: string | null
  timeZone: string | null
}

export const MerchantHead = ({ name, logo }: Pick<ShownMerchant, 'name' | 'logo'>) => (
  <p class="merchant">
    {logo !== null && <img class="merchant-logo" src={logo} alt="" width="32" height="32" />}
    <span dir="auto">{name}</span>
  </p>
)

/** The time on a receipt or invoice, which everybody reads as the shop wrote it. */
export const ShopTime = (props: {
  at: number
  locale: string
  merchant: Pick<ShownMerchant, 'timeZone'> | undefined
}) => {
  const { at, locale, merchant: { timeZone } = { timeZone: null } } = props
  return (
    // Scripts leave a time with a title as it is.
    <time dateTime={new Date(at).toISOString()} title={timeZone === null ? undefined : showTime(locale, at)}>
      {showTime(locale, at, timeZone)}
    </time>
  )
}

interface FootProps {
  merchant: ShownMerchant
  words: { contact: string; terms: string }
  /** Set inside a page of another site, where links open in a new tab. */
  beside?: boolean
}

export const MerchantFoot = ({ merchant, words, beside = false }: FootProps) => {
  const { website, supportEmail, supportUrl, termsUrl } = merchant
  const links = [
    website !== null && ([website, new URL(website).host] as const),
    supportUrl !== null && ([supportUrl, words.contact] as const),
    supportEmail !== null && ([`mailto:${encodeURI(supportEmail)}`, supportEmail] as const),
    termsUrl !== null && ([termsUrl, words.terms] as const),
  ].filter((link) => link !== false)
  if (links.length === 0) return null
  return (
    <ul class="merchant-foot">
      {links.map(([href, text]) => (
        <li key={href}>
          <a href={href} rel="noopener noreferrer nofollow" target={beside ? '_blank' : undefined} dir="auto">
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}

interface LanguageLink {
  language: string
  /** The language in its own words. */
  name: string
  href: string
}

/** The other languages of a public page, each with an address of its own. */
export const Languages = ({ here, links }: { here: Omit<LanguageLink, 'href'>; links: readonly LanguageLink[] }) => (
  <footer class="languages">
    <details>
      <summary lang={here.language}>{here.name}</summary>
      <ul>
        {links
          .filter(({ language }) => language !== here.language)
          .map(({ language, name, href }) => (
            <li key={language}>
              <a href={href} lang={language} hreflang={language}>
                {name}
              </a>
            </li>
          ))}
      </ul>
    </details>
  </footer>
)
