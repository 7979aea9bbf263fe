import { readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { type Document, type ResolveLink, parseDocument, plain } from '../../web/docs-markdown.tsx'
import type { GuideLink } from '../../web/docs-shell.tsx'
import type { Searchable } from './search.ts'

/** The menu, in the order that newcomers need; a guide without an entry is last. */
const GROUPS: Readonly<Record<string, string>> = {
  Start: 'getting-started concepts first-payment calling going-live troubleshooting',
  'Accept payments': 'payment-page merchants webhooks refunds any-shop woocommerce medusa email usernames',
  Build: 'wallets client agents pay-per-request keys people work migrating clients',
  Test: 'devnet devnet-controls',
  Operate:
    'operating operating/deploy operating/monitoring operating/runbook operating/backup operating/keys operating/accounts',
  Reference: 'errors commands operating/failures contract versions comparison',
}
/** Pages for people who assess or change the gateway. The overview links them; the menu does not. */
const NOTES = new Set(['performance', 'reliability', 'scaling', 'security', 'decisions'])
const REFERENCE = 'Reference'
const ORDER = Object.values(GROUPS).flatMap((names) => names.split(' '))
const groupOf = (path: string) =>
  Object.keys(GROUPS).find((group) => GROUPS[group]!.split(' ').includes(path)) ?? REFERENCE

interface Guide {
  path: string
  document: Document
  resolve: ResolveLink
}

/**
 * Serves the project's documents as pages. Only files found in the folder at the start are served, so no address can
 * reach another file. Each is read at its first request.
 */
export class Guides {
  readonly #folder: URL
  /** The file of each page path; undefined for a folder page, which only lists its pages. */
  readonly #pages = new Map<string, string | undefined>()
  readonly #files = new Set<string>()
  readonly #read = new Map<string, Guide>()
  #listed: readonly GuideLink[] | undefined

  constructor(folder: URL) {
    this.#folder = folder
    const entries = readdirSync(folder, { withFileTypes: true })
    const isPage = (name: string) => entries.some((entry) => entry.name === `${name}.md`)
    for (const entry of entries) {
      if (entry.isFile()) this.#add('', entry.name)
      if (!entry.isDirectory()) continue
      const names = readdirSync(new URL(`${entry.name}/`, folder))
      if (!isPage(entry.name) && names.every((name) => name.endsWith('.md'))) this.#pages.set(entry.name, undefined)
      for (const name of names) this.#add(`${entry.name}/`, name)
    }
  }

  #add(folder: string, name: string): void {
    const file = `${folder}${name}`
    if (name === 'README.md') this.#pages.set(folder.slice(0, -1), file)
    else if (name.endsWith('.md')) this.#pages.set(file.slice(0, -'.md'.length), file)
    else this.#files.add(file)
  }

  list(): readonly GuideLink[] {
    const rank = (path: string) => (ORDER.includes(path) ? ORDER.indexOf(path) : ORDER.length)
    this.#listed ??= [...this.#pages.keys()]
      .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
      .filter((path) => ORDER.includes(path) || !(path === '' || path.includes('/') || NOTES.has(path)))
      .map((path) => ({ path, title: this.find(path)!.document.title, group: groupOf(path) }))
    return this.#listed
  }

  /** All documents for the search. Guides rank before decisions and the contract, which say the same in more detail. */
  searchable(): Searchable[] {
    return [...this.#pages.entries()].flatMap(([path, file]) => {
      if (file === undefined || path === '') return []
      const [folder = path] = path.split('/')
      const weight = folder === 'decisions' ? 0.2 : folder === 'contract' && folder !== path ? 0.5 : 1
      const markdown = this.#text(file)
      // Taken from the Markdown, because rendering all pages would block every other request for a second.
      const title = plain(/^# (.*)/m.exec(markdown)?.[1] ?? path)
      return [{ href: `/docs/${path}`, title, group: groupOf(folder), weight, markdown }]
    })
  }

  find(path: string): Guide | undefined {
    if (!this.#pages.has(path)) return undefined
    const known = this.#read.get(path)
    if (known) return known
    const file = this.#pages.get(path)
    const source = file === undefined ? this.#contentsOf(path) : this.#text(file)
    const base = posix.dirname(file ?? `${path}/README.md`)
    const guide = { path, document: parseDocument(source), resolve: (href: string) => this.#resolve(base, href) }
    this.#read.set(path, guide)
    return guide
  }

  /** The text of a guide with absolute links. */
  markdown(path: string): string | undefined {
    const guide = this.find(path)
    if (!guide) return undefined
    const file = this.#pages.get(path)
    const source = file === undefined ? this.#contentsOf(path) : this.#text(file)
    return withLinks(source, (href) => {
      const target = guide.resolve(href)
      return target?.startsWith('/docs/') ? this.#toMarkdown(target) : target
    })
  }

  #toMarkdown(target: string): string {
    const [page = '', hash] = target.split('#')
    if (!this.#pages.has(page.slice('/docs/'.length))) return target
    return `${page}.md${hash === undefined ? '' : `#${hash}`}`
  }

  /** A file that a document links to or shows. */
  file(path: string): Buffer | undefined {
    return this.#files.has(path) ? readFileSync(new URL(path, this.#folder)) : undefined
  }

  #text(file: string): string {
    return readFileSync(new URL(file, this.#folder), 'utf8')
  }

  #contentsOf(folder: string): string {
    const lines = [...this.#pages.keys()]
      .filter((path) => path.startsWith(`${folder}/`))
      .sort()
      .map((path) => `- [${this.find(path)!.document.title}](${posix.relative(folder, path)}.md)`)
    return `# ${folder.charAt(0).toUpperCase()}${folder.slice(1)}\n\n${lines.join('\n')}\n`
  }

  #resolve(base: string, href: string): string | undefined {
    if (/^https?:\/\//.test(href) || href.startsWith('#')) return href
    const [target = '', hash] = href.split('#')
    const path = posix.join(base, target).replace(/(^|\/)README\.md$|\/$/, '')
    const page = path.replace(/\.md$/, '')
    if (this.#pages.has(page)) return `/docs/${page}${hash === undefined ? '' : `#${hash}`}`
    return this.#files.has(path) ? `/docs/${path}` : undefined
  }
}

/** Resolves links outside of code. A link without a target here becomes plain text. */
function withLinks(source: string, resolve: ResolveLink): string {
  return source
    .split(/(^```[^]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, mark: string, words: string, href: string) => {
            const target = resolve(href)
            return target === undefined ? words : `${mark}[${words}](${target})`
          }),
    )
    .join('')
}
