import type { Page } from '../../../kernel/page.ts'
import { listCheckouts, toCheckoutId, toPaymentRows } from '../../checkout/index.ts'
import { paymentLinks } from '../../links/index.ts'
import { SearchPage } from '../pages/search-page.tsx'
import type { AdminPorts } from '../ports.ts'

const PAYMENTS_MAX = 20
const LINKS_READ_MAX = 1_000
const LINKS_MAX = 10
const TEXT_MAX = 120

/** One box for payments, links and pages. */
export const searchPages = ({ checkouts }: Pick<AdminPorts, 'checkouts'>): readonly Page[] => [
  {
    path: '/search',
    permission: 'checkout',
    async render({ frame, query, accountId: owner }) {
      const asked = (query.q ?? '').trim().slice(0, TEXT_MAX)
      const words = asked.toLowerCase()
      if (words === '') return <SearchPage frame={frame} asked="" payments={[]} links={[]} pages={[]} />
      const { db, ports, clock } = checkouts
      const text = toCheckoutId(asked) ?? asked
      const found = await listCheckouts(db, ports.engine, { owner, text }, { limit: PAYMENTS_MAX })
      const links = (await paymentLinks.list(db, { owner, limit: LINKS_READ_MAX }))
        .map(({ id, slug, title }) => ({ id, slug, title: title ?? slug }))
        .filter(({ slug, title }) => `${slug} ${title}`.toLowerCase().includes(words))
      const zone = { timeZone: frame.shop.timeZone, now: clock.now() }
      return (
        <SearchPage
          frame={frame}
          asked={asked}
          payments={await toPaymentRows(db, found, zone)}
          links={links.slice(0, LINKS_MAX)}
          pages={frame.menu.filter(({ title, group }) => `${title} ${group}`.toLowerCase().includes(words))}
        />
      )
    },
  },
]
