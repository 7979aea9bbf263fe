import { headingId, plain } from '../../web/docs-markdown.tsx'
import type { Found, FoundPart } from '../../web/docs-pages.tsx'

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
function stemsOf(word: string): string[] {
  const lower = word.toLowerCase()
  return lower.includes('_') ? [lower, ...lower.split('_').filter(Boolean).map(stem)] : [stem(lower)]
}

const placesOf = (text: string) => [...text.matchAll(WORD)].map((hit) => ({ word: hit[0], at: hit.index }))

const toSet = (text: string): ReadonlySet<string> => new Set(placesOf(text).flatMap(({ word }) => stemsOf(word)))

/** One word of a query. */
interface Term {
  stem: string
  isIn(stems: ReadonlySet<string>): boolean
}

const queryWords = (query: string, max: number) => {
  const words = placesOf(query.toLowerCase()).map(({ word }) => word)
  const telling = words.filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : words).slice(0, max)
}

function wholeWords(query: string, max: number): Term[] {
  return queryWords(query, max).map((word) => {
    const own = word.includes('_') ? word : stem(word)
    return { stem: own, isIn: (stems) => stems.has(own) }
  })
}

/** For a word that the reader has not finished typing. */
function beginnings(query: string, max: number): Term[] {
  return queryWords(query, max).map((word) => ({
    stem: word,
    isIn: (stems) => [...stems].some((one) => one.startsWith(word)),
  }))
}

/** A page that the search covers, in Markdown, with the weight of a match in it. */
export interface Searchable {
  href: string
  title: string
  group: string
  /** Other names of the page. */
  synonyms?: readonly string[]
  weight: number
  markdown: string
}

interface Section {
  id: string | undefined
  title: string
  text: string
  heading: ReadonlySet<string>
  words: ReadonlySet<string>
}

interface Indexed extends Omit<Searchable, 'markdown' | 'synonyms'> {
  /** The stems of the title in their order, and of all names, whole and in parts. */
  titled: string
  names: ReadonlySet<string>
  parts: ReadonlySet<string>
  sections: readonly Section[]
}

const WORDS_MAX = 8
const RESULTS_MAX = 20
const EXCERPT_LENGTH = 200
/** How many characters to show before the first match. */
const EXCERPT_LEAD = 60

/** Searches all documents. They do not change while the process runs, so they are indexed once, at the first search. */
export class DocsSearch {
  readonly #list: () => readonly Searchable[]
  #pages: readonly Indexed[] | undefined

  constructor(list: () => readonly Searchable[]) {
    this.#list = list
  }

  /**
   * Returns the best pages that contain every word, and how many pages do. If no page contains all words, longer words
   * with the same beginning count, too.
   */
  find(query: string): { results: readonly Found[]; total: number } {
    const whole = this.#have(wholeWords(query, WORDS_MAX))
    return whole.total > 0 ? whole : this.#have(beginnings(query, WORDS_MAX))
  }

  #have(terms: readonly Term[]): { results: readonly Found[]; total: number } {
    if (terms.length === 0) return { results: [], total: 0 }
    this.#pages ??= this.#list().map(toIndexed)
    const hits = this.#pages
      .map((page) => ({ page, score: scoreOf(page, terms) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
    return { results: hits.slice(0, RESULTS_MAX).map(({ page }) => toFound(page, terms)), total: hits.length }
  }
}

const inOrder = (text: string) =>
  placesOf(text)
    .map(({ word }) => stemsOf(word)[0])
    .join(' ')

function toIndexed({ markdown, synonyms = [], ...page }: Searchable): Indexed {
  const all = [page.title, ...synonyms].join(' ')
  const names = new Set(placesOf(all).map(({ word }) => stemsOf(word)[0]!))
  return { ...page, titled: inOrder(page.title), names, parts: toSet(all), sections: sectionsOf(markdown) }
}

/**
 * Splits a text into sections: a heading and the text below it. Code is skipped, because comments in shell code look
 * like headings.
 */
function sectionsOf(markdown: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }]
  let isCode = false
  for (const line of markdown.replaceAll(/<!--[^]*?-->\n?/g, '').split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? undefined : /^##+ (.*)/.exec(line)?.[1]
    if (heading !== undefined) sections.push({ heading, lines: [] })
    else if (!/^(?:```|\|[ :|-]+\|$|# )/.test(line)) sections.at(-1)!.lines.push(isCode ? line : toSentence(line))
  }
  return sections
    .filter(({ heading, lines }) => heading !== '' || lines.some((line) => line.trim() !== ''))
    .map(({ heading, lines }) => {
      const title = plain(heading)
      const text = toPlain(lines.join(' '))
      const id = heading === '' ? undefined : headingId(heading)
      return { id, title, text, heading: toSet(title), words: toSet(`${title} ${text}`) }
    })
}

/** Turns a row of a table into one sentence, with its cells separated. */
function toSentence(line: string): string {
  if (!/^\|.*\|$/.test(line)) return line.replace(/^\s*[-*] /, '')
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  const row = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return row.join(' · ').replace(/(?<![.?!])$/, '.')
}

/** The text without the markup of tables, links and code. */
const toPlain = (text: string) => plain(text).replaceAll(/\\?\|/g, ' ').replaceAll(/\s+/g, ' ').trim()

function scoreOf({ titled, names, parts, sections, weight }: Indexed, terms: readonly Term[]): number {
  // If the query is exactly the title of a page, that page comes first.
  let score = titled === terms.map(({ stem }) => stem).join(' ') ? 140 : 0
  for (const term of terms) {
    const inNames = term.isIn(names) ? 60 : term.isIn(parts) ? 40 : 0
    const inHeadings = sections.some(({ heading }) => term.isIn(heading)) ? 15 : 0
    const inText = sections.filter(({ words }) => term.isIn(words)).length
    if (inNames + inHeadings + inText === 0) return 0
    score += inNames + inHeadings + Math.min(inText, 10)
  }
  return score * weight
}

function toFound({ href, title, group, sections }: Indexed, terms: readonly Term[]): Found {
  const hitsOf = ({ words }: Section) => terms.filter((term) => term.isIn(words)).length
  const best = sections.reduce<Section | undefined>(
    (best, section) => (best && hitsOf(best) >= hitsOf(section) ? best : section),
    undefined,
  )
  const section = best?.id === undefined ? undefined : { id: best.id, title: best.title }
  return { href, title, group, section, excerpt: best ? excerptOf(best.text, terms) : [] }
}

const isHit = (word: string, terms: readonly Term[]) => {
  const stems = new Set(stemsOf(word))
  return terms.some((term) => term.isIn(stems))
}

function excerptOf(text: string, terms: readonly Term[]): FoundPart[] {
  const first = placesOf(text).find(({ word }) => isHit(word, terms))?.at ?? 0
  const stop = text.lastIndexOf('. ', first)
  const sentence = stop < 0 ? 0 : stop + 2
  const begin = first <= EXCERPT_LEAD ? 0 : text.indexOf(' ', first - EXCERPT_LEAD) + 1
  const isNear = first - sentence <= EXCERPT_LEAD * 2
  const from = isNear ? sentence : Math.min(begin, first)
  const cut = text.slice(from, from + EXCERPT_LENGTH)
  const isWhole = from + EXCERPT_LENGTH >= text.length
  const end = isWhole ? cut : cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT_LENGTH / 2))
  return mark(`${from > 0 && !isNear ? '… ' : ''}${end}${isWhole ? '' : ' …'}`, terms)
}

/** Splits a text into the searched words and the rest. */
function mark(text: string, terms: readonly Term[]): FoundPart[] {
  const parts: FoundPart[] = []
  let at = 0
  for (const place of placesOf(text)) {
    if (!isHit(place.word, terms)) continue
    if (place.at > at) parts.push({ text: text.slice(at, place.at), isHit: false })
    parts.push({ text: place.word, isHit: true })
    at = place.at + place.word.length
  }
  if (at < text.length) parts.push({ text: text.slice(at), isHit: false })
  return parts
}
