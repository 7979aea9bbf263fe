import type { SeenBlock } from '../../kernel/ledger-view.ts'
import { Card, Empty, Figure, Pager } from '../dashboard/show.tsx'
import { BlockTable, SearchForm } from './parts.tsx'
import type { Explorer } from './parts.tsx'

interface BlocksViewProps {
  explorer: Explorer
  /** One more than are shown, if there is one. */
  blocks: readonly SeenBlock[]
  count: number
  isFirst: boolean
}

const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

/** Everything that happens on the ledger, newest first; the first page follows as blocks come. */
export const BlocksView = ({ explorer, blocks, count, isFirst }: BlocksViewProps) => {
  const { base, names, view, events } = explorer
  const { blocks: total, confirmed, accounts, holds } = view.overview()
  const shown = blocks.slice(0, count)
  const last = shown.at(-1)
  return (
    <>
      <div class="ledger-tools">
        <SearchForm base={base} />
        {isFirst && (
          <button type="button" class="plain" id="follow" aria-pressed="true" hidden>
            Following
          </button>
        )}
      </div>
      <div id="live" data-follow={isFirst ? events : undefined}>
        <div class="row four">
          <Figure label="Blocks" value={grouped(total)} />
          <Figure label="Confirmed" value={grouped(confirmed)} />
          <Figure
            label="Waiting"
            value={grouped(total - confirmed)}
            note={holds ? 'New blocks are held.' : undefined}
            {...(total > confirmed && { tone: 'warn' as const })}
          />
          <Figure label="Accounts" value={grouped(accounts)} />
        </div>
        <Card title={isFirst ? 'Latest blocks' : 'Older blocks'}>
          {shown.length === 0 ? (
            <Empty title="No older blocks" />
          ) : (
            <BlockTable {...{ base, names }} label="Blocks" blocks={shown} />
          )}
          <Pager
            first={isFirst ? undefined : base === '' ? '/' : base}
            next={blocks.length > count && last ? `${base === '' ? '/' : base}?before=${last.position}` : undefined}
          />
        </Card>
      </div>
    </>
  )
}
