import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Form, FormError, SelectField, TextField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Copyable, Empty, Facts, Moment, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'

interface WalletRow {
  address: string
  status: string
  balance: bigint
  refundAddress: string | readonly string[] | null
  metadata: Readonly<Record<string, unknown>> | null
  expiresAt: number | null
  frozenAt: number | null
  createdAt: number
}

const stateOf = ({ frozenAt, status }: WalletRow) => (frozenAt === null ? status : 'frozen')
const nameOf = ({ metadata }: WalletRow) => (typeof metadata?.name === 'string' ? metadata.name : undefined)

export const LIFETIMES = [
  ['90', '90 days'],
  ['1', '1 day'],
  ['30', '30 days'],
  ['365', '1 year'],
  ['3650', '10 years'],
] as const

export const WalletsPage = (props: { frame: FrameProps; filled: FormState; wallets: readonly WalletRow[] }) => {
  const { frame, filled, wallets } = props
  return (
    <Frame
      {...frame}
      title="Wallets"
      follows={['wallets:read']}
      lead="Wallets hosted by this service. Their keys are encrypted and never shown."
    >
      <Card>
        {wallets.length === 0 ? (
          <Empty title="No wallets yet">
            <p>Create one below.</p>
          </Empty>
        ) : (
          <Table label="Wallets" head={['Wallet', 'Balance', 'Status', 'Expires', 'Created']}>
            {wallets.map((wallet) => (
              <tr key={wallet.address}>
                <td class="title-cell">
                  <a href={`/dashboard/wallets/${wallet.address}`}>{nameOf(wallet) ?? shorten(wallet.address)}</a>
                  {nameOf(wallet) !== undefined && (
                    <span class="under">
                      <code title={wallet.address}>{shorten(wallet.address)}</code>
                    </span>
                  )}
                </td>
                <td>
                  <Nano raw={wallet.balance} />
                </td>
                <td>
                  <Badge state={stateOf(wallet)} />
                </td>
                <td>
                  <Moment at={wallet.expiresAt} />
                </td>
                <td>
                  <Moment at={wallet.createdAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="New wallet">
        <FormError filled={filled} fields={['name', 'refund_address', 'lifetime']} />
        <Form frame={frame} action="/dashboard/wallets">
          <TextField filled={filled} name="name" label="Name" hint="Only visible to you." maxLength={100} />
          <TextField
            filled={filled}
            name="refund_address"
            label="Refund address"
            hint="Receives the balance when the wallet expires. Without one, we hold the funds for you."
            placeholder="nano_…"
          />
          <SelectField filled={filled} name="lifetime" label="Expires after" required options={LIFETIMES} />
          <button>Create wallet</button>
        </Form>
      </Card>
    </Frame>
  )
}

interface WalletPageProps {
  frame: FrameProps
  filled: FormState
  wallet: WalletRow
  /** The current state on the ledger; undefined when no node answers. */
  ledger: { balance: bigint; receivable: bigint } | undefined
  qrcode: string
  blocks: readonly {
    id: string
    kind: string
    status: string
    amount: bigint | null
    destination: string | null
    sourceAddress: string | null
    hash: string | null
    refusal: string | null
    createdAt: number
  }[]
  blockLink(hash: string): string
}

const toList = (address: WalletRow['refundAddress']) => (address === null ? [] : [address].flat())

export const WalletPage = (props: WalletPageProps) => {
  const { frame, filled, wallet, ledger, qrcode, blocks, blockLink } = props
  const refunds = toList(wallet.refundAddress)
  return (
    <Frame
      {...frame}
      title={nameOf(wallet) ?? 'Wallet'}
      follows={['wallets:read']}
      lead={<Badge state={stateOf(wallet)} />}
      actions={
        <>
          <ActionButton frame={frame} action={`/dashboard/wallets/${wallet.address}/receive`}>
            Receive pending
          </ActionButton>
          <WayTo frame={frame} class="button" href={`/dashboard/wallets/${wallet.address}/send`}>
            Send
          </WayTo>
        </>
      }
    >
      <FormError filled={filled} fields={[]} />
      <div class="row two">
        <Card title="Balance">
          <Facts
            facts={[
              ['Balance', <Nano raw={ledger?.balance ?? wallet.balance} />],
              ['Receivable', ledger ? <Nano raw={ledger.receivable} /> : 'not available'],
              ['Address', <Copyable text={wallet.address} label="address" />],
              ['Ends', <Moment at={wallet.expiresAt} />],
              [
                'Balance then goes to',
                refunds.length === 0 ? 'held for you' : refunds.map((one) => <code key={one}>{one} </code>),
              ],
              ...(wallet.metadata === null || Object.keys(wallet.metadata).every((name) => name === 'name')
                ? []
                : [['Metadata', <pre>{JSON.stringify(wallet.metadata, null, 2)}</pre>] as const]),
            ]}
          />
        </Card>
        <Card title="Send to this wallet">
          <img class="qr" src={qrcode} width="180" height="180" alt={`QR code of the address ${wallet.address}`} />
        </Card>
      </div>
      <Card title="History">
        {blocks.length === 0 ? (
          <Empty title="No transactions yet" />
        ) : (
          <Table label="History" head={['Kind', 'Amount', 'Status', 'With', 'Block', 'When']}>
            {blocks.map((block) => (
              <tr key={block.id}>
                <td>{block.kind}</td>
                <td>{block.amount === null ? 'everything' : <Nano raw={block.amount} />}</td>
                <td>
                  <Badge state={block.status} />
                  {block.refusal !== null && <span class="under">{block.refusal.replaceAll('_', ' ')}</span>}
                </td>
                <td>
                  <code>{shorten(block.destination ?? block.sourceAddress ?? '')}</code>
                </td>
                <td>
                  {block.hash !== null && (
                    <a href={blockLink(block.hash)} rel="noopener noreferrer">
                      <code>{shorten(block.hash, 8, 4)}</code>
                    </a>
                  )}
                </td>
                <td>
                  <Moment at={block.createdAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </Frame>
  )
}
