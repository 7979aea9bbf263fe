import type { FrameProps, Group, MenuEntry } from '../../kernel/page.ts'
import { Icon, type IconName } from './icons.tsx'

/* The groups of the menu: at the side of every page of an account, or at the bottom on a phone. */

const TITLES: Readonly<Record<Group, string>> = {
  home: 'Home',
  payments: 'Payments',
  sell: 'Sell',
  money: 'Money',
  developers: 'Developers',
  settings: 'Settings',
  operator: 'Operator',
}

/** Places at the bottom of a phone, the last of which is for all other groups. */
const AT_THE_THUMB = 4

type Navigating = Pick<FrameProps, 'menu' | 'section' | 'csrf' | 'account' | 'member' | 'shop' | 'opens'>

/** The group of the open page; none for a page outside the menu. */
const groupOf = ({ menu, section }: Pick<FrameProps, 'menu' | 'section'>) =>
  menu.find(({ href }) => href === section)?.group

/** One entry for each group that this visitor may see: its first page, and what waits on all of them. */
function groupsOf({ menu }: Pick<FrameProps, 'menu'>): MenuEntry[] {
  const firsts = menu.filter(({ group }, at) => menu.findIndex((one) => one.group === group) === at)
  const waitingIn = (of: Group) => menu.reduce((sum, { group, waiting = 0 }) => (group === of ? sum + waiting : sum), 0)
  return firsts.map((entry) => ({ ...entry, waiting: waitingIn(entry.group) }))
}

const nameOf = ({ email, role, id }: FrameProps['account']) => email ?? (role === 'admin' ? 'Administrator' : id)

export const shopName = ({ shop, account }: Pick<FrameProps, 'shop' | 'account'>) => shop.name ?? nameOf(account)

const Logo = ({ shop }: Pick<FrameProps, 'shop'>) =>
  shop.logo === null ? (
    <span class="logo none" aria-hidden="true">
      {(shop.name ?? 'N').slice(0, 1).toUpperCase()}
    </span>
  ) : (
    <img class="logo" src={shop.logo} alt="" width="36" height="36" />
  )

const Entry = ({ entry, current }: { entry: MenuEntry; current: Group | undefined }) => (
  <a href={entry.href} aria-current={entry.group === current ? 'page' : undefined}>
    <Icon name={entry.group} />
    <span>{TITLES[entry.group]}</span>
    <Waiting {...entry} />
  </a>
)

/** How many things wait behind a link. */
const Waiting = ({ waiting = 0 }: Pick<MenuEntry, 'waiting'>) =>
  waiting === 0 ? null : (
    <span class="count">
      {waiting}
      <span class="unseen"> waiting</span>
    </span>
  )

const SignOut = ({ csrf }: Pick<FrameProps, 'csrf'>) => (
  <form method="post" action="/dashboard/sign-out">
    <input type="hidden" name="csrf" value={csrf} />
    <button class="bare">Sign out</button>
  </form>
)

const ACCOUNTS = '/dashboard/accounts'
/** False until a person has added the passkey that they must have. */
const maySwitch = ({ opens }: Pick<FrameProps, 'opens'>) => opens('GET', ACCOUNTS)

const Shop = (props: Navigating) => {
  const look = (
    <>
      <Logo {...props} />
      <span>
        <b>{shopName(props)}</b>
        {maySwitch(props) && <span class="soft">Switch account</span>}
      </span>
    </>
  )
  return maySwitch(props) ? (
    <a class="shop" href={ACCOUNTS}>
      {look}
    </a>
  ) : (
    <div class="shop">{look}</div>
  )
}

export const Side = (props: Navigating) => {
  const groups = groupsOf(props)
  const current = groupOf(props)
  const [near, far] = groups.length > AT_THE_THUMB + 1 ? [AT_THE_THUMB, groups.slice(AT_THE_THUMB)] : [9, []]
  const { account, member } = props
  return (
    <header class="side">
      <Shop {...props} />
      <nav class="nav" aria-label="Dashboard">
        <ul>
          {groups.map((entry, at) => (
            <li key={entry.group} class={at < near ? undefined : 'rest'}>
              <Entry {...{ entry, current }} />
            </li>
          ))}
          <li class="more">
            <details>
              <summary class={far.some(({ group }) => group === current) ? 'lit' : undefined}>
                <Icon name="more" />
                More
              </summary>
              <ul>
                {far.map((entry) => (
                  <li key={entry.group}>
                    <Entry {...{ entry, current }} />
                  </li>
                ))}
                {maySwitch(props) && (
                  <li>
                    <a href={ACCOUNTS}>Switch account</a>
                  </li>
                )}
                <li>
                  <SignOut {...props} />
                </li>
              </ul>
            </details>
          </li>
        </ul>
      </nav>
      <div class="who">
        <p title={account.id}>{member?.email ?? nameOf(account)}</p>
        {member && member.email !== account.email && <p>{`${member.role} of ${nameOf(account)}`}</p>}
        <SignOut {...props} />
      </div>
    </header>
  )
}

const NEW: readonly { href: string; title: string; icon: IconName }[] = [
  { href: '/dashboard/links/new', title: 'A product', icon: 'sell' },
  { href: '/dashboard/links/new?for=donation', title: 'A donation', icon: 'donation' },
  { href: '/dashboard/links/new?for=membership', title: 'A membership', icon: 'membership' },
  { href: '/dashboard/checkouts/new', title: 'A single payment', icon: 'payments' },
  { href: '/dashboard/pos/new', title: 'A till for the counter', icon: 'money' },
]

/** The entries under “New” that a person may use; cashiers may use none. */
export const beginnings = ({ opens }: Pick<FrameProps, 'opens'>) => NEW.filter(({ href }) => opens('GET', href))

export const Top = (props: FrameProps & { asked?: string | undefined }) => {
  const offered = beginnings(props)
  return (
    <section class="top" aria-label="Account, search and new">
      {maySwitch(props) && (
        <a class="only-narrow" href={ACCOUNTS} aria-label={`${shopName(props)}, switch account`}>
          <Logo {...props} />
        </a>
      )}
      {props.opens('GET', '/dashboard/search') && (
        <form class="search" method="get" action="/dashboard/search" role="search" aria-label="Search everything">
          <Icon name="search" />
          <input
            type="search"
            name="q"
            aria-label="Search payments, links and pages"
            placeholder="Payments, links, pages"
            maxLength={120}
            value={props.asked}
          />
          <kbd aria-hidden="true">/</kbd>
        </form>
      )}
      {offered.length > 0 && (
        <details class="new">
          <summary>
            <Icon name="plus" />
            <span>New</span>
          </summary>
          <ul>
            {offered.map(({ href, title, icon }) => (
              <li key={href}>
                <a href={href}>
                  <Icon name={icon} />
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** The pages of the open group; on a page within one of them, the way back to it. */
export const Tabs = ({ menu, section, isWithin }: Pick<FrameProps, 'menu' | 'section' | 'isWithin'>) => {
  const group = groupOf({ menu, section })
  const entries = menu.filter((entry) => entry.group === group)
  if (group === undefined || isWithin || entries.length < 2) return null
  return (
    <nav class="tabs" aria-label={TITLES[group]}>
      <ul>
        {entries.map(({ href, title, waiting }) => (
          <li key={href}>
            <a href={href} aria-current={href === section ? 'page' : undefined}>
              {title}
              <Waiting {...(waiting !== undefined && { waiting })} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export const Up = ({ menu, section, isWithin }: Pick<FrameProps, 'menu' | 'section' | 'isWithin'>) => {
  const entry = menu.find(({ href }) => href === section)
  if (!isWithin || !entry) return null
  return (
    <a class="up" href={entry.href}>
      {entry.title}
    </a>
  )
}
