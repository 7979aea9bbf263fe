import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import {
  Badge,
  Card,
  Copyable,
  Empty,
  Facts,
  Figure,
  Moment,
  Nano,
  Pager,
  Table,
} from '../../../web/dashboard/show.tsx'
import { LINK_FIELDS, LinkFields } from './link-form.tsx'

export interface LinkRow {
  id: string
  slug: string
  url: string
  title: string | null
  status: string
  /** In words: a price, plans, or that the payer decides. */
  price: string
  sold: number
  held: number
  soldMax: number | null
  orders: number
  revenueRaw: bigint
  /** In the currency, where it is not nano. */
  revenueFiat: string | null
  isPaused: boolean
  endsAt: number | null
  /** How often it is paid for; null for once. */
  every: string | null
  createdAt: number
}

const soldOf = ({ sold, soldMax }: LinkRow) => (soldMax === null ? String(sold) : `${sold} of ${soldMax}`)

interface LinksPageProps {
  frame: FrameProps
  rows: readonly LinkRow[]
  first: string | undefined
  next: string | undefined
}

export const LinksPage = ({ frame, rows, first, next }: LinksPageProps) => (
  <Frame
    {...frame}
    title="Payment links"
    follows={['checkout']}
    lead="One link for many payers: each visitor gets a payment of their own."
    actions={
      <WayTo frame={frame} class="button" href="/dashboard/links/new">
        New link
      </WayTo>
    }
  >
    <Card>
      {rows.length === 0 ? (
        <Empty title="No payment links yet">
          <p>
            Sell a thing or take donations with a link that you share.{' '}
            <WayTo frame={frame} href="/dashboard/links/new">
              Make the first one.
            </WayTo>
          </p>
        </Empty>
      ) : (
        <Table label="Payment links" head={['Link', 'Status', 'Price', 'Sold', 'Revenue']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="title-cell">
                <a href={`/dashboard/links/${row.id}`}>{row.title ?? 'Without title'}</a>
                <span class="under">/buy/{row.slug}</span>
              </td>
              <td>
                <Badge state={row.status} />
              </td>
              <td>{row.price}</td>
              <td>{soldOf(row)}</td>
              <td>
                <Nano raw={row.revenueRaw} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)

interface NewLinkPageProps {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  walletsAllowed: boolean
}

export const NewLinkPage = ({ frame, ...fields }: NewLinkPageProps) => (
  <Frame {...frame} title="New payment link" lead="An offer with an address of its own, to share with anybody.">
    <Form frame={frame} action="/dashboard/links">
      <FormError filled={fields.filled} fields={LINK_FIELDS} />
      <LinkFields {...fields} isNew />
      <button>Make link</button>
    </Form>
  </Frame>
)

interface LinkPageProps extends NewLinkPageProps {
  link: LinkRow
  qrcode: string
  checkouts: readonly { id: string; title: string | null; status: string; paidRaw: bigint; createdAt: number }[]
}

const Shared = ({ link, qrcode }: Pick<LinkPageProps, 'link' | 'qrcode'>) => (
  <Card title="Share it">
    <Facts
      facts={[
        ['Link', <Copyable text={link.url} label="link" />],
        ['Price', link.price],
        ['Ends', link.endsAt === null ? 'never' : <Moment at={link.endsAt} />],
        ['Made', <Moment at={link.createdAt} />],
      ]}
    />
    <p>
      <img class="qr" src={qrcode} alt={`QR code of ${link.url}`} width="160" height="160" />
    </p>
  </Card>
)

const Doings = ({ frame, link }: Pick<LinkPageProps, 'frame' | 'link'>) => {
  const action = (word: string) => `/dashboard/links/${link.id}/${word}`
  return (
    <Card title="What you can do">
      <div class="actions">
        {link.isPaused ? (
          <ActionButton frame={frame} action={action('resume')}>
            Take orders again
          </ActionButton>
        ) : (
          <ActionButton frame={frame} action={action('pause')}>
            Pause
          </ActionButton>
        )}
        <Confirmed ask="Delete link" kind="danger">
          <p>Its page goes away for good, and its address stays taken. Open orders can still be paid.</p>
          <ActionButton frame={frame} action={action('delete')} kind="danger">
            Delete it
          </ActionButton>
        </Confirmed>
      </div>
    </Card>
  )
}

const Orders = ({ checkouts }: Pick<LinkPageProps, 'checkouts'>) => (
  <Card title="Orders">
    {checkouts.length === 0 ? (
      <Empty title="Nobody has ordered yet" />
    ) : (
      <Table label="Orders" head={['Checkout', 'Status', 'Paid', 'Made']}>
        {checkouts.map((checkout) => (
          <tr key={checkout.id}>
            <td class="title-cell">
              <a href={`/dashboard/checkouts/${checkout.id}`}>{checkout.title ?? 'Without title'}</a>
              <span class="under">
                <code>{checkout.id}</code>
              </span>
            </td>
            <td>
              <Badge state={checkout.status} />
            </td>
            <td>
              <Nano raw={checkout.paidRaw} />
            </td>
            <td>
              <Moment at={checkout.createdAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

/** One link: what it has brought, its orders, and everything that can be changed about it. */
export const LinkPage = ({ frame, link, qrcode, checkouts, ...fields }: LinkPageProps) => (
  <Frame
    {...frame}
    title={link.title ?? 'Payment link'}
    follows={['checkout']}
    lead={
      <>
        <Badge state={link.status} /> <code>/buy/{link.slug}</code>
      </>
    }
    actions={
      <>
        {link.every !== null && (
          <a class="button plain" href={`/dashboard/links/${link.id}/subscriptions`}>
            Subscriptions
          </a>
        )}
        <a class="button plain" href={link.url}>
          Open its page
        </a>
      </>
    }
  >
    <div class="row four">
      <Figure label="Revenue" value={<Nano raw={link.revenueRaw} />} note={link.revenueFiat ?? undefined} />
      <Figure label="Paid orders" value={link.orders} />
      <Figure label="Pieces sold" value={soldOf(link)} />
      <Figure label="Pieces in open orders" value={link.held} />
    </div>
    <div class="row two">
      <Shared link={link} qrcode={qrcode} />
      <Doings frame={frame} link={link} />
    </div>
    <Orders checkouts={checkouts} />
    <h2>Change it</h2>
    <Form frame={frame} action={`/dashboard/links/${link.id}`}>
      <FormError filled={fields.filled} fields={LINK_FIELDS} />
      <LinkFields {...fields} isNew={false} />
      <button>Save link</button>
    </Form>
  </Frame>
)
