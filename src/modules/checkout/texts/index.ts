import { type Language, type Spoken, negotiateLanguage } from '../../../web/voice.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import type { Texts } from './texts.ts'
import { zh } from './zh.ts'

export { LANGUAGES, fill, languagesOf } from '../../../web/voice.ts'

export const TEXTS: Record<Language, Texts> = { en, es, fr, de, pt, ja, zh, ar }

/** The language in which a page speaks to a payer. */
export interface Voice extends Spoken {
  texts: Texts
}

/** The language a reader likes best of those we speak. A language that was chosen on the page counts before all. */
export function negotiate(acceptLanguage: string | undefined, chosen?: unknown): Voice {
  const spoken = negotiateLanguage(acceptLanguage, chosen)
  return { ...spoken, texts: TEXTS[spoken.language] }
}
