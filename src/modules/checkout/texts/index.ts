import { type Language, type Spoken, negotiateLanguage } from '../../../web/voice.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import type { Texts } from './en.ts'
import { zh } from './zh.ts'

export { LANGUAGES, fill, languagesOf } from '../../../web/voice.ts'

export const TEXTS: Record<Language, Texts> = { en, es, fr, de, pt, ja, zh, ar }

/** The language of a page for payers. */
export interface Voice extends Spoken {
  texts: Texts
}

/** The reader's preferred language among those available. A language chosen on the page comes first. */
export function negotiate(acceptLanguage: string | undefined, chosen?: unknown): Voice {
  const spoken = negotiateLanguage(acceptLanguage, chosen)
  return { ...spoken, texts: TEXTS[spoken.language] }
}
