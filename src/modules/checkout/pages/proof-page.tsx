import type { PaymentProof } from '../../../kernel/nano/payment-proof.ts'
import { formatNano } from '../../../kernel/money.ts'
import { assetUrl } from '../../../web/assets.ts'
import { Document } from '../../../web/layout.tsx'
import { Fact } from './pay-parts.tsx'

interface ProofPageProps {
  id: string
  title: string | null
  proof: PaymentProof
  devnet: boolean
}

const toMinute = (unix: number) => `${new Date(unix * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
/** Rounded, because a quorum of 67 % is stored in whole raw and may fall one raw short. */
const percentOf = (raw: string, of: string) =>
  `${Number((BigInt(raw) * 20_000n + BigInt(of)) / (BigInt(of) * 2n)) / 100} %`

/** Shows a proof, and gives it to the reader's own browser to verify. The text of the proof may be changed: it is verified again. */
export const ProofPage = ({ id, title, proof, devnet }: ProofPageProps) => (
  <Document
    title={`Proof of payment · ${title ?? id}`}
    styles={['pay.css', 'proof.css']}
    scripts={['proof.js']}
    bodyClass="pay proof"
  >
    {devnet && <header class="test">Development ledger: this nano has no value.</header>}
    <main>
      <article class="card">
        <section class="payment">
          <p class="kind">Proof of payment</p>
          <h1 dir="auto">{title ?? id}</h1>
          <p class="verdict" role="status" data-verifier={assetUrl('verify-proof.js')} data-block={proof.block.hash}>
            Your browser is checking the proof …
          </p>
          <noscript>
            <p>
              Without JavaScript your browser cannot check the proof. Download it and check it with the command below.
            </p>
          </noscript>
          <dl class="facts">
            <Fact label="Amount">{formatNano(BigInt(proof.amount_raw))} nano</Fact>
            <Fact label="From">
              <code>{proof.from}</code>
            </Fact>
            <Fact label="To">
              <code>{proof.to}</code>
            </Fact>
            <Fact label="Block">
              <code>{proof.block.hash}</code>
            </Fact>
            <Fact label="Quorum">{`more than ${percentOf(proof.quorum_raw, proof.online_raw)} of the weight`}</Fact>
            <Fact label="Weights reported by">
              {`${proof.source.join(', ')}, ${toMinute(proof.taken_unix)}. Signatures and amounts prove themselves; the weights are the word of these nodes.`}
            </Fact>
          </dl>
          <Votes proof={proof} />
          <details>
            <summary>The proof itself</summary>
            <label for="proof">Change anything here, or paste another proof: it is checked again.</label>
            <textarea id="proof" rows={12} spellcheck={false} autocomplete="off">
              {JSON.stringify(proof, null, 2)}
            </textarea>
            <p>
              Check it without this page: <code>nano-gateway proof verify proof.json</code>, or <code>verifyProof</code>{' '}
              of <code>@nano-gateway/client</code>.
            </p>
          </details>
          <div class="ways">
            <a
              class="button"
              href={`/checkout/${id}/proof?json=1&block=${proof.block.hash}`}
              download={`proof-${id}.json`}
            >
              Download the proof
            </a>
            <a class="button quiet" href={`/pay/${id}`}>
              Back to the payment
            </a>
          </div>
        </section>
      </article>
    </main>
  </Document>
)

/** A final vote is one signature, and one signature may cover many blocks. */
const Votes = ({ proof: { votes, weights, online_raw } }: Pick<ProofPageProps, 'proof'>) => (
  <details>
    <summary>{votes.length === 1 ? 'The vote' : `The ${votes.length} votes`}</summary>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Representative</th>
            <th scope="col">Weight</th>
          </tr>
        </thead>
        <tbody>
          {votes.map(({ account }) => (
            <tr key={account}>
              <td>
                <code>{account}</code>
              </td>
              <td>{percentOf(weights[account]!, online_raw)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
