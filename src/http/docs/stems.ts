/* Words of documents and of readers, compared by their stems. */

const WORD = /[\p{L}\p{N}_]+/gu
/** Readers ask in sentences; these words are in every page. */
const COMMON = new Set(
  'a an and are as at be by can do does for from get how i if in is it me my of on or that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

/** Gives "refunds", "refunded" and "refunding" one stem. Stems are only compared, so they need not be words. */
function stem(word: string): string {
  if (word.length < 4 || /[0-9_]/.test(word)) return word
  let base = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<![su])s$/, '')
  const bare = base.replace(/(?:ations?|ings?|ied|ed)$/, '')
  // "string" has no vowel before its "ing", which is therefore not an ending.
  if (bare.length >= 3 && /[aeiouy]/.test(bare)) base = bare.replace(/([bdgmnprt])\1$/, '$1')
  return base.replace(/e$/, '').replace(/y$/, 'i')
}

/** A name such as `webhook_url` is a word, and so is each of its parts. */
export function stemsOf(word: string): string[] {
  const lower = word.toLowerCase()
  return lower.includes('_') ? [lower, ...lower.split('_').filter(Boolean).map(stem)] : [stem(lower)]
}

export const placesOf = (text: string) => [...text.matchAll(WORD)].map((hit) => ({ word: hit[0], at: hit.index }))

export const toSet = (text: string): ReadonlySet<string> => new Set(placesOf(text).flatMap(({ word }) => stemsOf(word)))

/** One word that a reader looks for. */
export interface Term {
  stem: string
  isIn(stems: ReadonlySet<string>): boolean
}

const queryWords = (query: string, max: number) => {
  const words = placesOf(query.toLowerCase()).map(({ word }) => word)
  const telling = words.filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : words).slice(0, max)
}

export function wholeWords(query: string, max: number): Term[] {
  return queryWords(query, max).map((word) => {
    const own = word.includes('_') ? word : stem(word)
    return { stem: own, isIn: (stems) => stems.has(own) }
  })
}

/** For a word that was not typed to its end. */
export function beginnings(query: string, max: number): Term[] {
  return queryWords(query, max).map((word) => ({
    stem: word,
    isIn: (stems) => [...stems].some((one) => one.startsWith(word)),
  }))
}
