import type { FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'

interface ActivityPageProps {
  frame: FrameProps
  entries: readonly { id: string; at: number; actor: string; what: string; detail: Readonly<Record<string, unknown>> }[]
  first: string | undefined
  next: string | undefined
}

/** Who changed what, and when. Nothing is ever taken out of this list. */
export const ActivityPage = ({ frame, entries, first, next }: ActivityPageProps) => (
  <Frame {...frame} title="Activity" lead="Every change of keys, secrets, money and sign-ins of this account.">
    <Card>
      {entries.length === 0 ? (
        <Empty title="Nothing has happened yet" />
      ) : (
        <Table label="Activity" head={['When', 'What', 'By', 'Detail']}>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Moment at={entry.at} />
              </td>
              <td>{entry.what.replaceAll(/[.-]/g, ' ')}</td>
              <td>{entry.actor === frame.account.id ? 'you' : <code>{entry.actor}</code>}</td>
              <td class="title-cell">
                {Object.entries(entry.detail)
                  .filter(([, value]) => value !== null)
                  .map(([name, value]) => (
                    <span key={name} class="under">
                      {`${name}: `}
                      <code>{String(value)}</code>
                    </span>
                  ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)
