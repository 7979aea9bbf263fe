import { Layout } from './layout.tsx'

export interface UpstreamStatus {
  name: string
  role: string
  healthy: boolean
  state: string
  cemented: number
  p95Milliseconds: number | undefined
}

export interface GatewayStatus {
  uptimeSeconds: number
  network: string
  confirmationsConnected: boolean
  websocketClients: number
  cachedBytes: number
  upstreams: UpstreamStatus[]
}

/** What an operator looks at first: is every node well, and does the gateway hear confirmations. */
export const StatusPage = ({ status, devnet }: { status: GatewayStatus; devnet: boolean }) => (
  <Layout title="nano-gateway status" devnet={devnet}>
    <h1>Status</h1>
    <dl class="figures">
      <div>
        <dt>Network</dt>
        <dd>{status.network}</dd>
      </div>
      <div>
        <dt>Confirmed blocks</dt>
        <dd>{Math.max(0, ...status.upstreams.map(({ cemented }) => cemented)).toLocaleString('en')}</dd>
      </div>
      <div>
        <dt>Confirmations</dt>
        <dd class={status.confirmationsConnected ? 'good' : 'bad'}>
          {status.confirmationsConnected ? 'arriving' : 'not heard'}
        </dd>
      </div>
      <div>
        <dt>Websocket clients</dt>
        <dd>{status.websocketClients}</dd>
      </div>
      <div>
        <dt>Cache</dt>
        <dd>{`${(status.cachedBytes / 1_048_576).toFixed(1)} MB`}</dd>
      </div>
      <div>
        <dt>Up for</dt>
        <dd>{formatDuration(status.uptimeSeconds)}</dd>
      </div>
    </dl>
    <h2>Nodes</h2>
    <table>
      <thead>
        <tr>
          <th>Node</th>
          <th>Role</th>
          <th>State</th>
          <th>Confirmed blocks</th>
          <th>95 % answered within</th>
        </tr>
      </thead>
      <tbody>
        {status.upstreams.map((upstream) => (
          <tr key={upstream.name}>
            <td>{upstream.name}</td>
            <td>{upstream.role}</td>
            <td class={upstream.healthy ? 'good' : 'bad'}>{upstream.state}</td>
            <td>{upstream.cemented.toLocaleString('en')}</td>
            <td>{upstream.p95Milliseconds === undefined ? 'not known yet' : `${upstream.p95Milliseconds} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Layout>
)

function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min` : `${seconds} s`
}
