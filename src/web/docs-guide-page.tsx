import { type Document, Markdown, type ResolveLink } from './docs-markdown.tsx'
import { type DocsSite, DocsShell } from './docs-shell.tsx'

interface GuidePageProps {
  site: DocsSite
  path: string
  document: Document
  resolve: ResolveLink
}

/** Fewer sections are seen at a glance. */
const LISTED_SECTIONS_MIN = 4

/** A document of ours as a page. */
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
