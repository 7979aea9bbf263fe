import type { ComponentChildren } from 'preact'
import type { FrameProps, MenuEntry } from '../../kernel/page.ts'
import type { Permission } from '../../kernel/rights.ts'
import { Document } from '../layout.tsx'

const Links = ({ links, section }: { links: readonly MenuEntry[]; section: string }) => (
  <ul>
    {links.map(({ href, title }) => (
      <li key={href}>
        <a href={href} aria-current={href === section ? 'page' : undefined}>
          {title}
        </a>
      </li>
    ))}
  </ul>
)

const nameOf = ({ email, role, id }: FrameProps['account']) => email ?? (role === 'admin' ? 'Administrator' : id)

const Navigation = ({ section, menu, account, member, csrf }: FrameProps) => {
  const { administrator, everybody = [] } = Object.groupBy(menu, ({ door }) =>
    door === 'administrator' ? 'administrator' : 'everybody',
  )
  return (
    <>
      <nav aria-label="Dashboard">
        <Links links={everybody} section={section} />
      </nav>
      {administrator && (
        <nav aria-label="Administration">
          <p class="nav-title">Administration</p>
          <Links links={administrator} section={section} />
        </nav>
      )}
      <form method="post" action="/dashboard/sign-out" class="who">
        <input type="hidden" name="csrf" value={csrf} />
        <p title={account.id}>{member?.email ?? nameOf(account)}</p>
        {member && member.email !== account.email && <p class="soft">{`${member.role} of ${nameOf(account)}`}</p>}
        <button class="plain">Sign out</button>
      </form>
    </>
  )
}

const Foot = () => (
  <p class="foot">
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

const Page = ({ title, styles = [], scripts = [], children }: PageProps) => (
  <Document
    title={`${title} · nano-gateway`}
    styles={['dashboard.css', ...styles]}
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
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M4 4 L20 20 M20 4 L4 20 M4 12 H20" />
    </svg>
    nano-gateway
  </a>
)

/** A page of an account that is signed in. The menu is beside it, or above it on a narrow screen. */
export const Frame = (
  props: FrameProps &
    PageProps & {
      lead?: ComponentChildren
      actions?: ComponentChildren
    },
) => {
  const { title, styles, scripts = [], lead, actions, devnet, notice, guide, children } = props
  const follows = props.readAt === undefined ? undefined : props.follows?.join(' ')
  return (
    <Page {...{ title, styles }} scripts={follows === undefined ? scripts : ['live.js', ...scripts]}>
      <a href="#content" class="skip">
        Skip to content
      </a>
      {devnet && <Banner />}
      <div class="shell">
        <header class="side">
          <Brand />
          <div class="wide">
            <Navigation {...props} />
          </div>
          <details class="narrow">
            <summary>Menu</summary>
            <Navigation {...props} />
          </details>
        </header>
        <main id="content" tabIndex={-1} data-live={follows} data-read-at={follows && props.readAt}>
          <div class="title">
            <div>
              <h1>{title}</h1>
              {lead && <p class="lead">{lead}</p>}
              {guide !== undefined && (
                <p class="guide">
                  <a href={`/docs/${guide}`}>Read the guide</a>
                </p>
              )}
            </div>
            {actions && <div class="actions">{actions}</div>}
          </div>
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
          <Foot />
        </main>
      </div>
      {follows !== undefined && <p id="live-said" class="unseen" role="status" />}
    </Page>
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
