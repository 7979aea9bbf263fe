import { type Degree, may } from '../kernel/rights.ts'
import { type Form, GROUPS, type MenuEntry, type OpenPage, type Page } from '../kernel/page.ts'
import type { AccountCaller } from '../kernel/route.ts'

type Way = Page | Form

type Counted = MenuEntry & Pick<NonNullable<Page['menu']>, 'count'>

/** The pages of the menu, by group and in their order. */
export function toMenu(pages: readonly (Way | OpenPage)[]): Counted[] {
  const placeOf = (page: Way | OpenPage) =>
    'render' in page && page.menu ? GROUPS.indexOf(page.menu.group) * 1_000 + page.menu.order : 0
  return pages
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap((page) =>
      'render' in page && page.menu ? [{ ...page.menu, href: toHref(page.path), access: page.access }] : [],
    )
}

/** The menu with the number of things in each page that need the account's attention. */
export const countMenu = (menu: readonly Counted[], accountId: string): Promise<MenuEntry[]> =>
  Promise.all(
    menu.map(async ({ count, ...entry }) => ({ ...entry, ...(count && { waiting: await count(accountId) }) })),
  )

export const toHref = (path: string) => (path === '/' ? '/dashboard' : `/dashboard${path}`)

/** Who may use which address of the dashboard, as its pages and forms declare. */
export class Ways {
  readonly #ways: readonly { method: 'GET' | 'POST'; matches: RegExp; way: Way }[]

  constructor(pages: readonly (Way | OpenPage)[]) {
    this.#ways = pages
      .filter((page): page is Way => 'permission' in page)
      .map((way) => ({
        method: 'render' in way ? ('GET' as const) : ('POST' as const),
        matches: new RegExp(`^${way.path === '/' ? '' : way.path.replaceAll(/:\w+/g, '[^/]+')}$`),
        way,
      }))
      // Literal paths take precedence over paths with a parameter.
      .sort((one, other) => Number(one.way.path.includes(':')) - Number(other.way.path.includes(':')))
  }

  /** A page requires the right to see, a form the right to change. */
  degreeOf(way: Way): Degree {
    return 'render' in way ? (way.degree ?? 'see') : 'all'
  }

  admits(way: Way, caller: AccountCaller): boolean {
    if (caller.session?.mustEnrol && !way.unenrolled) return false
    return way.permission === 'none' || may(caller, way.permission, this.degreeOf(way))
  }

  /** Whether a caller may use an address. Addresses outside of the dashboard are not restricted here. */
  opens(caller: AccountCaller, method: 'GET' | 'POST', href: string): boolean {
    const path = /^\/dashboard([^?#]*)/.exec(href)?.[1]
    const found = this.#ways.find((one) => one.method === method && path !== undefined && one.matches.test(path))
    return !found || this.admits(found.way, caller)
  }
}
