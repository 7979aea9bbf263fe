import type { ComponentChildren } from 'preact'
import { wallClockOf } from '../../kernel/calendar.ts'
import type { FrameProps } from '../../kernel/page.ts'
import type { Permission } from '../../kernel/rights.ts'
import { assetUrl } from '../assets.ts'
import { Document } from '../layout.tsx'
import { ShopClock } from './show.tsx'
import { Side, Tabs, Top, Up, shopName } from './shell.tsx'

const Foot = ({ guide }: { guide?: string | undefined }) => (
  <p class="foot">
    {guide !== undefined && (
      <>
        <a href={`/docs/${guide}`}>Guide to this page</a> ·{' '}
      </>
    )}
    <a href="/docs">Docs</a> · <a href="/status">Status</a>
  </p>
)

interface PageProps {
  title: string
  /** The data that it shows, by the permissions to see it: when some of it changes, the page is read again automatically. */
  follows?: readonly Permission[] | undefined
  /** Names of files in `assets`, after those of every page. */
  styles?: readonly string[] | undefined
  scripts?: readonly string[] | undefined
  children: ComponentChildren
}

const Page = ({ title, of = 'nano-gateway', styles = [], scripts = [], children }: PageProps & { of?: string }) => (
  <Document
    title={`${title} · ${of}`}
    styles={['dashboard.css', 'shell.css', ...styles]}
    scripts={['dashboard.js', ...scripts]}
    head={<meta name="robots" content="noindex" />}
    bodyClass="dashboard"
  >
    {children}
  </Document>
)

const Banner = () => (
  <aside class="banner" aria-label="Development ledger">
    Development ledger: this nano has no value.
  </aside>
)

const Brand = () => (
  <a href="/dashboard" class="brand">
    <img src={assetUrl('icon.svg')} alt="" width="28" height="28" />
    nano-gateway
  </a>
)

/** A page of an account that is signed in. */
export const Frame = (
  props: FrameProps &
    PageProps & {
      lead?: ComponentChildren
      actions?: ComponentChildren
      /** What was searched for, where the page answers it. */
      asked?: string
    },
) => {
  const { title, styles, scripts = [], lead, actions, devnet, notice, guide, children } = props
  const follows = props.readAt === undefined ? undefined : props.follows?.join(' ')
  const { timeZone } = props.shop
  return (
    <ShopClock.Provider value={timeZone === 'UTC' ? undefined : wallClockOf(timeZone)}>
      <Page
        {...{ title, styles }}
        of={shopName(props)}
        scripts={follows === undefined ? scripts : ['live.js', ...scripts]}
      >
        <a href="#content" class="skip">
          Skip to content
        </a>
        {devnet && <Banner />}
        <div class="shell">
          <Side {...props} />
          <div>
            <Top {...props} />
            <main id="content" tabIndex={-1} data-live={follows} data-read-at={follows && props.readAt}>
              <Up {...props} />
              <div class="title">
                <div>
                  <h1>{title}</h1>
                  {lead && <p class="lead">{lead}</p>}
                </div>
                {actions && <div class="actions">{actions}</div>}
              </div>
              <Tabs {...props} />
              {notice && (
                <p class={`notice ${notice.kind}`} role={notice.kind === 'failed' ? 'alert' : 'status'}>
                  {notice.text}
                  {notice.ways?.map(({ href, title: way }) => (
                    <span key={href}>
                      {' '}
                      <a href={href}>{way}</a>
                    </span>
                  ))}
                </p>
              )}
              {children}
              <Foot guide={guide} />
            </main>
          </div>
        </div>
        {follows !== undefined && <p id="live-said" class="unseen" role="status" />}
      </Page>
    </ShopClock.Provider>
  )
}

/** A page for visitors who are not signed in, and one that says why a page cannot be shown. */
export const Gate = ({ devnet, children, ...page }: PageProps & { devnet: boolean }) => (
  <Page {...page}>
    {devnet && <Banner />}
    <header class="gate-head">
      <Brand />
    </header>
    <main class="gate" id="content">
      <h1>{page.title}</h1>
      {children}
      <Foot />
    </main>
  </Page>
)
