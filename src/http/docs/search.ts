import { headingId, plain } from '../../web/docs-markdown.tsx'
import type { Found, FoundPart } from '../../web/docs-pages.tsx'

/** A page that can be found: its text in Markdown, and the weight of a hit in it. */
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
  /** In lower case, for comparing: the heading, and heading with text. */
  heading: string
  words: string
}

interface Indexed extends Omit<Searchable, 'markdown' | 'synonyms'> {
  /** In lower case: first the title, then each word of the title and of the other names. */
  names: readonly string[]
  sections: readonly Section[]
}

const WORDS_MAX = 8
const RESULTS_MAX = 20
const EXCERPT_LENGTH = 200
/** Characters before the first hit, so that its sentence can be read. */
const EXCERPT_LEAD = 60

/** Searches all documents. They never change while the process runs, and are indexed at the first search. */
export class DocsSearch {
  readonly #list: () => readonly Searchable[]
  #pages: readonly Indexed[] | undefined

  constructor(list: () => readonly Searchable[]) {
    this.#list = list
  }

  /** The pages that have every word, the best first, and how many there are. */
  find(query: string): { results: readonly Found[]; total: number } {
    const words = toWords(query)
    if (words.length === 0) return { results: [], total: 0 }
    this.#pages ??= this.#list().map(toIndexed)
    const hits = this.#pages
      .map((page) => ({ page, score: scoreOf(page, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
    return { results: hits.slice(0, RESULTS_MAX).map(({ page }) => toFound(page, words)), total: hits.length }
  }
}

/** Plural and singular find each other: documents use both. */
const singular = (word: string) => (word.length > 4 ? word.replace(/s$/, '') : word)

const toWords = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX).map(singular)

function toIndexed({ markdown, synonyms = [], ...page }: Searchable): Indexed {
  const title = page.title.toLowerCase()
  const names = [singular(title), ...[title, ...synonyms].join(' ').toLowerCase().split(' ').map(singular)]
  return { ...page, names, sections: sectionsOf(markdown) }
}

/** A section is a heading with the text below it. Comments in shell code begin like headings, so code is skipped. */
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
      const small = title.toLowerCase()
      return { id, title, text, heading: small, words: `${small} ${text.toLowerCase()}` }
    })
}

/** Turns a row of a table into one sentence, with its cells separated. */
function toSentence(line: string): string {
  if (!/^\|.*\|$/.test(line)) return line.replace(/^\s*[-*] /, '')
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  const row = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return row.join(' · ').replace(/(?<![.?!])$/, '.')
}

/** The text as people read it, without the markup of tables, links and code. */
const toPlain = (text: string) => plain(text).replaceAll(/\\?\|/g, ' ').replaceAll(/\s+/g, ' ').trim()

function scoreOf({ names, sections, weight }: Indexed, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const inNames = names[0] === word ? 200 : names.includes(word) ? 60 : names.join(' ').includes(word) ? 40 : 0
    const inHeadings = sections.some(({ heading }) => heading.includes(word)) ? 15 : 0
    const inText = sections.filter((section) => section.words.includes(word)).length
    if (inNames + inHeadings + inText === 0) return 0
    score += inNames + inHeadings + Math.min(inText, 10)
  }
  return score * weight
}

function toFound({ href, title, group, sections }: Indexed, words: readonly string[]): Found {
  const hitsOf = (section: Section) => words.filter((word) => section.words.includes(word)).length
  const best = sections.reduce<Section | undefined>(
    (best, section) => (best && hitsOf(best) >= hitsOf(section) ? best : section),
    undefined,
  )
  const section = best?.id === undefined ? undefined : { id: best.id, title: best.title }
  return { href, title, group, section, excerpt: best ? excerptOf(best.text, words) : [] }
}

function excerptOf(text: string, words: readonly string[]): FoundPart[] {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const stop = text.lastIndexOf('. ', first)
  const sentence = stop < 0 ? 0 : stop + 2
  const begin = first <= EXCERPT_LEAD ? 0 : text.indexOf(' ', first - EXCERPT_LEAD) + 1
  const isNear = first - sentence <= EXCERPT_LEAD * 2
  const from = isNear ? sentence : Math.min(begin, first)
  const cut = text.slice(from, from + EXCERPT_LENGTH)
  const isWhole = from + EXCERPT_LENGTH >= text.length
  const end = isWhole ? cut : cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT_LENGTH / 2))
  return mark(`${from > 0 && !isNear ? '… ' : ''}${end}${isWhole ? '' : ' …'}`, words)
}

/** Splits a text into the words that were searched for and the rest. */
function mark(text: string, words: readonly string[]): FoundPart[] {
  const lower = text.toLowerCase()
  const parts: FoundPart[] = []
  for (let at = 0; at < text.length;) {
    const next = words
      .map((word) => ({ at: lower.indexOf(word, at), length: word.length }))
      .filter((hit) => hit.at >= 0)
      .sort((one, other) => one.at - other.at || other.length - one.length)[0]
    const from = next?.at ?? text.length
    const to = from + (next?.length ?? 0)
    if (from > at) parts.push({ text: text.slice(at, from), isHit: false })
    if (next) parts.push({ text: text.slice(from, to), isHit: true })
    at = to
  }
  return parts
}
