import {
  type ComponentChildren,
  Fragment,
  type FunctionComponent,
  type VNode,
  cloneElement,
  createContext,
  toChildArray,
} from 'preact'
import { useContext } from 'preact/hooks'
import { formatNano } from '../../kernel/money.ts'

const SHOWN_DECIMALS = 8

/** An amount in nano, shortened as people read it; hovering shows all of it. */
export const Nano = ({ raw }: { raw: bigint }) => {
  const exact = formatNano(raw)
  const [whole = '0', decimals = ''] = exact.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const isCut = decimals.length > SHOWN_DECIMALS
  const start = decimals.slice(0, SHOWN_DECIMALS)
  const isTiny = isCut && whole === '0' && !/[1-9]/.test(start)
  const shown = isTiny
    ? `< 0.${'1'.padStart(SHOWN_DECIMALS, '0')}`
    : decimals === ''
      ? grouped
      : `${grouped}.${start}${isCut ? '…' : ''}`
  return (
    <span class="nano" title={isCut ? `${exact} nano` : undefined}>
      {shown} <span class="unit">nano</span>
    </span>
  )
}

/** The clock of the shop, on its pages; undefined where it has no time zone. */
export const ShopClock = createContext<((at: number) => string) | undefined>(undefined)

const inUtc = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Writes a time in the zone of the shop, for texts that no script converts. */
export const useClock = () => useContext(ShopClock) ?? inUtc

/** A time in the zone of the shop. Without one it is in UTC, which scripts convert to the reader's own zone. */
export const Moment = ({ at }: { at: number | null | undefined }) => {
  const clock = useContext(ShopClock)
  if (at === null || at === undefined) return <span class="soft">never</span>
  const iso = new Date(at).toISOString()
  const utc = inUtc(at)
  if (clock === undefined) return <time dateTime={iso}>{utc}</time>
  return (
    <time dateTime={iso} title={utc}>
      {clock(at)}
    </time>
  )
}

const TONES: Record<string, string> = {
  complete: 'good',
  delivered: 'good',
  confirmed: 'good',
  live: 'good',
  enabled: 'good',
  active: 'good',
  healthy: 'good',
  well: 'good',
  done: 'good',
  completed: 'good',
  claimed: 'good',
  leased: 'good',
  grace: 'warn',
  funded: 'info',
  sent: 'info',
  counted: 'good',
  detected: 'info',
  partial: 'info',
  running: 'info',
  sending: 'info',
  broadcast: 'info',
  signed: 'info',
  retrying: 'warn',
  paid_late: 'warn',
  late: 'warn',
  unmatched: 'warn',
  held: 'warn',
  waiting: 'warn',
  waiting_for_claim: 'warn',
  refunded: 'info',
  partly_refunded: 'info',
  paused: 'warn',
  expiring: 'warn',
  'behind the others': 'warn',
  dead: 'bad',
  frozen: 'bad',
  refused: 'bad',
  failed: 'bad',
  lost: 'bad',
  revoked: 'bad',
  suspended: 'bad',
  disabled: 'bad',
  'not answering': 'bad',
  failing: 'bad',
  'not believed': 'bad',
  'another ledger': 'bad',
  'ledger not known': 'bad',
}

/** A state in words; the colour only repeats it. */
export const Badge = ({ state }: { state: string }) => (
  <span class={`badge ${TONES[state] ?? 'quiet'}`}>{state.replaceAll('_', ' ')}</span>
)

/** Long texts that people copy: addresses, hashes, keys. Without a script they can be selected. */
export const Copyable = ({ text, shown, label }: { text: string; shown?: string; label: string }) => (
  <span class="copyable">
    <code title={shown === undefined ? undefined : text}>{shown ?? text}</code>
    <button type="button" class="copy" data-copy={text} hidden>
      Copy<span class="unseen">{` ${label}`}</span>
    </button>
  </span>
)

/** Keeps both ends, which is what people compare. */
export const shorten = (text: string, start = 12, end = 6) =>
  text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`

/** Says what does not exist yet, and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

export const Facts = ({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const Figure = (props: {
  label: string
  value: ComponentChildren
  note?: ComponentChildren
  tone?: 'good' | 'warn' | 'bad'
}) => (
  <div class="figure">
    <p class="figure-label">{props.label}</p>
    <p class={`figure-value ${props.tone ?? ''}`}>{props.value}</p>
    {props.note && <p class="figure-note">{props.note}</p>}
  </div>
)

/** Tables of so many columns fit everywhere, and stay tables on a phone. */
const COLUMNS_FIT = 3

/**
 * A table; in a narrow place each row of a wide one is a paragraph whose cells are labelled. Its elements have explicit roles, because with
 * another display style they would no longer be a table to screen readers.
 */
export const Table = (props: { label: string; head: readonly ComponentChildren[]; children: ComponentChildren }) => (
  <div class="table" role="region" aria-label={props.label} tabIndex={0}>
    <table class={props.head.length > COLUMNS_FIT ? 'rows' : undefined} role="table">
      <thead role="rowgroup">
        <tr role="row">
          {props.head.map((name, at) => (
            <th key={at} scope="col" role="columnheader">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {drawnOf(props.children).map((row) =>
          cloneElement(row, { role: 'row' }, ...cellsOf(drawnOf(row.props.children), props.head)),
        )}
      </tbody>
    </table>
  </div>
)

const cellsOf = (cells: readonly VNode[], head: readonly ComponentChildren[]) =>
  cells.map((cell, at) => {
    const name = head[at]
    const role = cell.type === 'th' ? 'rowheader' : 'cell'
    return cloneElement(cell, { role, ...(typeof name === 'string' && { 'data-label': name }) })
  })

/** The elements that will be rendered, without the components and fragments around them. */
function drawnOf(children: ComponentChildren): VNode<{ children?: ComponentChildren }>[] {
  return toChildArray(children).flatMap((child) => {
    if (typeof child !== 'object') return []
    if (child.type === Fragment) return drawnOf(child.props.children)
    // Components of pages depend on their properties alone, so they can be called.
    if (typeof child.type === 'function') return drawnOf((child.type as FunctionComponent)(child.props))
    return [child]
  })
}

export const Card = (props: { title?: string; id?: string; note?: ComponentChildren; children: ComponentChildren }) => (
  <section class="card" id={props.id}>
    {props.title && <h2>{props.title}</h2>}
    {props.note && <p class="card-note">{props.note}</p>}
    {props.children}
  </section>
)

/** Newer and older pages of a list. */
export const Pager = ({ first, next }: { first: string | undefined; next: string | undefined }) =>
  first === undefined && next === undefined ? null : (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && <a href={first}>Newest</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          Older
        </a>
      )}
    </nav>
  )
