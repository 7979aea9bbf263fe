import type { FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Facts, Figure, Table } from '../../../web/dashboard/show.tsx'
import type { GatewayStatus } from '../ports.ts'

const STATES: Record<GatewayStatus['upstreams'][number]['state'], string> = {
  well: 'healthy',
  failing: 'not answering',
  behind: 'behind the others',
  suspect: 'not believed',
  foreign: 'another ledger',
  unverified: 'ledger not known',
}

const Nodes = ({ upstreams }: Pick<GatewayStatus, 'upstreams'>) => (
  <Card title="Nodes">
    <Table label="Nodes" head={['Node', 'Role', 'Status', 'Confirmed blocks', '95th percentile']}>
      {upstreams.map((upstream) => (
        <tr key={upstream.name}>
          <td>{upstream.name}</td>
          <td>{upstream.role}</td>
          <td>
            <Badge state={STATES[upstream.state]} />
            {upstream.reason !== undefined && <p class="hint">Not used: {upstream.reason}.</p>}
          </td>
          <td>{upstream.cemented.toLocaleString('en')}</td>
          <td>{upstream.p95Milliseconds === undefined ? 'no data yet' : `${upstream.p95Milliseconds} ms`}</td>
        </tr>
      ))}
    </Table>
  </Card>
)

const Work = ({ work }: Pick<GatewayStatus, 'work'>) => (
  <Card title="Proof of work">
    {work.sources.length === 0 ? (
      <Empty title="No source of proof of work">
        <p>Set WORK_THREADS, WORK_CARDS, WORK_URLS or WORK_NODES.</p>
      </Empty>
    ) : (
      <Table label="Sources of work" head={['Source', 'Kind', 'Status', 'Rate']}>
        {work.sources.map((source) => (
          <tr key={source.name}>
            <td>{source.name}</td>
            <td>{source.kind}</td>
            <td>
              <Badge state={source.usable ? 'healthy' : 'not answering'} />
            </td>
            <td>{source.rate > 0 ? `${(source.rate / 1e6).toFixed(1)} million hashes a second` : 'being measured'}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

/** The first page for an operator: the state of nodes, of the confirmation stream and of work. */
export const HealthPage = (props: {
  frame: FrameProps
  status: GatewayStatus
  deliveries: readonly { state: string; count: number }[]
}) => {
  const { frame, status, deliveries } = props
  const { work } = status
  return (
    <Frame {...frame} title="Health" lead="Nodes, proof of work and deliveries of this instance.">
      <div class="row four">
        <Figure
          label="Confirmations"
          value={status.confirmationsConnected ? 'arriving' : 'not arriving'}
          tone={status.confirmationsConnected ? 'good' : 'bad'}
        />
        <Figure
          label="Confirmed blocks"
          value={Math.max(0, ...status.upstreams.map(({ cemented }) => cemented)).toLocaleString('en')}
        />
        <Figure
          label="Work waiting"
          value={`${work.queueSeconds.toFixed(1)} s`}
          note={`${work.searches} searches`}
          tone={work.queueSeconds > 10 ? 'warn' : 'good'}
        />
        <Figure label="Up for" value={formatDuration(status.uptimeSeconds)} note={`version ${status.version}`} />
      </div>
      <Nodes upstreams={status.upstreams} />
      {status.sources.length > 0 && (
        <Card title="Sources">
          <Table label="Sources" head={['Source', 'Of', 'Status']}>
            {status.sources.map(({ kind, name, failing, reason }) => (
              <tr key={`${kind} ${name}`}>
                <td>{name}</td>
                <td>{kind}</td>
                <td>
                  <Badge state={failing ? 'failing' : 'healthy'} />
                  {reason !== undefined && <p class="hint">{reason}</p>}
                </td>
              </tr>
            ))}
          </Table>
        </Card>
      )}
      <Work work={work} />
      <Card title="Webhooks of all accounts">
        {deliveries.length === 0 ? (
          <Empty title="No pending or failed deliveries" />
        ) : (
          <Table label="Deliveries" head={['Status', 'Deliveries']}>
            {deliveries.map(({ state, count }) => (
              <tr key={state}>
                <td>
                  <Badge state={state} />
                </td>
                <td>{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="This instance">
        <Facts
          facts={[
            ['Network', status.network],
            ['Store', status.store],
            ['Websocket clients', status.websocketClients],
            ['Cache', `${(status.cachedBytes / 1_048_576).toFixed(1)} MB`],
          ]}
        />
      </Card>
    </Frame>
  )
}

function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min` : `${seconds} s`
}
