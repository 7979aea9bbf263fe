import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { JobView } from '../ports.ts'

const STATUSES = ['dead', 'ready', 'running', 'done']

/** Background jobs. A dead job waits for an operator. */
export const JobsPage = (props: {
  frame: FrameProps
  status: string
  jobs: readonly JobView[]
  counts: readonly { status: string; count: number }[]
}) => {
  const { frame, status, jobs, counts } = props
  return (
    <Frame {...frame} title="Jobs" lead="Jobs that fail too often stop until you retry them.">
      <Card>
        <nav class="chips" aria-label="Status of jobs">
          {STATUSES.map((one) => (
            <a
              key={one}
              href={`/dashboard/admin/jobs?status=${one}`}
              aria-current={one === status ? 'page' : undefined}
            >
              {`${one} (${(counts.find((count) => count.status === one)?.count ?? 0).toLocaleString('en')})`}
            </a>
          ))}
        </nav>
        {jobs.length === 0 ? (
          <Empty title={`No ${status} jobs`}>{status === 'dead' && <p>Nothing needs your attention.</p>}</Empty>
        ) : (
          <Table
            label={`Jobs, ${status}`}
            head={['Kind', 'Status', 'Attempts', 'Due', 'Last error', <span class="unseen">Actions</span>]}
          >
            {jobs.map((job) => (
              <tr key={job.id}>
                <td>
                  {job.kind}
                  <span class="under">
                    <code>{job.id}</code>
                  </span>
                </td>
                <td>
                  <Badge state={job.status} />
                </td>
                <td>{job.attempts}</td>
                <td>
                  <Moment at={job.runAt} />
                </td>
                <td class="title-cell">{job.lastError ?? ''}</td>
                <td>
                  {job.status === 'dead' && (
                    <ActionButton
                      frame={frame}
                      action={`/dashboard/admin/jobs/${job.id}/retry`}
                      about={`job ${job.kind}`}
                    >
                      Try again
                    </ActionButton>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </Frame>
  )
}
