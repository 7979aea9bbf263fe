const WORD = /[\p{L}\p{N}_]+/gu
/** Words that are on every page. Readers type them because they ask in sentences. */
const COMMON = new Set(
  'a an and are as at be by can do does for from get how i if in is it me my of on or that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

/** Gives "refunds", "refunded" and "refunding" the same stem. Stems are only compared, so they need not be words. */
function stem(word: string): string {
  if (word.length < 4 || /[0-9_]/.test(word)) return word
  let base = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<![su])s$/, '')
  const bare = base.replace(/(?:ations?|ings?|ied|ed)$/, '')
  // The "ing" of "string" is not an ending, because no vowel precedes it.
  if (bare.length >= 3 && /[aeiouy]/.test(bare)) base = bare.replace(/([bdgmnprt])\1$/, '$1')
  return base.replace(/e$/, '').replace(/y$/, 'i')
}

/** A name such as `webhook_url` counts as one word and as its parts. */
export function stemsOf(word: string): string[] {
  const lower = word.toLowerCase()
  return lower.includes('_') ? [lower, ...lower.split('_').filter(Boolean).map(stem)] : [stem(lower)]
}

export const placesOf = (text: string) => [...text.matchAll(WORD)].map((hit) => ({ word: hit[0], at: hit.index }))

export const toSet = (text: string): ReadonlySet<string> => new Set(placesOf(text).flatMap(({ word }) => stemsOf(word)))

/** One word of a query. */
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

/** For a word that the reader has not finished typing. */
export function beginnings(query: string, max: number): Term[] {
  return queryWords(query, max).map((word) => ({
    stem: word,
    isIn: (stems) => [...stems].some((one) => one.startsWith(word)),
  }))
}
