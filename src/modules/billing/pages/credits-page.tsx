import type { FrameProps } from '../../../kernel/page.ts'
import { DayChart, toHeights } from '../../../web/dashboard/chart.tsx'
import { ActionButton } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Figure, Moment, Table } from '../../../web/dashboard/show.tsx'

interface CreditsPageProps {
  frame: FrameProps
  credits: number
  plan: string
  days: readonly { date: string; requests: number; work: number }[]
  /** Calls of the last 30 days by action, the most frequent first. */
  actions: readonly { action: string; count: number }[]
  entries: readonly { id: string; amount: number; reason: string; createdAt: number }[]
}

const History = ({ entries }: Pick<CreditsPageProps, 'entries'>) => (
  <Table label="Credit history" head={['When', 'Description', 'Credits']}>
    {entries.map((entry) => (
      <tr key={entry.id}>
        <td>
          <Moment at={entry.createdAt} />
        </td>
        <td>{entry.reason}</td>
        <td>{entry.amount > 0 ? `+${entry.amount.toLocaleString('en')}` : entry.amount.toLocaleString('en')}</td>
      </tr>
    ))}
  </Table>
)

/** Credits left, their use, and how to buy more. */
export const CreditsPage = ({ frame, credits, plan, days, actions, entries }: CreditsPageProps) => {
  const requests = days.reduce((sum, day) => sum + day.requests, 0)
  const work = days.reduce((sum, day) => sum + day.work, 0)
  const requestHeights = toHeights(days.map((day) => BigInt(day.requests)))
  const workHeights = toHeights(days.map((day) => BigInt(day.work)))
  return (
    <Frame
      {...frame}
      title="Credits and usage"
      follows={['reports']}
      lead="Reads are free. Proof of work beyond the free quota costs one credit each."
      actions={
        <ActionButton frame={frame} action="/dashboard/credits/buy" kind="main">
          Buy credits
        </ActionButton>
      }
    >
      <div class="row">
        <Figure label="Credits" value={credits.toLocaleString('en')} note={`plan: ${plan}`} />
        <Figure label="Requests in 30 days" value={requests.toLocaleString('en')} />
        <Figure label="Work in 30 days" value={work.toLocaleString('en')} />
      </div>
      <div class="row two">
        <DayChart
          title="Requests"
          summary={`${requests.toLocaleString('en')} in 30 days`}
          unit="Requests"
          bars={days.map((day, at) => ({
            date: day.date,
            height: requestHeights[at]!,
            text: `${day.requests} requests`,
          }))}
        />
        <DayChart
          title="Work"
          summary={`${work.toLocaleString('en')} in 30 days`}
          unit="Work"
          bars={days.map((day, at) => ({ date: day.date, height: workHeights[at]!, text: `${day.work} works` }))}
        />
      </div>
      <div class="row two">
        <Card title="By action">
          {actions.length === 0 ? (
            <Empty title="No requests yet">
              <p>
                Send one with an <a href="/dashboard/keys">API key</a>; the <a href="/">reference</a> shows how.
              </p>
            </Empty>
          ) : (
            <Table label="Usage by action" head={['Action', 'Requests']}>
              {actions.map(({ action, count }) => (
                <tr key={action}>
                  <td>
                    <code>{action}</code>
                  </td>
                  <td>{count.toLocaleString('en')}</td>
                </tr>
              ))}
            </Table>
          )}
        </Card>
        <Card title="Credit history">
          {entries.length === 0 ? <Empty title="No credits bought or used yet" /> : <History entries={entries} />}
        </Card>
      </div>
    </Frame>
  )
}
