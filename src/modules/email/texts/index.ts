import { type Language, type Spoken, negotiateLanguage } from '../../../web/voice.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import type { ClaimTexts } from './en.ts'
import { zh } from './zh.ts'

const CLAIM_TEXTS: Record<Language, ClaimTexts> = { en, es, fr, de, pt, ja, zh, ar }

/** The language of a page for a recipient. */
export interface ClaimVoice extends Spoken {
  texts: ClaimTexts
}

export function claimVoice(acceptLanguage: string | undefined, chosen: unknown): ClaimVoice {
  const spoken = negotiateLanguage(acceptLanguage, chosen)
  return { ...spoken, texts: CLAIM_TEXTS[spoken.language] }
}
