import { type Document, Markdown, type ResolveLink } from './docs-markdown.tsx'
import { DocsShell, type DocsSite } from './docs-shell.tsx'

interface GuidePageProps {
  site: DocsSite
  path: string
  document: Document
  resolve: ResolveLink
}

/** With fewer sections a table of contents is not needed. */
const LISTED_SECTIONS_MIN = 4

export const GuidePage = ({ site, path, document, resolve }: GuidePageProps) => {
  const [heading, ...rest] = document.blocks
  return (
    <DocsShell site={site} title={document.title} here={`/docs/${path}`}>
      <article class="guide">
        {heading && <Markdown blocks={[heading]} resolve={resolve} />}
        {document.sections.length >= LISTED_SECTIONS_MIN && (
          <details class="on-page">
            <summary>On this page</summary>
            <ul>
              {document.sections.map(({ id, title }) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </details>
        )}
        <Markdown blocks={rest} resolve={resolve} />
      </article>
    </DocsShell>
  )
}

export interface FoundPart {
  text: string
  isHit: boolean
}

/** A page that was found, with its best section. */
export interface Found {
  href: string
  title: string
  group: string
  section: { id: string; title: string } | undefined
  excerpt: readonly FoundPart[]
}

interface SearchPageProps {
  site: DocsSite
  query: string
  results: readonly Found[]
  total: number
}

export const DocsSearchPage = ({ site, query, results, total }: SearchPageProps) => (
  <DocsShell site={site} title={`Search: ${query}`} here="/docs" query={query}>
    <h1>Search</h1>
    <p role="status">
      {total === 0 ? 'No page has' : total === 1 ? 'One page has' : `${total} pages have`} “{query}”
      {total > results.length ? `; these are the ${results.length} that fit best` : ''}.{' '}
      <a href="/docs">All guides and actions</a>
    </p>
    {total === 0 && <p>Try a single word, or the name of a field or an error.</p>}
    <ol class="docs-found">
      {results.map(({ href, title, group, section, excerpt }) => (
        <li key={href}>
          <h2>
            <a href={section ? `${href}#${section.id}` : href}>
              {title}
              {section && ` › ${section.title}`}
            </a>
          </h2>
          <p class="small">{group}</p>
          <p>{excerpt.map(({ text, isHit }, at) => (isHit ? <mark key={at}>{text}</mark> : text))}</p>
        </li>
      ))}
    </ol>
  </DocsShell>
)

/** Shown for an unknown address; the list and the search beside it lead to the pages that exist. */
export const NoSuchPage = ({ site }: { site: DocsSite }) => (
  <DocsShell site={site} title="There is no such page" here="/docs">
    <h1>There is no such page</h1>
    <p>The address may be misspelt, or the page has another name now. Search for it, or choose one from the list.</p>
    <p>
      <a href="/docs">All guides and actions</a>
    </p>
  </DocsShell>
)
