import type { FrameProps, MenuEntry } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { PaymentList, type PaymentRow } from '../../../web/dashboard/payment-list.tsx'
import { Card, Empty } from '../../../web/dashboard/show.tsx'

interface SearchPageProps {
  frame: FrameProps
  asked: string
  payments: readonly PaymentRow[]
  links: readonly { id: string; slug: string; title: string }[]
  pages: readonly MenuEntry[]
}

const Docs = ({ asked }: Pick<SearchPageProps, 'asked'>) => (
  <p>
    <a href={`/docs?q=${encodeURIComponent(asked)}`}>
      {asked === '' ? 'Read the docs' : `Search the docs for “${asked}”`}
    </a>
  </p>
)

export const SearchPage = ({ frame, asked, payments, links, pages }: SearchPageProps) => (
  <Frame {...frame} asked={asked} title={asked === '' ? 'Search' : `Search: ${asked}`}>
    {payments.length > 0 && (
      <section class="card flush">
        <h2>Payments</h2>
        <PaymentList label="Payments found" rows={payments} />
      </section>
    )}
    {links.length > 0 && (
      <Card title="Links">
        <ul class="found">
          {links.map(({ id, slug, title }) => (
            <li key={id}>
              <a href={`/dashboard/links/${id}`}>{title}</a> <span class="soft">/buy/{slug}</span>
            </li>
          ))}
        </ul>
      </Card>
    )}
    {pages.length > 0 && (
      <Card title="Pages">
        <ul class="found">
          {pages.map(({ href, title }) => (
            <li key={href}>
              <a href={href}>{title}</a>
            </li>
          ))}
        </ul>
      </Card>
    )}
    {payments.length + links.length + pages.length === 0 ? (
      <Empty title={asked === '' ? 'What are you looking for?' : 'Nothing found'}>
        <p>A title, a payer’s address, an id, a link or the name of a page.</p>
        <Docs asked={asked} />
      </Empty>
    ) : (
      <Docs asked={asked} />
    )}
  </Frame>
)
