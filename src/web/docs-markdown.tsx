import type { ComponentChild, ComponentChildren } from 'preact'

/** A document of ours, read into the parts it is made of. */
export interface Document {
  title: string
  /** The second level of headings, for a list of what the page has. */
  sections: { id: string; title: string }[]
  blocks: Block[]
}

type Block =
  | { kind: 'heading'; level: number; id: string; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'table'; head: string[]; rows: string[][] }

/** Where a link of a document leads on this site; undefined when what it names is not shown here. */
export type ResolveLink = (href: string) => string | undefined

const FENCE = /^(`{3,})\s*([\w-]*)/
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/
const ITEM = /^(\s*)([-*]|\d{1,4}\.)(\s+)(.*)$/
const RULE_OF_TABLE = /^\|(\s*:?-+:?\s*\|)+\s*$/

/** Reads the part of Markdown that our own documents use. What it does not know stays text. */
export function parseDocument(source: string): Document {
  const blocks = parseBlocks(source.replaceAll(/<!--[^]*?-->\n?/g, '').split('\n'))
  const title = blocks.find((block) => block.kind === 'heading')?.text ?? ''
  const sections = blocks.flatMap((block) =>
    block.kind === 'heading' && block.level === 2 ? [{ id: block.id, title: plain(block.text) }] : [],
  )
  return { title: plain(title), sections, blocks }
}

function parseBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const heading = HEADING.exec(line)
    const fence = FENCE.exec(line)
    if (line.trim() === '') at++
    else if (fence) {
      const end = lines.findIndex((text, index) => index > at && text.startsWith(fence[1]!))
      const last = end < 0 ? lines.length : end
      blocks.push({ kind: 'code', language: fence[2]!, text: lines.slice(at + 1, last).join('\n') })
      at = last + 1
    } else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, id: toId(heading[2]!), text: heading[2]! })
      at++
    } else if (line.startsWith('|') && RULE_OF_TABLE.test(lines[at + 1] ?? '')) {
      const end = endOf(lines, at, (text) => text.startsWith('|'))
      const [head = [], , ...rows] = lines.slice(at, end).map(toCells)
      blocks.push({ kind: 'table', head, rows })
      at = end
    } else if (line.startsWith('>')) {
      const end = endOf(lines, at, (text) => text.startsWith('>'))
      const inner = lines.slice(at, end).map((text) => text.replace(/^> ?/, ''))
      blocks.push({ kind: 'quote', blocks: parseBlocks(inner) })
      at = end
    } else if (ITEM.test(line)) {
      const [list, end] = parseList(lines, at)
      blocks.push(list)
      at = end
    } else {
      const end = endOf(lines, at, (text, index) => index === at || !beginsAnother(text))
      blocks.push({ kind: 'paragraph', text: lines.slice(at, end).join('\n') })
      at = end
    }
  }
  return blocks
}

function endOf(lines: readonly string[], from: number, belongs: (text: string, index: number) => boolean): number {
  const end = lines.findIndex((text, index) => index >= from && !belongs(text, index))
  return end < 0 ? lines.length : end
}

function beginsAnother(line: string): boolean {
  return line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || /^[|>]/.test(line)
}

/** An item goes on while its lines are indented as far as its text, or follow it without a gap. */
function parseList(lines: readonly string[], from: number): [Block, number] {
  const [, indent = '', mark = ''] = ITEM.exec(lines[from]!)!
  const ordered = /\d/.test(mark)
  const items: Block[][] = []
  let at = from
  while (at < lines.length) {
    const [, itsIndent, itsMark = '', gap = '', text = ''] = ITEM.exec(lines[at]!) ?? []
    if (itsIndent !== indent || /\d/.test(itsMark) !== ordered) break
    const width = indent.length + itsMark.length + gap.length
    const inner = [text]
    for (at++; at < lines.length; at++) {
      const line = lines[at]!
      const indented = line.startsWith(' '.repeat(width))
      if (line.trim() === '') {
        if (!lines[at + 1]?.startsWith(' '.repeat(width))) break
        inner.push('')
      } else if (indented) inner.push(line.slice(width))
      else if (beginsAnother(line)) break
      else inner.push(line.trimStart())
    }
    items.push(parseBlocks(inner))
    const next = endOf(lines, at, (line) => line.trim() === '')
    if (ITEM.exec(lines[next] ?? '')?.[1] === indent) at = next
  }
  return [{ kind: 'list', start: ordered ? Number.parseInt(mark, 10) : undefined, items }, at]
}

function toCells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** As the places where our documents are also read make them, so that links within a page work in both. */
function toId(text: string): string {
  return plain(text)
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}

/** The document as elements: nothing in it can become markup of its own. */
export const Markdown = ({ blocks, resolve }: { blocks: readonly Block[]; resolve: ResolveLink }) => (
  <>
    {blocks.map((block, at) => (
      <BlockView key={at} block={block} resolve={resolve} />
    ))}
  </>
)

const BlockView = ({ block, resolve }: { block: Block; resolve: ResolveLink }) => {
  switch (block.kind) {
    case 'heading': {
      const Tag = `h${block.level}` as 'h2'
      return <Tag id={block.id}>{inline(block.text, resolve)}</Tag>
    }
    case 'paragraph':
      return <p>{inline(block.text, resolve)}</p>
    case 'code':
      return (
        // Wide code scrolls, and whoever has no mouse must be able to scroll it.
        <pre tabIndex={0} data-language={block.language === '' ? undefined : block.language}>
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return (
        <blockquote>
          <Markdown blocks={block.blocks} resolve={resolve} />
        </blockquote>
      )
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{itemContent(item, resolve)}</li>)
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case 'table':
      return (
        <TableScroll>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at}>{inline(cell, resolve)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell, resolve)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )
  }
}

/** A table wider than a phone scrolls by itself instead of moving the page. */
export const TableScroll = ({ children }: { children: ComponentChildren }) => (
  <div class="table-scroll" tabIndex={0} role="group" aria-label="Table">
    {children}
  </div>
)

/** An item of one paragraph is a line, not a paragraph within a list. */
function itemContent(item: Block[], resolve: ResolveLink): ComponentChild {
  const [first, ...rest] = item
  if (first?.kind !== 'paragraph') return <Markdown blocks={item} resolve={resolve} />
  return (
    <>
      {inline(first.text, resolve)}
      <Markdown blocks={rest} resolve={resolve} />
    </>
  )
}

const INLINE =
  /(`+)(.+?)\1(?!`)|\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])/s

function inline(text: string, resolve: ResolveLink): ComponentChild[] {
  const parts: ComponentChild[] = []
  let rest = text
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    if (match.index > 0) parts.push(rest.slice(0, match.index))
    parts.push(toElement(match, resolve))
    rest = rest.slice(match.index + match[0].length)
  }
  if (rest !== '') parts.push(rest)
  return parts
}

function toElement(match: RegExpExecArray, resolve: ResolveLink): ComponentChild {
  const [, ticks, code = '', label = '', href, strong, soft] = match
  if (ticks !== undefined) return <code>{code.trim()}</code>
  if (strong !== undefined) return <strong>{inline(strong, resolve)}</strong>
  if (soft !== undefined) return <em>{inline(soft, resolve)}</em>
  const target = resolve(href!)
  return target === undefined ? <>{inline(label, resolve)}</> : <a href={target}>{inline(label, resolve)}</a>
}
