import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import type { Texts } from './texts.ts'
import { zh } from './zh.ts'

export const TEXTS = { en, es, fr, de, pt, ja, zh } satisfies Record<string, Texts>
type Language = keyof typeof TEXTS
export const LANGUAGES = Object.keys(TEXTS) as Language[]

/** The language in which a page speaks to a payer. */
export interface Voice {
  language: Language
  /** The reader's own way to write numbers and dates; of the same language. */
  locale: string
  texts: Texts
}

const RANGES_MAX = 20
const TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,4}$/i

/** The language a reader likes best of those we speak. A language that was chosen on the page counts before all. */
export function negotiate(acceptLanguage: string | undefined, chosen?: unknown): Voice {
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
  return { language, locale: toLocale(tag) ?? language, texts: TEXTS[language] }
}

function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-')
  return LANGUAGES.find((language) => language === primary)
}

function toLocale(tag: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0]
  } catch {
    // Browsers send what they like.
    return undefined
  }
}

/** The links of a page to itself in every language. */
export const languagesOf = ({ language, texts }: Voice, hrefOf: (language: string) => string) => ({
  here: { language, name: texts.language },
  links: LANGUAGES.map((language) => ({ language, name: TEXTS[language].language, href: hrefOf(language) })),
})

/** Puts values into the braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
