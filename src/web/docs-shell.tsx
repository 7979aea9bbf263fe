import type { ComponentChildren } from 'preact'
import type { Offered } from '../kernel/module.ts'
import { Layout } from './layout.tsx'

/** A guide in the list of guides. */
export interface GuideLink {
  path: string
  title: string
  /** The heading of its group. */
  group: string
}

/** What every page of the documentation needs. */
export interface DocsSite {
  modules: readonly Offered[]
  guides: readonly GuideLink[]
  baseUrl: string
  /** Whether the ledger is a development ledger: nothing here costs anything. */
  devnet: boolean
}

const TITLES: Record<string, string> = {
  ledger: 'Ledger',
  names: 'Names',
  accounts: 'Keys and credits',
  billing: 'Buying credits',
  market: 'Prices',
  reps: 'Representatives',
  work: 'Proof of work',
  wallets: 'Cloud wallets',
  checkout: 'Checkout',
  usernames: 'Usernames',
  email: 'Email payments',
  faucet: 'Faucet',
  swap: 'Swaps',
}

export const moduleTitle = ({ name }: Offered) => TITLES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The text that is searched: an action is found by all of its names. */
export const searchText = ({ name, synonyms = [], summary }: Offered['actions'][number]) =>
  [name, ...synonyms, summary].join(' ').toLowerCase()

interface ShellProps {
  site: DocsSite
  title: string
  /** The address of this page, highlighted in the side list. */
  here: string
  query?: string
  children: ComponentChildren
}

/** The frame of every page of the documentation: the side list, and the page beside it. */
export const DocsShell = ({ site, title, here, query = '', children }: ShellProps) => (
  <Layout title={`${title} · nano-gateway`} devnet={site.devnet} styles={['docs.css']} scripts={['docs.js']}>
    <div class="docs">
      <div class="docs-page">
        <a class="docs-menu" href="#contents">
          All guides and actions
        </a>
        {children}
        <CopyVoice />
      </div>
      <nav class="docs-side" id="contents" aria-label="Documentation">
        <form class="docs-search" method="get" action="/docs" role="search">
          <label for="docs-q">Search the documentation</label>
          <input id="docs-q" type="search" name="q" value={query} placeholder="balance, webhook …" maxLength={100} />
          <button class="button quiet">Search</button>
        </form>
        {[...Map.groupBy(site.guides, ({ group }) => group)].map(([group, guides]) => (
          <SideGroup key={group} title={group}>
            {guides.map(({ path, title }) => (
              <SideLink key={path} href={`/docs/${path}`} here={here} find={title.toLowerCase()}>
                {title}
              </SideLink>
            ))}
          </SideGroup>
        ))}
        {site.modules.map((module) => (
          <SideGroup key={module.name} title={moduleTitle(module)}>
            {module.actions.map((action) => (
              <SideLink
                key={action.name}
                href={`/docs/actions/${action.name}`}
                here={here}
                find={[action.name, ...(action.synonyms ?? [])].join(' ')}
              >
                <code>{action.name}</code>
              </SideLink>
            ))}
          </SideGroup>
        ))}
      </nav>
    </div>
  </Layout>
)

const SideGroup = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div data-group>
    <h2>{title}</h2>
    <ul>{children}</ul>
  </div>
)

const SideLink = (props: { href: string; here: string; find: string; children: ComponentChildren }) => (
  <li data-find={props.find}>
    <a href={props.href} aria-current={props.href === props.here ? 'page' : undefined}>
      {props.children}
    </a>
  </li>
)

interface CodeProps {
  text: string
  language?: string | undefined
  id?: string | undefined
}

/** A block of code. Its button is hidden where no script can copy. */
export const Code = ({ text, language, id }: CodeProps) => (
  <div class="code">
    {/* Wide code scrolls, which must be possible without a mouse. */}
    <pre tabIndex={0} data-language={language} id={id}>
      <code>{text}</code>
    </pre>
    <button type="button" class="copy">
      Copy
    </button>
  </div>
)

/** Announces to screen readers that the text was copied. */
export const CopyVoice = () => <p id="copy-said" class="unseen" role="status" />

/** Backticks mark code in descriptions, as they do in the sources. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
