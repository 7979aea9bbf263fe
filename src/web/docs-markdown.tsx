import { type MarkedToken, type Token, type Tokens, lexer } from 'marked'
import { type ComponentChild, type ComponentChildren, Fragment } from 'preact'
import { Code } from './docs-shell.tsx'

/** A parsed document. */
export interface Document {
  title: string
  /** Headings of the second level, for the table of contents. */
  sections: { id: string; title: string }[]
  blocks: Token[]
}

/** The address of a document's link on this site; undefined when the target is not shown here. */
export type ResolveLink = (href: string) => string | undefined

/** Parses a document. HTML in it stays text, as everything does for which the page has no element. */
export function parseDocument(source: string): Document {
  const blocks = lexer(source.replaceAll(/<!--[^]*?-->\n?/g, ''))
  const headings = blocks.filter((block): block is Tokens.Heading => block.type === 'heading')
  const sections = headings.filter(({ depth }) => depth === 2)
  return {
    title: plain(headings[0]?.text ?? ''),
    sections: sections.map(({ text }) => ({ id: headingId(text), title: plain(text) })),
    blocks,
  }
}

/** The same ids as on the sites where our documents are also read, so that links within a page work in both. */
export function headingId(text: string): string {
  return plain(text)
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

/** A text without the markup of links, code and emphasis. */
export function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}

/** Renders the document as elements, so HTML in its text is escaped. */
export const Markdown = ({ blocks, resolve }: { blocks: readonly Token[]; resolve: ResolveLink }) => (
  <>{blocks.map((token) => view(token as MarkedToken, resolve))}</>
)

const inside = (tokens: readonly Token[] | undefined, resolve: ResolveLink): ComponentChild[] =>
  (tokens ?? []).map((token) => view(token as MarkedToken, resolve))

function view(token: MarkedToken, resolve: ResolveLink): ComponentChild {
  switch (token.type) {
    case 'space':
      return null
    case 'heading': {
      const Tag = `h${token.depth}` as 'h2'
      return <Tag id={headingId(token.text)}>{inside(token.tokens, resolve)}</Tag>
    }
    case 'paragraph':
      return <p>{inside(token.tokens, resolve)}</p>
    case 'code':
      return <Code text={token.text} language={token.lang?.split(' ')[0] || undefined} />
    case 'blockquote':
      return <blockquote>{inside(token.tokens, resolve)}</blockquote>
    case 'list': {
      const items = token.items.map((item) => <li>{itemContent(item, resolve)}</li>)
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return tableView(token, resolve)
    case 'codespan':
      return <code>{breakable(token.text)}</code>
    case 'strong':
      return <strong>{inside(token.tokens, resolve)}</strong>
    case 'em':
      return <em>{inside(token.tokens, resolve)}</em>
    case 'br':
      return <br />
    case 'link':
    case 'image':
      return linkView(token, resolve)
    case 'text':
      return 'tokens' in token && token.tokens ? inside(token.tokens, resolve) : token.text
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

const NAME_FITS = 24

/** A long name may break, after an underscore. */
const breakable = (name: string): ComponentChildren =>
  name.length <= NAME_FITS
    ? name
    : name.split(/(?<=_)/).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))

function linkView(token: Tokens.Link | Tokens.Image, resolve: ResolveLink): ComponentChild {
  const target = resolve(token.href)
  if (token.type === 'image')
    return target === undefined ? token.text : <img src={target} alt={token.text} loading="lazy" />
  const words = inside(token.tokens, resolve)
  return target === undefined ? words : <a href={target}>{words}</a>
}

const tableView = ({ header, rows }: Tokens.Table, resolve: ResolveLink) => (
  <TableScroll>
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th>{inside(tokens, resolve)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{inside(tokens, resolve)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** A table wider than a phone scrolls on its own instead of moving the page. */
export const TableScroll = ({ children }: { children: ComponentChildren }) => (
  <div class="table-scroll" tabIndex={0} role="group" aria-label="Table">
    {children}
  </div>
)

/** The first paragraph of an item is shown as a line, without the spacing of paragraphs. */
function itemContent({ tokens: [first, ...rest] }: Tokens.ListItem, resolve: ResolveLink): ComponentChild[] {
  const line =
    first?.type === 'paragraph'
      ? inside((first as Tokens.Paragraph).tokens, resolve)
      : inside(first && [first], resolve)
  return [...line, ...inside(rest, resolve)]
}
