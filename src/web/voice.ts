/** The languages of public pages, each in its own words. */
export const LANGUAGE_NAMES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  pt: 'Português',
  ja: '日本語',
  zh: '中文',
  ar: 'العربية',
} as const

export type Language = keyof typeof LANGUAGE_NAMES
export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[]

/** The language of a page, and the reader's locale of the same language for numbers and dates. */
export interface Spoken {
  language: Language
  locale: string
}

/** Written from right to left. */
export const directionOf = (language: string) => (language === 'ar' ? ('rtl' as const) : undefined)

/** Texts in all languages: what English says, every other language says as well. */
export const catalogue = <T>(texts: { en: T } & Record<Exclude<Language, 'en'>, NoInfer<T>>): Record<Language, T> =>
  texts

const RANGES_MAX = 20
const TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,4}$/i

/** The language that a reader prefers, of those that we have. A language that was chosen on the page takes precedence. */
export function negotiateLanguage(acceptLanguage: string | undefined, chosen?: unknown): Spoken {
  const wanted = (acceptLanguage ?? '')
    .split(',', RANGES_MAX)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, quality: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, quality }) => TAG.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
  const chosenLanguage = LANGUAGES.find((language) => language === chosen)
  const tag = chosenLanguage
    ? (wanted.find((tag) => languageOf(tag) === chosenLanguage) ?? chosenLanguage)
    : (wanted.find((tag) => languageOf(tag) !== undefined) ?? 'en')
  const language = languageOf(tag)!
  return { language, locale: toLocale(tag) ?? language }
}

function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-')
  return LANGUAGES.find((language) => language === primary)
}

function toLocale(tag: string): string | undefined {
  try {
    const [locale] = Intl.NumberFormat.supportedLocalesOf(tag)
    // A payer compares the amount with their wallet digit by digit, so every page uses the digits of wallets.
    return locale && new Intl.Locale(locale, { numberingSystem: 'latn' }).toString()
  } catch {
    // Browsers may send anything.
    return undefined
  }
}

/** Links to the same page in every language. */
export const languagesOf = ({ language }: Spoken, hrefOf: (language: string) => string) => ({
  here: { language, name: LANGUAGE_NAMES[language] },
  links: LANGUAGES.map((language) => ({ language, name: LANGUAGE_NAMES[language], href: hrefOf(language) })),
})

/** Puts values into the braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** A text for each plural form of a language; Arabic has six. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** In a catalogue: other languages have forms that English has not. */
export const plural = (forms: Plural): Plural => forms

/** The plural form for a number, with the number in it. */
export function count(locale: string, forms: Plural, n: number): string {
  const form = forms[new Intl.PluralRules(locale).select(n)] ?? forms.other
  return fill(form, { n: new Intl.NumberFormat(locale).format(n) })
}
