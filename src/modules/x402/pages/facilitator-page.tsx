import { Layout } from '../../../web/layout.tsx'
import type { FacilitatorFacts } from '../domain/facilitate.ts'

interface FacilitatorPageProps {
  facts: FacilitatorFacts
  devnet: boolean
}

const seller = ({ url, networks: [network] }: FacilitatorFacts) => `import { paywall } from '@nano-gateway/client/x402'

const charge = paywall({
  facilitator: '${url}',
  payTo: 'nano_…', // an address that you use for nothing else
  network: '${network}',
})
app.get('/report', charge.express({ price: '0.01' }), answer) // Express
app.get('/report', charge.hono({ price: '0.01' }), answer) // Hono`

const stock = ({ url }: FacilitatorFacts) => `import { HTTPFacilitatorClient } from '@x402/core/server'

const facilitator = new HTTPFacilitatorClient({ url: '${url}' })`

/** Shown to people who open the address that sellers configure. */
export const FacilitatorPage = ({ facts, devnet }: FacilitatorPageProps) => (
  <Layout title="x402 facilitator" devnet={devnet}>
    <h1>x402 facilitator</h1>
    <p>
      This address settles payments in nano for servers that sell by request. The protocol is{' '}
      <a href="https://www.x402.org">x402</a> version {facts.x402Version}, scheme <code>{facts.scheme}</code>. It needs
      no account and takes no fee: the payer signs a block to the seller, and the gateway publishes it and waits until
      it is confirmed.
    </p>
    <dl class="figures">
      <div>
        <dt>{facts.networks.length === 1 ? 'Network' : 'Networks'}</dt>
        <dd>{facts.networks.join(', ')}</dd>
      </div>
      <div>
        <dt>Asset</dt>
        <dd>{facts.asset}, amounts in raw</dd>
      </div>
    </dl>
    <h2>Sell with it</h2>
    <p>
      With the client of this gateway, in front of a handler (<a href="/docs/pay-per-request">the guide</a>):
    </p>
    <pre tabIndex={0}>{seller(facts)}</pre>
    <p>With the stock packages of the protocol:</p>
    <pre tabIndex={0}>{stock(facts)}</pre>
    <h2>Endpoints</h2>
    <p>
      Below <code>{facts.url}/</code>
    </p>
    <table>
      <tbody>
        <tr>
          <th scope="row">
            <code>GET</code> <a href={facts.supported}>supported</a>
          </th>
          <td>Networks and schemes that are settled here.</td>
        </tr>
        <tr>
          <th scope="row">
            <code>POST</code> verify
          </th>
          <td>Checks whether a payment meets the terms. Nothing is published.</td>
        </tr>
        <tr>
          <th scope="row">
            <code>POST</code> settle
          </th>
          <td>
            Publishes the payment and answers once it is confirmed. It succeeds once for each block. A repeated request
            with the same <code>Idempotency-Key</code> gets the same answer for a day.
          </td>
        </tr>
        <tr>
          <th scope="row">
            <code>GET</code> <a href={facts.resources}>discovery/resources</a>
          </th>
          <td>What this gateway itself sells by request.</td>
        </tr>
      </tbody>
    </table>
    <p>
      Programs get these addresses as JSON: <a href="/facilitator?json=true">facilitator?json=true</a>.
    </p>
  </Layout>
)
