import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, WayTo } from '../../../web/dashboard/form.tsx'
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
import { MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import { OFFER_TEXTS } from '../texts.ts'
import { LinkForm, type LinkFormProps } from './link-form.tsx'

export interface LinkRow {
  id: string
  slug: string
  url: string
  title: string | null
  status: string
  /** As text: a price, plans, or that the payer decides. */
  price: string
  sold: number
  held: number
  soldMax: number | null
  orders: number
  revenueRaw: bigint
  refundedRaw: bigint
  /** In the currency, where that is not nano. */
  revenueFiat: string | null
  refundedFiat: string | null
  netFiat: string | null
  isPaused: boolean
  endsAt: number | null
  /** How often it is paid, as text; null for a single payment. */
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
    lead="Share one link with many payers. Each visitor gets their own checkout."
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
              Create the first one.
            </WayTo>
          </p>
        </Empty>
      ) : (
        <Table label="Payment links" head={['Link', 'Status', 'Price', 'Sold', 'Revenue', 'Refunded', 'Net']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="title-cell">
                <a href={`/dashboard/links/${row.id}`}>{row.title ?? 'Untitled'}</a>
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
              <td>
                <Nano raw={row.refundedRaw} />
              </td>
              <td>
                <Nano raw={row.revenueRaw - row.refundedRaw} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)

export const NewLinkPage = ({ merchant, ...props }: LinkFormProps & { merchant: ShownMerchant | undefined }) => (
  <Frame {...props.frame} title="New link" scripts={['preview.js']}>
    <div data-previewed>
      <LinkForm {...props} isNew action="/dashboard/links">
        Create link
      </LinkForm>
      <Preview merchant={merchant} />
    </div>
  </Frame>
)

/** The buyer's page, which a script fills with what is typed. */
const Preview = ({ merchant }: { merchant: ShownMerchant | undefined }) => (
  <aside data-preview hidden aria-label="What your buyer sees">
    <p class="small soft">What your buyer sees</p>
    <div class="pay preview">
      {merchant && merchant.sheet !== null && <link rel="stylesheet" href={merchant.sheet} />}
      {merchant && <MerchantHead {...merchant} />}
      <div data-show="picture" />
      <p class="preview-title" data-show="title" />
      <p class="soft" data-show="description" />
      <p class="preview-price" data-show="price" />
      <p class="soft" data-show="every" />
      <ul />
      <p>
        <span class="button">{OFFER_TEXTS.en.toPayment}</span>
      </p>
    </div>
  </aside>
)

interface LinkPageProps extends LinkFormProps {
  link: LinkRow
  qrcode: string
  checkouts: readonly { id: string; title: string | null; status: string; paidRaw: bigint; createdAt: number }[]
}

const Shared = ({ link, qrcode }: Pick<LinkPageProps, 'link' | 'qrcode'>) => (
  <Card title="Share">
    <Facts
      facts={[
        ['Link', <Copyable text={link.url} label="link" />],
        ['Price', link.price],
        ['Ends', link.endsAt === null ? 'never' : <Moment at={link.endsAt} />],
        ['Created', <Moment at={link.createdAt} />],
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
    <Card title="Actions">
      <div class="actions">
        {link.isPaused ? (
          <ActionButton frame={frame} action={action('resume')}>
            Resume
          </ActionButton>
        ) : (
          <ActionButton frame={frame} action={action('pause')}>
            Pause
          </ActionButton>
        )}
        <Confirmed ask="Delete link" kind="danger">
          <p>The page is removed permanently and its URL cannot be reused. Open orders can still be paid.</p>
          <ActionButton frame={frame} action={action('delete')} kind="danger">
            Delete
          </ActionButton>
        </Confirmed>
      </div>
    </Card>
  )
}

const Orders = ({ checkouts }: Pick<LinkPageProps, 'checkouts'>) => (
  <Card title="Orders">
    {checkouts.length === 0 ? (
      <Empty title="No orders yet" />
    ) : (
      <Table label="Orders" head={['Checkout', 'Status', 'Paid', 'Created']}>
        {checkouts.map((checkout) => (
          <tr key={checkout.id}>
            <td class="title-cell">
              <a href={`/dashboard/checkouts/${checkout.id}`}>{checkout.title ?? 'Untitled'}</a>
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

/** One link: its revenue, its orders, and its settings. */
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
          Open payment page
        </a>
      </>
    }
  >
    <div class="row four">
      <Figure label="Revenue" value={<Nano raw={link.revenueRaw} />} note={link.revenueFiat ?? undefined} />
      <Figure label="Refunded" value={<Nano raw={link.refundedRaw} />} note={link.refundedFiat ?? undefined} />
      <Figure label="Net" value={<Nano raw={link.revenueRaw - link.refundedRaw} />} note={link.netFiat ?? undefined} />
      <Figure label="Paid orders" value={link.orders} />
      <Figure label="Units sold" value={soldOf(link)} />
      <Figure label="Units reserved" value={link.held} />
    </div>
    <div class="row two">
      <Shared link={link} qrcode={qrcode} />
      <Doings frame={frame} link={link} />
    </div>
    <Orders checkouts={checkouts} />
    <h2>Edit</h2>
    <LinkForm {...{ frame, ...fields }} action={`/dashboard/links/${link.id}`}>
      Save link
    </LinkForm>
  </Frame>
)
